#include "cli/commands/diff.h"

#include <fmt/format.h>

#include <cudald/cuda_stack.h>
#include <cudald/session.h>
#include <cudald/wheel.h>

#include "archive/gzip.h"
#include "base/bounded_json.h"
#include "base/path.h"
#include "cli/options/exit_status.h"
#include "cli/output/query.h"
#include "cli/output/views.h"
#include "cli/settings/file_words.h"
#include "cli/settings/host_option.h"
#include "report/views/facts.h"

namespace cudald {
namespace {

/// A description that `env --save` wrote; nullopt if the text is none.
std::optional<FactSheet> facts_of_host(const std::string& text) {
  Budget budget(host_limits);
  const auto parsed = parse_json(text, budget);
  if (!parsed) return std::nullopt;
  const auto& json = *parsed;
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "cudald/host") return std::nullopt;
  FactSheet sheet;
  for (const auto& [key, value] : json.items()) {
    if (key == "schema" || key == "schema_version") continue;
    auto& values = sheet[""][key];
    if (value.is_string()) values.push_back(value.get<std::string>());
    if (value.is_array())
      for (const auto& item : value) {
        const bool has_path = item.is_object() && item.contains("path");  // a library
        const auto& text_of = has_path ? item["path"] : item;
        if (text_of.is_string()) values.push_back(text_of.get<std::string>());
      }
    if (value.is_object())
      for (const auto& [name, text_of] : value.items())
        if (text_of.is_string()) values.push_back(name + "=" + text_of.get<std::string>());
    if (values.empty()) sheet[""].erase(key);
  }
  return sheet;
}

Error fault_at(const std::string& path, Error error) {
  return {ErrorCode::usage, fmt::format("{}: {}", escaped(path), escaped(error.message))};
}

Result<FactSheet> facts_of_argument(const std::string& given, const FileSystem& files, Session& session,
                                    const Environment& environment, const Options& options) {
  const auto path = absolute_path(given, environment.cwd);
  if (is_folder(files, path)) {
    // Only what lies in it: the rest of the machine is the same for both.
    auto stack = survey(files, environment, path, false, options.resolved.table);
    stack.driver = {};
    stack.toolkits.clear();
    std::erase_if(stack.copies, [](const CudaCopy& copy) { return copy.place != StackPlace::prefix; });
    return facts_of(stack);
  }
  if (path.ends_with(".whl")) {
    const auto wheel = session.wheel(path);
    if (!wheel) return fault_at(given, wheel.error());
    return facts_of(*wheel);
  }
  if (path.ends_with(".json") || path.ends_with(".json.gz"))
    if (const auto text = read_plain_or_compressed(files, path, most_host_bytes))
      if (auto sheet = facts_of_host(*text)) return std::move(*sheet);
  const auto file = read_file_words(session, path);
  if (!file) return fault_at(given, file.error());
  const auto& image = *file->image;
  if (!is_elf(image) && !is_pe(image))
    return fault_at(given, {ErrorCode::usage, "neither ELF nor PE, nor a wheel, directory or saved host"});
  auto facts = facts_of(image, file->symbols, file->gpu.get(), file->cuda.get());
  if (options.question.symbols_asked) {
    auto names = session.elf_symbols(path);
    if (!names) return fault_at(given, names.error());
    if (!names->exported.empty()) facts["symbols exported"] = std::move(names->exported);
    if (!names->imported.empty()) facts["symbols imported"] = std::move(names->imported);
  }
  return FactSheet{{"", std::move(facts)}};
}

}  // namespace

Result<int> diff(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  const auto files = make_disk_file_system();
  Session session(*files, options.resolved.table);
  const auto environment = make_queries(options, {}, host.environment).front().environment;
  const auto &a = options.arguments[0], &b = options.arguments[1];
  const auto before = facts_of_argument(a, *files, session, environment, options);
  const auto after = facts_of_argument(b, *files, session, environment, options);
  for (const auto* sheet : {&before, &after})
    if (!*sheet) {
      host.complaints << fmt::format("cudald: {}\n", sheet->error().message);
      return exit_incomplete;
    }
  const auto changes = compare(*before, *after);
  write_view(options.output.format, DiffView{a, b, changes}, style, output.stream());
  return changes.empty() ? exit_fine : exit_findings;
}

}  // namespace cudald
