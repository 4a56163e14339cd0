// Whole trees of files: a question about one, and the description of the machine that one is.

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/cuda_library.h>
#include <cudald/cuda_stack.h>
#include <cudald/environment.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/knowledge.h>
#include <cudald/library_texts.h>
#include <cudald/linux_host_file.h>
#include <cudald/message.h>
#include <cudald/pe_symbols.h>
#include <cudald/query.h>
#include <cudald/report.h>
#include <cudald/session.h>
#include <cudald/wheel.h>
#include <cudald/windows_host_file.h>
#include <cudald/writers.h>

#include "archive/gzip.h"
#include "index/index_settings.h"
#include "index/keyring.h"
#include "index/keyring_choice.h"
#include "index/uv_settings.h"
#include "made_tree.h"
#include "targets.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_host_bytes = 1 << 20, most_steps = 10'000'000;

/// The rest of a line behind a word; nullopt if it does not begin with it.
std::optional<std::string> behind(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  return std::string(line.substr(word.size()));
}

void set_variable(std::string_view text, Environment& environment) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return;
  const std::string name(text.substr(0, equals)), value(text.substr(equals + 1));
  environment.variables[name] = environment.stated[name] = value;
}

/// A description of a machine, which may be compressed.
void take_host(const std::string& path, const FileSystem& files, Query& query) {
  const auto text = read_plain_or_compressed(files, path, most_host_bytes);
  if (!text) return;
  if (auto linux = read_linux_host(*text)) {
    query.linux_host = std::make_shared<LinuxHostFile>(std::move(*linux));
    query.world = WorldKind::described;
  } else if (auto windows = read_windows_host(*text)) {
    query.windows_host = std::make_shared<WindowsHostFile>(std::move(*windows));
    query.windows = true;
  }
}

/// A line of a question is an option of the command line without its dashes, or a target.
void take_line(std::string_view line, const FileSystem& files, Query& query) {
  if (const auto with = behind(line, "with "))
    query.packages.push_back(*with);
  else if (const auto prefix = behind(line, "prefix "))
    query.prefix = *prefix;
  else if (const auto python = behind(line, "python "))
    query.python = *python;
  else if (const auto host = behind(line, "host "))
    take_host(*host, files, query);
  else if (const auto variable = behind(line, "env "))
    set_variable(*variable, query.environment);
  else if (const auto gpu = behind(line, "gpu "))
    query.gpus = {{*gpu == "h100" ? 90U : 75U, '\0'}};
  else if (const auto dlopen = behind(line, "dlopen "))
    query.dlopens.push_back({*dlopen, ""});
  else if (const auto extra = behind(line, "extra "))
    query.extras.insert(*extra);
  else if (line == "windows")
    query.windows = true;
  else if (line == "secure")
    query.environment.secure = true;
  else if (line == "constants")
    query.constants = ConstantScope::all;
  else if (!line.empty())
    query.targets.emplace_back(line);
}

/// What a file says of itself, in all ways in which `cudald show` asks.
void show(Session& session, const std::string& path) {
  (void)session.image(path);
  (void)session.elf_symbols(path);
  (void)session.pe_symbols(path);
  (void)session.gpu_code(path);
  (void)session.library_texts(path);
  (void)session.cuda_library(path);
  (void)session.linked_runtime(path);
  if (path.ends_with(".whl")) (void)session.wheel(path);
}

void read_settings(const FileSystem& files, const Environment& environment) {
  const auto uv = read_uv_settings(environment.cwd, environment, files);
  if (!uv) return;
  const auto settings = read_index_settings(*uv, environment, files);
  const auto keyring = choose_keyring(settings, environment, files);
  if (!keyring || !*keyring) return;
  for (const auto& index : settings.indexes) {
    (void)keyring_services(**keyring, index + "/x/");
    (void)is_always_asked(**keyring, index + "/x/");
  }
}

}  // namespace

void fuzz_question(const std::string& bytes) {
  const auto made = make_tree(bytes);
  Query query;
  query.environment.cwd = "/w";
  query.costs.steps = most_steps;
  for (const auto line : lines_of(made.question)) take_line(line, *made.files, query);
  if (query.targets.empty()) return;
  query.message = read_message(bytes, *built_in_knowledge());
  Session session(*made.files);
  for (const auto& target : query.targets)
    if (target.starts_with('/')) show(session, target);
  write_all(session.explain(query));
}

void fuzz_machine(const std::string& bytes) {
  const auto made = make_tree(bytes);
  Environment environment;
  environment.cwd = "/w";
  std::string prefix;
  for (const auto line : lines_of(made.question)) {
    if (auto folder = behind(line, "prefix "))
      prefix = std::move(*folder);
    else
      set_variable(line, environment);
  }
  read_settings(*made.files, environment);
  auto stack = survey(*made.files, environment, prefix, true, built_in_knowledge());
  add_remarks(stack, *made.files);
  std::ostringstream view, saved;
  write_env(stack, {}, view);
  write_host(stack, describe_linux_host(*made.files, environment, true, *built_in_knowledge()), saved);
  // Of a tree without a loader nothing can be asked.
  require(stack.platform.empty() || read_linux_host(saved.str()).has_value());
}

}  // namespace cudald
