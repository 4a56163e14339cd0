// Python names the first part of a module that it does not find: google of google.cloud.storage. The line that asks for
// it has the rest. Source: CPython Lib/importlib/_bootstrap.py, _find_and_load_unlocked.

#include "check/packages/asked_modules.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "base/path.h"
#include "binary/bytes/readers.h"
#include "knowledge/known_packages.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_source = std::uint64_t{8} << 20;

bool is_python_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char one) {
    return std::isalnum(one) != 0 || one == '_' || one == '.' || one >= 0x80;
  });
}

/// The line of "a.py:7"; empty if it cannot be read.
std::string line_at(std::string_view place, const FileSystem& files) {
  const auto colon = place.rfind(':');
  std::size_t line = 0;
  if (colon == std::string_view::npos) return "";
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  const auto text = read_file(files, std::string(place.substr(0, colon)), longest_source);
  if (!text || line == 0) return "";
  std::size_t begin = 0;
  for (; line > 1 && begin != std::string::npos; --line) {
    begin = text->find('\n', begin);
    begin += begin != std::string::npos;
  }
  return begin == std::string::npos ? "" : text->substr(begin, text->find('\n', begin) - begin);
}

/// The modules that a line of code imports: "a.b.c" of `from a.b import c`, which may be a name of a.b as well.
std::vector<std::string> modules_of_line(std::string_view line) {
  std::vector<std::string> modules;
  const auto words = split(line.substr(0, line.find('#')), " \t(,);");
  const bool is_from = !words.empty() && words[0] == "from" && words.size() > 3 && words[2] == "import";
  if (!is_from && (words.empty() || words[0] != "import")) return {};
  for (std::size_t i = is_from ? 3 : 1; i < words.size(); ++i) {
    if (words[i] == "as")
      ++i;
    else if (is_python_name(words[i]))
      modules.push_back(is_from ? std::string(words[1]) + "." + std::string(words[i]) : std::string(words[i]));
  }
  if (is_from) modules.emplace_back(words[1]);
  return modules;
}

}  // namespace

std::string part_asked_for(const Import::MissingModule& missing, const Import& import, const FileSystem& files) {
  const auto beginning = missing.name + ".";
  if (import.module.starts_with(beginning)) return import.module;
  std::string part;
  for (const auto& module : modules_of_line(line_at(missing.asked_at, files))) {
    if (!module.starts_with(beginning)) continue;
    if (is_part_of_namespace(module)) return module;
    part = module;  // the last one is a module, and no name of one
  }
  return part.empty() ? missing.name : part;
}

}  // namespace cudald
