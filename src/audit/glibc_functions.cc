// What glibc defines and musl lacks: why a file that was built with glibc does not bind on Alpine Linux. The names are
// those of data/glibc-functions.json, which tools/make-glibc-functions writes. And what came to musl with a release:
// why a file that was built on a newer Alpine does not bind on an older one.

#include "audit/glibc_functions.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "embedded.h"

namespace cudald {
namespace {

struct GlibcOnly {
  std::set<std::string, std::less<>> names;
  std::map<std::string, AlpinePackage, std::less<>> alpine;
  std::map<std::string, MuslRelease, std::less<>> musl;
  std::string source;
};

const GlibcOnly& glibc_only_table() {
  static const GlibcOnly built = [] {
    const auto json = parse_table(embedded_glibc_functions());
    GlibcOnly result;
    result.source = fmt::format("{}, {}", json.at("source").get<std::string>(), json.at("checked").get<std::string>());
    for (const auto name : split(json.at("names").get_ref<const std::string&>(), " ")) result.names.emplace(name);
    for (const auto& row : json.at("alpine"))
      for (const auto name : split(row.at("names").get_ref<const std::string&>(), " "))
        result.alpine.emplace(name, AlpinePackage{row.at("package"), row.at("library"), row.at("until")});
    const auto& musl = json.at("musl");
    const auto source =
        fmt::format("{}, {}", musl.at("source").get<std::string>(), musl.at("checked").get<std::string>());
    for (const auto& row : musl.at("releases"))
      for (const auto name : split(row.at("names").get_ref<const std::string&>(), " "))
        result.musl.emplace(name, MuslRelease{row.at("musl"), row.at("alpine"), source});
    return result;
  }();
  return built;
}

}  // namespace

bool is_glibc_only(std::string_view symbol) { return glibc_only_table().names.contains(symbol); }

std::optional<AlpinePackage> alpine_package_of(std::string_view symbol) {
  const auto found = glibc_only_table().alpine.find(symbol);
  return found == glibc_only_table().alpine.end() ? std::nullopt : std::optional(found->second);
}

std::optional<MuslRelease> musl_release_of(std::string_view symbol) {
  const auto found = glibc_only_table().musl.find(symbol);
  return found == glibc_only_table().musl.end() ? std::nullopt : std::optional(found->second);
}

std::string glibc_functions_source() { return glibc_only_table().source; }

}  // namespace cudald
