// The packages of all libraries that Debian has in its directories of libraries: data/debian-libraries.json, which
// tools/debian-library-names makes of the lists of Debian's archive. What is read by hand, or of one library alone, is
// in data/system-packages.json and data/system-releases.json, and comes before this.

#include "knowledge/debian_libraries.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/json.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "embedded.h"

namespace cudald {
namespace {

constexpr int first_known = 11, last_known = 13;  ///< releases whose lists the table was made of
constexpr int first_renamed = 13;                 ///< Debian, 64-bit time_t transition; Ubuntu 24.04 has it as well

const nlohmann::json& debian_table() {
  static const auto parsed = parse_table(embedded_debian_libraries());
  return parsed;
}

/// "libx3-2" of libX3.so.2. Source: Debian Policy Manual, 8.1, "Run-time shared libraries".
std::string package_named_after(const std::string& library) {
  const auto end = library.find(".so.");
  auto name = folded(library.substr(0, end));
  std::replace(name.begin(), name.end(), '_', '-');
  return name + (is_digit(name.back()) ? "-" : "") + library.substr(end + 4);
}

}  // namespace

std::optional<DebianLibrary> debian_library(const std::string& library) {
  if (!library.starts_with("lib") || library.find(".so.") == std::string::npos ||
      library.find(' ') != std::string::npos)
    return std::nullopt;
  for (const auto& row : debian_table().at("rows")) {
    const auto& packages = row.at("packages");
    const auto other = packages.find(library);
    if (other == packages.end() && !has_word(row.at("named").get_ref<const std::string&>(), library, is_space))
      continue;
    return DebianLibrary{
        row.at("first"), row.at("last"),
        other == packages.end() ? package_named_after(library) : other->get<std::string>(), row.at("renamed"),
        debian_table().at("source").get<std::string>() + ", " + debian_table().at("checked").get<std::string>()};
  }
  return std::nullopt;
}

std::string debian_package(const DebianLibrary& library, const std::string& system, const std::string& release) {
  // Ubuntu 22.04 came between Debian 11 and 12, 24.04 between 12 and 13; what is in all three was there before as well.
  const auto number = std::atoi(release.c_str());
  int from = number, to = number;
  if (system == "ubuntu") {
    constexpr int oldest = 20, after_first = 22, after_second = 24;
    const std::string last_before_debian_13 = "25.04";
    if (number < oldest || version_less(last_before_debian_13, release)) return "";
    from = number < after_second ? first_known : first_known + 1;
    to = number < after_first || number >= after_second ? last_known : first_known + 1;
  } else if (system != "debian") {
    return "";
  }
  if (from < library.first || to > library.last) return "";
  const bool is_renamed = library.renamed && (system == "debian" ? number >= first_renamed : number >= 24);
  return library.package + (is_renamed ? "t64" : "");
}

bool is_dropped_by_debian(const DebianLibrary& library, const std::string& release) {
  const auto number = std::atoi(release.c_str());
  return library.last == first_known && number > first_known && number <= last_known;
}

bool came_after(const DebianLibrary& library, const std::string& system, const std::string& release) {
  const auto number = std::atoi(release.c_str());
  if (number == 0 || library.first == first_known) return false;
  if (system == "debian") return number < library.first;
  // Ubuntu 20.10 came before Debian 11, and 22.10 before Debian 12.
  constexpr int last_before_first = 20, last_before_second = 22;
  if (system != "ubuntu" || number > last_before_second) return false;
  return library.first > (number <= last_before_first ? first_known : first_known + 1);
}

bool may_be_older(const DebianLibrary& library, const std::string& system, const std::string& release) {
  constexpr int last_before_first = 20;
  const auto number = std::atoi(release.c_str());
  return library.first == first_known && number > 0 &&
         ((system == "debian" && number < first_known) || (system == "ubuntu" && number <= last_before_first));
}

}  // namespace cudald
