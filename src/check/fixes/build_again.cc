// Sources: Writing R Extensions, "Package structure" (libs); node-gyp, README ("build/Release"); pip, "Caching", "Wheel
// cache"; gem help pristine; perldoc XSLoader; binary distribution format, "Platform tag".

#include "check/fixes/build_again.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "check/findings/pacman_packages.h"
#include "check/findings/system_packages.h"
#include "check/fixes/installer.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/framework_builds.h"
#include "knowledge/frameworks.h"
#include "knowledge/linux_names.h"
#include "package/dist_info.h"
#include "package/npm_package.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = 1 << 16;

Fix compile(const std::string& what, std::string command) {
  return {fmt::format("compile {} again, with what this system has now", what), std::move(command), ""};
}

/// library/NAME/libs/NAME.so. Packages of Bioconductor say so in their DESCRIPTION.
std::optional<Fix> of_r(const std::string& path, const FileSystem& files) {
  const auto libs = parent_path(path), package = parent_path(libs);
  const std::string name(file_name(package));
  if (file_name(libs) != "libs" || file_name(path) != name + ".so") return std::nullopt;
  const auto description = read_file(files, std::string(package) + "/DESCRIPTION", most_text);
  if (!description) return std::nullopt;
  const bool of_bioconductor = ("\n" + *description).find("\nbiocViews:") != std::string::npos;
  const auto call = of_bioconductor ? fmt::format("BiocManager::install(\"{}\", force = TRUE)", name)
                                    : fmt::format("install.packages(\"{}\")", name);
  return compile("the R package " + name, "Rscript -e " + shell_word(call));
}

/// A gem by a file of it.
struct Gem {
  std::string name, version;
  std::string home;  ///< what holds gems/NAME-VERSION; empty if the layout does not say
};

/// HOME/gems/NAME-VERSION/...so, the copy in HOME/extensions/PLATFORM/API/NAME-VERSION/, or that of Fedora, which keeps
/// what is compiled apart: /usr/local/lib64/gems/ruby/NAME-VERSION/. Source: Fedora, rubygems, operating_system.rb.
std::optional<Gem> gem_of(std::string_view path) {
  for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder)) {
    const auto above = parent_path(folder), second = parent_path(above), third = parent_path(second);
    const bool of_fedora = file_name(above) == "ruby" && file_name(second) == "gems";
    if (file_name(above) != "gems" && file_name(third) != "extensions" && !of_fedora) continue;
    const std::string gem(file_name(folder));
    const auto dash = gem.rfind('-');
    if (dash == std::string::npos || dash + 1 == gem.size() || gem[dash + 1] < '0' || gem[dash + 1] > '9') continue;
    const auto home = of_fedora ? std::string_view() : file_name(above) == "gems" ? second : parent_path(third);
    return Gem{gem.substr(0, dash), gem.substr(dash + 1), std::string(home)};
  }
  return std::nullopt;
}

/// Whether programs of Ruby find gems in a directory by default: /usr/lib/ruby/gems/3.1.0 and what is beside
/// their own program, /var/lib/gems/3.1.0 of Debian, ~/.gem/ruby/3.1.0, ~/.local/share/gem/ruby/3.1.0.
/// Source: RubyGems, Gem.default_dir and Gem.user_dir; Debian, ruby-rubygems, operating_system.rb.
bool is_usual_gem_home(std::string_view home) {
  constexpr std::string_view parts[] = {"/lib/ruby/gems/", "/lib64/ruby/gems/",       "/var/lib/gems/",
                                        "/.gem/ruby/",     "/.local/share/gem/ruby/", "/usr/local/share/gems"};
  return home.empty() || std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
           return (std::string(home) + "/").find(part) != std::string::npos;
         });
}

/// The program `gem` of the Ruby to which a gem's directory belongs, with what tells it where that is.
std::string gem_program(const std::string& home, const FileSystem& files) {
  constexpr std::string_view below = "/lib/ruby/gems/", of_rvm = "/rvm/gems/", hidden = "/.rvm/gems/";
  const auto at = home.find(below);
  if (const auto own = at == std::string::npos ? "" : home.substr(0, at) + "/bin/gem";
      !own.empty() && !own.starts_with("/usr/bin/") && is_file(files, own))
    return shell_word(own);
  for (const auto part : {of_rvm, hidden})
    if (const auto mark = home.find(part); mark != std::string::npos)
      return "rvm " + shell_word(home.substr(mark + part.size())) + " do gem";
  return is_usual_gem_home(home) ? "gem" : "env GEM_HOME=" + shell_word(home) + " gem";
}

/// Whether the standard library of a Ruby is there for the API that a directory of the system's gems has in its name:
/// "3.1.0" of /var/lib/gems/3.1.0. True where the name says none, or no Ruby of the system is known. Those of users may
/// be of a Ruby of their own. Source: RubyGems, Gem.ruby_api_version; RbConfig, rubylibdir.
bool has_ruby_for(const std::string& home, ImageStore& images) {
  const auto is_api = [](std::string_view name) {
    return name.ends_with(".0") && name.find_first_not_of("0123456789.") == name.npos;
  };
  const std::string api(file_name(home));
  if (!is_api(api) || !(home.starts_with("/var/lib/gems/") || home.starts_with("/usr/lib/ruby/gems/"))) return true;
  const auto& known = images.list("/usr/lib/ruby");
  const bool any = std::any_of(known.begin(), known.end(), is_api);
  return !any || std::find(known.begin(), known.end(), api) != known.end();
}

/// Compiles a gem's extension again, as root where root has installed it; of a Ruby that is gone, installs it for the
/// one that is there.
std::optional<Fix> of_ruby(const std::string& path, ImageStore& images) {
  const auto gem = gem_of(path);
  // Of a package of the system, or of a program that comes with its Ruby as a whole, which have no gem to make it of.
  if (!gem || path.starts_with("/usr/lib64/gems/") ||
      (path.starts_with("/opt/") && path.find("/vendor/bundle/") != std::string::npos))
    return std::nullopt;
  const bool gone = !has_ruby_for(gem->home, images);
  auto command = gone ? fmt::format("gem install {} --version {}", shell_word(gem->name), shell_word(gem->version))
                      : fmt::format("{} pristine {} --version {}", gem_program(gem->home, images.files()),
                                    shell_word(gem->name), shell_word(gem->version));
  const auto status = images.files().status(path);
  const bool of_user = path.starts_with("/home/") || path.starts_with("/root/");
  if (status && status->owner == 0 && !of_user) command = SystemPackages(images).as_root(command);
  if (!gone) return compile(gem->name + "-" + gem->version, std::move(command));
  return Fix{fmt::format("install {}-{} for the Ruby that is here: {} is of a Ruby that is gone", gem->name,
                         gem->version, gem->home),
             std::move(command), "and take that directory out of GEM_HOME and GEM_PATH, if they name it"};
}

/// auto/DBD/mysql/mysql.so below a directory of Perl: the module DBD::mysql, but for those that packages of the system
/// have. Source: Perl, XSLoader.
std::optional<Fix> of_perl(const std::string& path) {
  constexpr std::string_view mark = "/auto/";
  const auto at = path.rfind(mark);
  if (at == std::string::npos || path.find("perl") > at || !path.ends_with(".so") || is_system_path(path))
    return std::nullopt;
  const auto folder = parent_path(path);
  if (folder.size() <= at + mark.size() || std::string(file_name(folder)) + ".so" != file_name(path))
    return std::nullopt;
  std::string module(folder.substr(at + mark.size()));
  replace_all(module, "/", "::");
  return compile("the Perl module " + module, "cpan -f -i " + shell_word(module));
}

/// A language that a tool has compiled in the user's directory, but for the packages in it.
std::optional<Fix> of_tool(const std::string& path) {
  if (path.find("-packages/") != std::string::npos) return std::nullopt;
  const auto compiled = compiled_here(path);
  return compiled ? std::optional(compile(compiled->what, compiled->command)) : std::nullopt;
}

/// What makepkg built on this machine, as packages of the AUR are. Source: Arch wiki, Arch User Repository, "Upgrading
/// packages": after an upgrade of a library, they have to be built again.
std::optional<Fix> of_pacman(const std::string& path, ImageStore& images) {
  const auto package = foreign_package_of(path, images);
  if (!package) return std::nullopt;
  if (package->ready_made)
    return Fix{
        fmt::format("put {0} in the place of {0}-bin, which is compiled for other releases of what it needs: the "
                    "package of a repository, or else compiled here from the AUR",
                    package->name),
        rebuild_command(*package, path, images), ""};
  return Fix{fmt::format("build {} again, which is in no repository (AUR): upgrades leave it as it is", package->name),
             rebuild_command(*package, path, images), ""};
}

/// What lies in the site-packages folders of an environment.
std::vector<std::string> sites_of(const std::string& prefix, ImageStore& images) {
  std::vector<std::string> sites;
  for (const auto& entry : images.list(prefix + "/lib"))
    if (auto site = prefix + "/lib/" + entry + "/site-packages";
        entry.starts_with("python3") && images.folder_exists(site))
      sites.push_back(std::move(site));
  return sites;
}

/// Wheels that a project has in an index of its own are so tagged too, as Paddle's and PyTorch's: these bring lib*.so,
/// or name in their version what they are built with, and have no source that pip would find. Of some it is known that
/// the index has their source.
bool from_another_index(const std::string& path, const PackageName& package) {
  return setting_that_compiles(normal_distribution_name(package.name)).empty() &&
         (file_name(path).starts_with("lib") || package.version.find('+') != std::string::npos);
}

/// Whether it is compiled against a framework, which pip's isolation would hide.
bool is_compiled_against_framework(const FileSystem& files, const std::string& site, const std::string& distribution) {
  const auto metadata = installed_metadata(files, site, distribution);
  const auto is_framework = [](const std::string& line) {
    const auto requirement = parse_requirement(line);
    const auto* framework = requirement ? framework_of_distribution(requirement->name) : nullptr;
    return framework != nullptr && !framework->libraries.empty();
  };
  return metadata && std::any_of(metadata->requires_dist.begin(), metadata->requires_dist.end(), is_framework);
}

/// pip compiles the distribution anew, in the release that is installed.
std::string compiling_command(const FileSystem& files, const std::string& prefix, const std::string& site,
                              const PackageName& package) {
  const auto setting = setting_that_compiles(normal_distribution_name(package.name));
  return fmt::format("{}{}--force-reinstall --no-deps --no-cache-dir {}--no-binary {} {}",
                     setting.empty() ? "" : setting + " ",
                     install_into(files, prefix, shell_word(prefix + "/bin/python")),
                     is_compiled_against_framework(files, site, package.name) ? "--no-build-isolation " : "",
                     shell_word(package.name), shell_word(package.name + "==" + without_local(package.version)));
}

/// A module, or a program in bin, of a distribution whose tag names no manylinux.
std::optional<Fix> of_python(const std::string& path, Store& store) {
  auto& images = store.images;
  const auto& files = images.files();
  std::string prefix, site;
  PackageName package;
  if (const auto at = path.find("/site-packages/"); at != std::string::npos) {
    const auto* owner = store.installed.package_of(path);
    const auto library = path.rfind("/lib/", at);
    if (owner == nullptr || library == std::string::npos) return std::nullopt;
    site = path.substr(0, at) + "/site-packages", prefix = path.substr(0, library), package = *owner;
  } else {
    prefix = parent_path(parent_path(path));
    if (file_name(parent_path(path)) != "bin" || !is_file(files, prefix + "/pyvenv.cfg")) return std::nullopt;
    constexpr std::string_view end = ".dist-info";
    for (const auto& folder : sites_of(prefix, images))
      for (const auto& entry : images.list(folder)) {
        const auto dash = entry.find('-');
        if (!entry.ends_with(end) || dash == std::string::npos || !package.name.empty()) continue;
        const auto name = entry.substr(0, dash);
        const auto programs = programs_of_distribution(files, folder, name);
        if (std::find(programs.begin(), programs.end(), path) == programs.end()) continue;
        package = {name, entry.substr(dash + 1, entry.size() - dash - 1 - end.size())};
        site = folder;
      }
    if (package.name.empty()) return std::nullopt;
  }
  const auto tags = installed_wheel_tags(files, site, package.name);
  const bool local = !tags.empty() && std::all_of(tags.begin(), tags.end(), [](const std::string& tag) {
    return tag.find("-linux_") != std::string::npos;
  });
  if (!local || from_another_index(path, package) || !is_file(files, prefix + "/bin/python")) return std::nullopt;
  return compile(package.name, compiling_command(files, prefix, site, package));
}

}  // namespace

std::optional<Fix> add_on_again(const std::string& path, const std::string& machine, const std::string& program) {
  auto plain = path;
  replace_all(plain, "\\", "/");
  const auto package = plain.ends_with(".node") ? npm_package_of(plain) : std::nullopt;
  if (!package || !plain.starts_with(package->folder + "/build/Release/")) return std::nullopt;
  const bool of_windows = path.find('\\') != std::string::npos;
  const auto& name = package->name;
  const auto root = path.substr(0, package->root.size());  // as the system spells it
  const auto folder = of_windows ? windows_word(root) : shell_word(root);
  const auto word = of_windows ? windows_word(name) : shell_word(name);
  // Electron has a program's files in resources/app, or packed in resources/app.asar; its tools call machines so. The
  // node that npm runs in builds for its own machine.
  const bool electron = plain.find("/app.asar") != std::string::npos ||
                        plain.find("/resources/app/") != std::string::npos ||
                        program.find("electron") != std::string::npos;
  if (!electron) return compile(name, fmt::format("npm rebuild --prefix {} --build-from-source {}", folder, word));
  const std::string_view called = machine == "i386" ? "ia32" : machine == "aarch64" ? "arm64" : "x64";
  const auto arch = machine.empty() ? std::string() : fmt::format("--arch {} ", called);
  return compile(name, fmt::format("npx @electron/rebuild --force {}--module-dir {} --only {}", arch, folder, word));
}

namespace {

/// A ready-made add-on, wherever its package keeps that, is compiled here if the package has its source. Sources: npm
/// config, build-from-source; node-pre-gyp, prebuild-install and node-gyp-build, which heed it; node-gyp, binding.gyp;
/// github.com/TryGhost/node-sqlite3 issue 1690.
std::optional<Fix> of_node(const std::string& path, const FileSystem& files) {
  const auto package = path.ends_with(".node") ? npm_package_of(path) : std::nullopt;
  if (!package || !is_file(files, package->folder + "/binding.gyp")) return std::nullopt;
  return add_on_again(package->folder + "/build/Release/" + std::string(file_name(path)));
}

}  // namespace

std::optional<Fix> build_again(const std::string& path, Store& store) {
  if (store.packages.package_of(path) != nullptr || store.installed.is_of_conda(path)) return std::nullopt;
  if (auto fix = of_r(path, store.images.files())) return fix;
  if (auto fix = add_on_again(path)) return fix;
  if (auto fix = of_node(path, store.images.files())) return fix;
  if (auto fix = of_ruby(path, store.images)) return fix;
  if (auto fix = of_perl(path)) return fix;
  if (auto fix = of_python(path, store)) return fix;
  if (auto fix = of_pacman(path, store.images)) return fix;
  return of_tool(path);
}

}  // namespace cudald
