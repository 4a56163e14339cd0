// A source that this Python does not compile: damaged or changed since it was installed, of a release for another
// Python, or somebody's own. Source: CPython Doc/reference/grammar.rst of each release.
#include "check/packages/refused_sources.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/path.h"
#include "check/packages/lacked_names.h"
#include "package/dist_info.h"
#include "pyimport/run_import.h"

namespace cudald {
namespace {

bool is_of_source(const std::string& error) {
  constexpr std::array kinds{"SyntaxError", "IndentationError", "TabError"};
  return std::any_of(kinds.begin(), kinds.end(), [&](const auto* kind) { return error.starts_with(kind); });
}

/// The text of a line without the blanks around it, and cut where it is long; "" where it is not fit to be shown.
std::string shown_line(std::string_view text, std::size_t number) {
  constexpr std::size_t longest = 80;
  for (std::size_t i = 1; i < number && !text.empty(); ++i)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  auto line = text.substr(0, text.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const bool is_plain = std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7f; });
  if (!is_plain) return "";
  return line.size() > longest ? std::string(line.substr(0, longest)) + "..." : std::string(line);
}

/// "17" of "FILE:17"; 0: none.
std::size_t line_of(const std::string& place) {
  const auto colon = place.rfind(':');
  return colon == std::string::npos ? 0
                                    : static_cast<std::size_t>(std::strtoul(place.c_str() + colon + 1, nullptr, 10));
}

}  // namespace

void tell_refused_source(const Import& import, const std::string& error, const Installer& installer, Store& store,
                         Finding& finding) {
  constexpr std::uint64_t most_text = std::uint64_t{16} << 20;
  if (!is_of_source(error)) return;
  const auto& files = store.images.files();
  const auto file = file_of(import.raised_at);
  const auto* owner = file.empty() ? nullptr : store.installed.package_of(file);
  // No release has such a file: it was damaged when it was written, or by a disk that was full.
  if (error.ends_with("cannot contain null bytes")) {
    finding.evidence.push_back(
        {"the file has bytes that are zero, as after a full disk or a broken copy", file, Basis::proven, ""});
    if (owner != nullptr) finding.fixes.push_back(installer.reinstall(owner->name, owner->version));
    return;
  }
  const auto text = file.empty() ? Result<std::string>(Error{}) : read_file(files, file, most_text);
  const auto number = line_of(import.raised_at);
  if (const auto line = text ? shown_line(*text, number) : ""; !line.empty() && number != 0)
    finding.evidence.push_back({fmt::format("line {} is `{}`", number, line), file, Basis::proven, ""});
  const auto altered =
      file.empty() || installer.site().empty() ? std::nullopt : package_of_altered(files, installer.site(), file);
  if (altered) {
    finding.evidence.push_back({fmt::format("{} is not as {} {} has installed it: RECORD states another size",
                                            file_name(file), altered->name, altered->version),
                                file, Basis::proven, ""});
    finding.fixes.push_back(installer.reinstall(altered->name, altered->version));
    return;
  }
  const int first = text ? first_python_of_source(*text, import.python_version) : 0;
  if (first != 0) {
    finding.evidence.push_back(
        {fmt::format("it is of the grammar of Python 3.{}; this is Python {}", first, import.python_version), "",
         Basis::table, "CPython Doc/reference/grammar.rst of each release"});
    finding.fixes.push_back({fmt::format("use Python 3.{} or newer", first), "", ""});
  }
  if (owner != nullptr)
    finding.fixes.push_back(release_for_python(*owner, import.python_version, first != 0, owner->name, installer));
  else if (first == 0 && number != 0)
    finding.fixes.push_back({fmt::format("correct line {} of {}", number, file_name(file)), "", ""});
}

}  // namespace cudald
