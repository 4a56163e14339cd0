// A name that is not defined, as the import which binds it stands under a condition on the release of another
// distribution: `if is_torch_greater_or_equal("2.5"): from torch.distributed.tensor import Replicate`, and code further
// down uses it in any case. That the name is not bound is what the import was followed to; which release would bind it,
// the condition says in its words.
// Source: CPython 3.11 Python/ceval.c, format_exc_check_arg; transformers 4.52.2, integrations/tensor_parallel.py.
#include "check/packages/guarded_names.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "package/dist_info.h"

namespace cudald {
namespace {

constexpr std::string_view word_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// "Replicate" of "NameError: name 'Replicate' is not defined"; empty of other errors.
std::string undefined_name(std::string_view error) {
  constexpr std::string_view before = "NameError: name '", after = "' is not defined";
  const auto end = error.find(after);
  if (!error.starts_with(before) || end == std::string_view::npos || end < before.size()) return "";
  return std::string(error.substr(before.size(), end - before.size()));
}

struct Guard {
  std::size_t line = 0;  ///< of the import
  std::string condition;
};

/// The condition right above an import of the name, in a source; nullopt if there is none.
std::optional<Guard> guard_of(std::string_view text, std::string_view name) {
  std::vector<std::pair<std::size_t, std::string_view>> open;  // how deep each `if` stands that is still open
  std::size_t number = 0;
  for (const auto line : cudald::split(text, "\n")) {
    ++number;
    const auto depth = line.find_first_not_of(" \t");
    if (depth == std::string_view::npos || line[depth] == '#') continue;
    while (!open.empty() && open.back().first >= depth) open.pop_back();
    const auto code = line.substr(depth);
    if (code.starts_with("if ")) open.emplace_back(depth, code);
    const bool imports = code.starts_with("from ") || code.starts_with("import ");
    const auto ends_word = [](char c) { return word_letters.find(c) == std::string_view::npos; };
    if (imports && !open.empty() && has_word(code, name, ends_word))
      return Guard{number, std::string(open.back().second)};
  }
  return std::nullopt;
}

/// The first text of a condition that is a release: "2.5".
std::string release_in(std::string_view condition) {
  for (auto at = condition.find_first_of("\"'"); at != std::string_view::npos;
       at = condition.find_first_of("\"'", at + 1)) {
    const auto end = condition.find(condition[at], at + 1);
    if (end == std::string_view::npos) return "";
    const auto word = condition.substr(at + 1, end - at - 1);
    const bool is_release = !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos &&
                            word.front() != '.' && word.back() != '.';
    if (is_release) return std::string(word);
    at = end;
  }
  return "";
}

/// The distribution that a condition names, "torch" of `is_torch_greater_or_equal("2.5")`, if what is installed of it
/// is older than the release.
std::optional<WheelMetadata> older_one(const Guard& guard, const std::string& release, const std::string& site,
                                       const FileSystem& files) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const std::string_view text = guard.condition;
  std::size_t end = 0;
  for (auto begin = text.find_first_of(letters); begin != std::string_view::npos;
       begin = text.find_first_of(letters, end)) {
    end = std::min(text.find_first_not_of(letters, begin), text.size());
    const auto name = text.substr(begin, end - begin);
    if (name.size() < 2 || !is_distribution_name(name)) continue;
    auto installed = installed_metadata(files, site, name);
    if (installed && version_less(installed->version, release)) return installed;
  }
  return std::nullopt;
}

}  // namespace

void tell_guarded_name(const Import& import, const std::string& error, const Installer& installer, Store& store,
                       Finding& finding) {
  constexpr std::uint64_t longest_source = std::uint64_t{1} << 20;
  const auto name = undefined_name(error);
  if (name.empty() || installer.site().empty() || import.raised_at.empty()) return;
  const auto& files = store.images.files();
  const auto file = import.raised_at.substr(0, import.raised_at.rfind(':'));
  const auto text = read_file(files, file, longest_source);
  const auto guard = text ? guard_of(*text, name) : std::nullopt;
  const auto release = guard ? release_in(guard->condition) : "";
  const auto installed = release.empty() ? std::nullopt : older_one(*guard, release, installer.site(), files);
  if (!installed) return;
  finding.message += fmt::format("; it is imported with {} {} and later, and {} is installed", installed->name, release,
                                 installed->version);
  finding.evidence.push_back(
      {fmt::format("line {} imports {} under `{}`", guard->line, name, guard->condition), file, Basis::proven, ""});
  finding.fixes.push_back({fmt::format("use the {} that the condition asks for", installed->name),
                           installer.install() + shell_word(installed->name + ">=" + release), ""});
}

}  // namespace cudald
