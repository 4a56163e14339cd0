#include "archive/zip_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/path.h"
#include "base/utf8.h"

namespace cudald {
namespace {

// NAME_MAX and PATH_MAX of Linux; Windows and macOS take no more.
constexpr std::size_t most_part_bytes = 255;
constexpr std::size_t most_name_bytes = 4095;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool has_drive(std::string_view name) {
  return name.size() >= 2 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
}

bool is_absolute(std::string_view name) { return name.starts_with('/') || name.starts_with('\\'); }

/// Whether `test` holds for some part of the name, between slashes or backslashes.
template <typename Test>
bool any_part(std::string_view name, Test test) {
  while (true) {
    const auto end = name.find_first_of("/\\");
    if (test(name.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    name.remove_prefix(end + 1);
  }
}

bool leads_upwards(std::string_view name) {
  return name.find("..") != std::string_view::npos &&
         any_part(name, [](std::string_view part) { return part == ".."; });
}

bool has_long_part(std::string_view name) {
  return name.size() > most_part_bytes &&
         any_part(name, [](std::string_view part) { return part.size() > most_part_bytes; });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = first_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

bool is_safe_zip_name(std::string_view name) {
  return !name.empty() && !is_absolute(name) && !has_drive(name) && !leads_upwards(name) &&
         name.size() <= most_name_bytes && !has_long_part(name) && name.find('\\') == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), is_control);
}

std::string plain_zip_name(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  while (!name.empty()) {
    const auto end = name.find('/');
    const auto part = name.substr(0, end);
    if (!part.empty() && part != ".") {
      if (!result.empty()) result += '/';
      result += part;
    }
    name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
  }
  return result;
}

void check_zip_name(std::string_view name, bool marked_utf8,
                    const std::function<void(ZipProblemKind, std::string)>& report) {
  if (name.empty()) return report(ZipProblemKind::name_empty, "has no name");
  if (std::any_of(name.begin(), name.end(), is_control)) {
    if (name.find('\0') != std::string_view::npos)
      report(ZipProblemKind::name_control, "has a NUL byte in its name, where some readers end it");
    else
      report(ZipProblemKind::name_control, "has a control character in its name");
  }
  if (is_absolute(name)) report(ZipProblemKind::name_absolute, "has an absolute name");
  if (has_drive(name)) report(ZipProblemKind::name_drive, "has a name with a drive letter");
  if (leads_upwards(name))
    report(ZipProblemKind::name_parent, "has a `..` in its name, which leads out of the directory it belongs to");
  if (name.find('\\') != std::string_view::npos)
    report(ZipProblemKind::name_backslash,
           "has a backslash in its name: a directory for some readers, a part of the name for others");
  if (!is_ascii(name)) {
    if (marked_utf8 && !is_utf8(name))
      report(ZipProblemKind::name_encoding, "is marked as having a name in UTF-8, which it is not");
    if (!marked_utf8)
      report(ZipProblemKind::name_encoding,
             "has a name that is not ASCII and not marked as UTF-8: Python takes it for code page 437, others for "
             "UTF-8");
  }
  if (name.size() > most_name_bytes)
    report(ZipProblemKind::name_too_long, fmt::format("has a name of {} bytes", name.size()));
  else if (has_long_part(name))
    report(ZipProblemKind::name_too_long, fmt::format("has a name with a part of over {} bytes", most_part_bytes));
}

}  // namespace cudald
