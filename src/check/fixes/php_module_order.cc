// PHP reads the files of a directory of settings in the order of their names, and loads modules in the order in which
// `extension=` names them, with RTLD_GLOBAL. Sources: PHP Manual, The configuration file, "Scan directories";
// php-src ext/standard/dl.c, php_load_extension, and main/php_ini.c, php_ini_opened_path; github.com/phpredis/phpredis
// issue 1589; github.com/mlocati/docker-php-extension-installer issue 554. Directories: packages of Debian, Fedora,
// Alpine, Arch Linux, Amazon Linux, Remi's repository, and docker-library/php.

#include "check/fixes/php_module_order.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"

namespace cudald {
namespace {

/// "redis" of redis.so and "/usr/lib64/php/modules/redis.so".
std::string module_name(std::string_view path) {
  auto name = std::string(file_name(path));
  if (name.ends_with(".so")) name.resize(name.size() - 3);
  return name;
}

/// The modules that a file of settings names, in order.
std::vector<std::string> modules_in(const std::string& path, const FileSystem& files) {
  constexpr std::uint64_t most_text = 1 << 16;
  constexpr std::string_view key = "extension", around = " \t\r\"'";
  std::vector<std::string> names;
  const auto text = read_file(files, path, most_text);
  if (!text) return names;
  for (const auto line : split(*text, "\n")) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto trimmed = [&](std::string_view part) {
      const auto begin = part.find_first_not_of(around);
      return begin == part.npos ? part.substr(0, 0) : part.substr(begin, part.find_last_not_of(around) + 1 - begin);
    };
    const auto value = line.substr(equals + 1);
    if (trimmed(line.substr(0, equals)) == key) names.push_back(module_name(trimmed(value.substr(0, value.find(';')))));
  }
  return names;
}

/// The directories of settings that a system may have, one for each way in which PHP is started.
std::vector<std::string> settings_folders(ImageStore& images) {
  constexpr std::size_t most = 40;
  std::vector<std::string> folders{"/usr/local/etc/php/conf.d", "/etc/php.d", "/etc/php/conf.d"};
  for (const auto& entry : images.list("/etc"))
    if (entry.starts_with("php") && folders.size() < most) {
      if (entry.ends_with(".d")) folders.push_back("/etc/" + entry);
      folders.push_back("/etc/" + entry + "/conf.d");
    }
  for (const auto& release : images.list("/etc/php"))
    for (const auto* started : {"cli", "fpm", "apache2", "cgi", "embed"})
      folders.push_back(fmt::format("/etc/php/{}/{}/conf.d", release, started));
  for (const auto& release : images.list("/etc/opt/remi")) folders.push_back("/etc/opt/remi/" + release + "/php.d");
  std::vector<std::string> known;
  for (auto& folder : folders)
    if (images.folder_exists(folder) && std::find(known.begin(), known.end(), folder) == known.end())
      known.push_back(std::move(folder));
  return known;
}

/// The first file of a directory that names a module; empty if none does.
std::string file_naming(const std::string& module, const std::string& folder, ImageStore& images) {
  auto entries = images.list(folder);
  std::sort(entries.begin(), entries.end());
  for (const auto& entry : entries) {
    if (!entry.ends_with(".ini")) continue;
    const auto names = modules_in(folder + "/" + entry, images.files());
    if (std::find(names.begin(), names.end(), module) != names.end()) return entry;
  }
  return "";
}

}  // namespace

std::string php_module_behind(const std::string& module, ImageStore& images) {
  const auto name = module_name(module);
  const SystemPackages system(images);
  std::string commands;
  for (const auto& folder : settings_folders(images)) {
    const auto entry = file_naming(name, folder, images);
    if (entry.empty() || entry.starts_with("zz")) continue;
    commands +=
        (commands.empty() ? "" : "\n") + system.as_root(fmt::format("mv {} {}", shell_word(folder + "/" + entry),
                                                                    shell_word(folder + "/zz-" + name + ".ini")));
  }
  return commands;
}

std::optional<Fix> earlier_php_module(const std::string& first, const std::string& second, ImageStore& images) {
  const auto wanted = module_name(first), user = module_name(second);
  const SystemPackages system(images);
  std::string commands;
  bool enabled = false;
  for (const auto& folder : settings_folders(images)) {
    const auto of_user = file_naming(user, folder, images);
    if (of_user.empty()) continue;
    const auto of_wanted = file_naming(wanted, folder, images);
    if (!of_wanted.empty() && of_wanted <= of_user) continue;
    enabled |= !of_wanted.empty();
    // Digits come before all letters, and "zz" behind "docker-php-ext".
    commands += commands.empty() ? "" : "\n";
    if (of_wanted.empty())
      commands += fmt::format("echo {} | {}", shell_word("extension=" + wanted),
                              system.as_root("tee " + shell_word(folder + "/00-" + wanted + ".ini")));
    else
      commands += system.as_root(
          fmt::format("mv {} {}", shell_word(folder + "/" + of_user), shell_word(folder + "/zz-" + user + ".ini")));
  }
  if (commands.empty()) return std::nullopt;
  return Fix{enabled ? fmt::format("let PHP read the settings of {} after those of {}", user, wanted)
                     : fmt::format("let PHP load {} first: no file of settings names it", wanted),
             std::move(commands), "PHP reads such files in the order of their names"};
}

}  // namespace cudald
