// A module of PHP may use functions of another one, as event of sockets. Which module has them is a fact of that module
// (data/linux-names.json, `host_parts`); how it is installed depends on the system.
// Sources: docker-library/php, docker-php-ext-install; Debian and the packages of Ondrej Sury, Fedora and Alpine, names
// of packages.

#include "check/fixes/php_part.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/system_packages.h"
#include "check/fixes/php_module_order.h"
#include "knowledge/linux_names.h"

namespace cudald {
namespace {

/// "8.2" of /usr/lib/php/20220829/event.so and of /usr/lib/php82/modules/event.so; empty if the path does not say it.
std::string php_release_of(const std::string& path) {
  for (const auto& host : module_hosts())
    for (const auto& [number, release] : host.releases)
      if (path.find("/" + number + "/") != std::string::npos) return release;
  constexpr std::string_view mark = "/lib/php";
  const auto at = path.find(mark);
  const auto number =
      at == std::string::npos ? "" : path.substr(at + mark.size(), path.find('/', at + mark.size()) - at - mark.size());
  if (number.size() < 2 || number.find_first_not_of("0123456789") != std::string::npos) return "";
  return number.substr(0, 1) + "." + number.substr(1);
}

/// What installs a module of PHP; empty if that is not known of the system.
std::string installation_of_part(const HostPart& part, const std::string& user, ImageStore& images) {
  if (is_file(images.files(), "/usr/local/bin/docker-php-ext-install"))
    return part.bundled ? "docker-php-ext-install " + part.module
                        : fmt::format("pecl install {0} && docker-php-ext-enable {0}", part.module);
  const SystemPackages system(images);
  const auto release = php_release_of(user);
  for (const auto& [word, named] : part.packages) {
    auto package = named;
    auto number = release;
    std::erase(number, '.');
    if (!system.is(word) || (release.empty() && package.find('{') != std::string::npos)) continue;
    replace_all(package, "{release}", release);
    replace_all(package, "{number}", number);
    return system.install(package);
  }
  return "";
}

}  // namespace

bool add_php_part(const Case& given, Finding& finding) {
  const auto part = host_part_with(finding.subject);
  const auto& user = given.report.resolution.objects[*finding.object];
  if (!part || part->host != "PHP" || user.path.find("/php") == std::string::npos ||
      file_name(user.path) == part->module + ".so")
    return false;
  auto& images = given.store.images;
  finding.message +=
      fmt::format(": it is of PHP's module {}, which is not loaded before {}", part->module, short_name(user));
  finding.evidence.push_back({"whose symbol that is", "", Basis::table, part->source});
  auto command = installation_of_part(*part, user.path, images);
  if (const auto behind = php_module_behind(user.path, images); !behind.empty())
    command += (command.empty() ? "" : "\n") + behind;
  finding.fixes.push_back(
      {fmt::format("install PHP's module {}, and let PHP load it before {}", part->module, short_name(user)),
       std::move(command), "PHP reads such files in the order of their names"});
  return true;
}

}  // namespace cudald
