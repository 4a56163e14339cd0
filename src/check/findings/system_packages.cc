// Which package manager a tree has, and how it names the package of a library.
// Sources: os-release(5), ID and ID_LIKE; the capabilities of RPM, "libX.so.1()(64bit)"; those of apk, "so:libX.so.1";
// containers by the marks of Docker (/.dockerenv) and Podman (/run/.containerenv). Records of packages: pacman(8),
// apk(8), xbps-install(1), xbps-query(1), FILES; portage(5), /var/db/pkg; dpkg(1), FILES. emerge(1): a package by one
// of its files; Void Handbook, Package Manager, Updating: all packages together. opkg(1): /usr/lib/opkg/info, search.

#include "check/findings/system_packages.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/apk_records.h"
#include "check/findings/apt_sources.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = 1 << 16;

/// What os-release says: " debian " of ID=debian with what ID_LIKE adds, and VERSION_ID.
struct SystemName {
  std::string words = " ", version, own, platform;
  std::string base;  ///< the release of Ubuntu or Debian that it is made of; empty if it does not say
  bool of_ubuntu = false, distroless = false;
};

/// "24.04" of noble; empty for a name that is not known. Source: Ubuntu, Releases; Debian, Releases.
std::string release_called(std::string_view codename) {
  constexpr std::pair<std::string_view, std::string_view> releases[] = {
      {"xenial", "16.04"}, {"bionic", "18.04"},   {"focal", "20.04"},  {"jammy", "22.04"},
      {"noble", "24.04"},  {"oracular", "24.10"}, {"plucky", "25.04"}, {"questing", "25.10"},
      {"buster", "10"},    {"bullseye", "11"},    {"bookworm", "12"},  {"trixie", "13"}};
  for (const auto& [name, number] : releases)
    if (name == codename) return std::string(number);
  return "";
}

void add_value(std::string_view key, const std::string& value, SystemName& name) {
  if (key == "VERSION_ID=") name.version = value;
  if (key == "PLATFORM_ID=") name.platform = value;
  if (key == "UBUNTU_CODENAME=") name.of_ubuntu = true;
  // Source: github.com/GoogleContainerTools/distroless, base/distro.bzl.
  if (key == "PRETTY_NAME=") name.distroless = value == "Distroless";
  if (key.ends_with("CODENAME=")) name.base = release_called(value);
  if (key == "ID=") name.own = value;
  if (key == "ID=" || key == "ID_LIKE=") name.words += value + " ";
}

SystemName system_name(const FileSystem& files) {
  SystemName name;
  for (const auto* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = read_file(files, path, most_text);
    if (!text) continue;
    for (const auto line : split(*text, "\n"))
      for (const std::string_view key :
           {"ID=", "ID_LIKE=", "VERSION_ID=", "UBUNTU_CODENAME=", "DEBIAN_CODENAME=", "PLATFORM_ID=", "PRETTY_NAME="})
        if (line.starts_with(key)) {
          std::string value(line.substr(key.size()));
          std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == '\r'; });
          add_value(key, value, name);
        }
    // Of a distribution that is made of another's packages, as Linux Mint, that one's release counts.
    if (!name.base.empty()) name.version = name.base;
    return name;
  }
  return name;
}

/// What a distribution is made of. Rebuilds of Red Hat's name the platform: "platform:el9". Source: os-release(5);
/// Fedora, modularity, PLATFORM_ID.
std::optional<SystemPackages::Archive> archive_of(const SystemName& name) {
  constexpr std::string_view enterprise = "platform:el";
  if (name.platform.starts_with(enterprise))
    return SystemPackages::Archive{"rhel", "Red Hat Enterprise Linux", name.platform.substr(enterprise.size())};
  if (name.version.empty()) return std::nullopt;
  if (name.own == "ubuntu" || (name.of_ubuntu && !name.base.empty()))
    return SystemPackages::Archive{"ubuntu", "Ubuntu", name.version};
  if (name.own == "debian" || !name.base.empty()) return SystemPackages::Archive{"debian", "Debian", name.version};
  // Its packages are those of Debian, built for older processors. Source: Raspbian, FAQ, "What is Raspbian?".
  if (name.own == "raspbian") return SystemPackages::Archive{"debian", "Raspbian", name.version};
  // The releases before Amazon Linux 2 were called 2018.03.
  if (name.own == "amzn" && name.version.find('.') == std::string::npos)
    return SystemPackages::Archive{"amzn", "Amazon Linux", name.version};
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"rhel", "Red Hat Enterprise Linux"}, {"centos", "CentOS"}, {"fedora", "Fedora"}, {"alpine", "Alpine"}};
  for (const auto& [id, title] : others)
    if (name.own == id)
      return SystemPackages::Archive{std::string(id == "centos" ? "rhel" : id), std::string(title), name.version};
  return std::nullopt;
}

/// What installs packages of RPM: what the tree has, else that of the release. Minimal images have microdnf alone, and
/// Red Hat 7 and Amazon Linux 2 know no dnf. Sources: Red Hat, "What's in RHEL 8: YUM v4"; Universal Base Images,
/// ubi-minimal; Amazon, "Comparing AL2 and AL2023"; Azure Linux, tdnf; rpm-ostree(1), install and upgrade.
std::string rpm_tool_of(const FileSystem& files, const std::string& words, const std::string& version) {
  constexpr int first_with_dnf = 8;
  // The tree of such a system is read-only, and dnf refuses to change it.
  if (is_file(files, "/run/ostree-booted") ||
      (files.status("/sysroot/ostree") && is_file(files, "/usr/bin/rpm-ostree")))
    return "rpm-ostree";
  for (const std::string name : {"dnf", "dnf5", "yum", "microdnf", "tdnf"})
    if (is_file(files, "/usr/bin/" + name)) return name;
  const bool of_amazon = words.find(" amzn ") != std::string::npos;
  const bool of_red_hat = words.find(" rhel ") != std::string::npos || words.find(" centos ") != std::string::npos;
  const bool old = of_amazon ? version == "2" || version.starts_with("201")
                             : of_red_hat && !version.empty() && std::atoi(version.c_str()) < first_with_dnf;
  return old ? "yum" : "dnf";
}

/// Where the mark of a renamed copy lies: auditwheel puts "-" and eight or more hexadecimal digits before ".so".
/// Source: auditwheel/repair.py, copylib.
std::pair<std::size_t, std::size_t> mark_of(const std::string& name) {
  constexpr std::size_t least_digits = 8;
  const auto end = std::min(name.find(".so"), name.find('.'));
  if (end == std::string::npos) return {0, 0};
  const auto dash = name.rfind('-', end);
  if (dash == std::string::npos || end - dash - 1 < least_digits) return {0, 0};
  const auto digits = std::string_view(name).substr(dash + 1, end - dash - 1);
  const bool hexadecimal = digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return hexadecimal ? std::pair(dash, end - dash) : std::pair<std::size_t, std::size_t>{0, 0};
}

}  // namespace

SystemPackages::SystemPackages(ImageStore& images) : images_(images) {
  const auto& files = images.files();
  auto name = system_name(files);
  archive_ = archive_of(name);
  distroless_ = name.distroless;
  words_ = std::move(name.words);
  version_ = std::move(name.version);
  kind_ = is("debian") || is("ubuntu")                          ? Kind::debian
          : is("fedora") || is("rhel") || is("centos")          ? Kind::fedora
          : is("suse") || is("opensuse") || is("opensuse-leap") ? Kind::suse
          : is("arch")                                          ? Kind::arch
          : is("alpine")                                        ? Kind::alpine
          : is("nixos")                                         ? Kind::nix
          : is("void")                                          ? Kind::xbps
          : is("gentoo")                                        ? Kind::portage
          : is("openwrt")                                       ? Kind::opkg
                                                                : Kind::unknown;
  // Its newer releases have apk.
  if (kind_ == Kind::opkg && images.folder_exists("/lib/apk/db")) kind_ = Kind::alpine;
  if (kind_ == Kind::unknown) look_at_records();
  rpm_tool_ = rpm_tool_of(files, words_, version_);
  container_ = is_file(files, "/.dockerenv") || is_file(files, "/run/.containerenv");
  lacks_sudo_ = is_file(files, "/bin/sh") && !is_file(files, "/usr/bin/sudo") && !is_file(files, "/bin/sudo") &&
                !is_file(files, "/usr/local/bin/sudo");
}

/// Many distributions do not say which one they are like (Artix, Wolfi, openEuler): what installs packages there has
/// left its records. RPM has none of its own for dnf and zypper, whose programs are looked for.
void SystemPackages::look_at_records() {
  struct Record {
    const char* path;
    Kind kind;
    const char* word;
  };
  constexpr Record records[] = {
      {"/var/lib/pacman/local", Kind::arch, "arch"}, {"/lib/apk/db", Kind::alpine, "alpine"},
      {"/usr/lib/apk/db", Kind::alpine, "alpine"},   {"/var/db/xbps", Kind::xbps, "void"},
      {"/var/db/pkg", Kind::portage, "gentoo"},      {"/usr/bin/zypper", Kind::suse, "suse"},
      {"/usr/bin/dnf", Kind::fedora, "fedora"},      {"/usr/bin/tdnf", Kind::fedora, "tdnf"},
      {"/usr/lib/opkg/info", Kind::opkg, "opkg"},    {"/var/lib/dpkg/status", Kind::debian, "debian"}};
  for (const auto& [path, kind, word] : records) {
    if (!images_.folder_exists(path) && !is_file(images_.files(), path)) continue;
    kind_ = kind;
    words_ += std::string(word) + " ";
    // Its releases are not those of the other one.
    version_.clear();
    return;
  }
}

namespace {

/// "12" of "Debian 12 (main)"; 0 of any other archive.
int release_of(const SystemPackage& package) {
  constexpr std::string_view debian = "Debian ";
  return package.system.starts_with(debian) ? std::atoi(package.system.c_str() + debian.size()) : 0;
}

}  // namespace

// Of Ubuntu, /etc/debian_version names the Debian that was made at the time: 22.04 bookworm, 24.04 trixie.
std::string SystemPackages::mirror() const {
  if (!archive_) return "";
  for (const auto& source : apt_sources(images_.files())) {
    const auto& parts = source.components;
    const bool has_release = std::any_of(source.suites.begin(), source.suites.end(), [&](const std::string& suite) {
      return release_called(suite) == archive_->release;
    });
    if (has_release && std::find(parts.begin(), parts.end(), "main") != parts.end()) return source.address;
  }
  return "";
}

std::vector<SystemPackage> SystemPackages::of_this_release(std::vector<SystemPackage> packages) const {
  const bool ubuntu = is("ubuntu");
  const auto number = std::atoi(version_.c_str());
  std::set<int> known;
  for (const auto& each : packages) known.insert(release_of(each));
  known.erase(0);
  if (kind_ != Kind::debian || number == 0 || known.empty()) return packages;
  const int own = ubuntu ? number / 2 + 1 : number;
  // Of these releases the table has all packages: what another one has is not to be had here.
  constexpr int first_covered = 12, last_covered = 13;
  if (!ubuntu && own >= first_covered && own <= last_covered && !known.contains(own)) {
    std::erase_if(packages, [](const SystemPackage& each) { return release_of(each) != 0; });
    return packages;
  }
  const int release = std::clamp(own, *known.begin(), *known.rbegin());
  std::erase_if(packages,
                [&](const SystemPackage& each) { return release_of(each) != 0 && release_of(each) != release; });
  for (auto& each : packages) {
    if (release_of(each) == 0 || (!ubuntu && own == release)) continue;
    each.likely = true;
    if (ubuntu) each.system = "Ubuntu";
  }
  return packages;
}

namespace {

/// A regular expression that fits this text alone; a dot is left as it is, so that names stay readable.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("\\^$|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Fix search_fix(std::string command, std::string needs) {
  Fix fix{"search for the package that provides it", std::move(command), std::move(needs)};
  fix.only_searches = true;
  return fix;
}

}  // namespace

// Images of containers come without the lists, to be small: apt then knows of no package. Sources: apt-get(8),
// "update"; apk(8), "--no-cache"; pacman(8), "--refresh".
bool SystemPackages::lacks_package_lists() const {
  const auto has = [&](const char* folder, std::string_view part) {
    const auto& entries = images_.list(folder);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const std::string& entry) { return entry.find(part) != std::string::npos; });
  };
  if (kind_ == Kind::debian)
    return (container_ || images_.folder_exists("/var/lib/apt/lists")) && !has("/var/lib/apt/lists", "_Packages");
  if (kind_ == Kind::alpine) return container_ && !has("/var/cache/apk", "APKINDEX");
  return kind_ == Kind::arch && container_ && !has("/var/lib/pacman/sync", ".db");
}

std::string SystemPackages::apt_install(const std::string& words) const {
  return (lacks_package_lists() ? as_root("apt update") + " && " : "") + as_root("apt install " + words);
}

std::string SystemPackages::change_rpms(const std::string& words) const {
  return rpm(rpm_tool_ == "rpm-ostree" ? "upgrade" : words);
}

// Source: Valve, Steam Deck Desktop FAQ: /usr is read-only, and what is installed there goes with the next update.
std::string SystemPackages::pacman(const std::string& words) const {
  return (is("steamos") ? as_root("steamos-readonly disable") + " && " : "") + as_root("pacman " + words);
}

std::string SystemPackages::apk_add(const std::string& words) const {
  return as_root(lacks_package_lists() ? "apk add --no-cache " : "apk add ") + words;
}

Fix SystemPackages::installation_of(const SystemPackage& package) const {
  constexpr std::string_view apt = "apt install ";
  return {fmt::format("{}{} provides it", package.likely ? "likely " : "a package of ", package.system),
          package.command.starts_with(apt) ? apt_install(package.command.substr(apt.size())) : package.command, ""};
}

// Red Hat's rebuilds have a package that enables EPEL. CRB has what packages of EPEL need; crb comes with epel-release,
// and knows what CRB is called in release 8. Amazon Linux is like these systems, and EPEL is not made for it. Source:
// Fedora, EPEL, Getting started, "CentOS Stream", "RHEL-compatible distributions".
std::string SystemPackages::more_of_red_hat() const {
  if (!is("centos") || is("amzn") || rpm_tool_ != "dnf") return "";
  const auto& repositories = images_.list("/etc/yum.repos.d");
  const auto is_of_epel = [](const std::string& name) { return name.starts_with("epel"); };
  if (std::any_of(repositories.begin(), repositories.end(), is_of_epel)) return "";
  return fmt::format("; if dnf finds none, enable EPEL first, which has many more: {} && {}",
                     rpm("install epel-release"), as_root("crb enable"));
}

Fix SystemPackages::provider_of(const std::string& library, bool wide, bool of_python) const {
  if (library.find('/') != std::string::npos)
    return {fmt::format("put a library at this path, or correct the path: only {} itself is tried", library), "", ""};
  if (is_renamed_copy(library) && of_python)
    return {"it is a renamed copy that belongs to a Python package: install that package again", "", ""};
  if (is_renamed_copy(library))
    return {
        "its name has a hash, which no package of the system has: it comes with the build of what needs it; "
        "install that again, as a whole",
        "", ""};
  if (library.starts_with('-')) return {"install the system's package that provides it", "", ""};  // an option to them
  const auto capability = library + (wide ? "()(64bit)" : "");
  switch (kind_) {
    case Kind::debian:
      return search_fix("apt-file search --regexp " + shell_word("/" + pattern_of(library) + "$"),
                        "needs: " + apt_install("apt-file") + " && " + as_root("apt-file update"));
    case Kind::fedora:
      // tdnf installs packages by their names alone.
      if (rpm_tool_ == "tdnf") return search_fix("tdnf repoquery --whatprovides " + shell_word(capability), "");
      return {"install the package that provides it" + more_of_red_hat(), rpm("install " + shell_word(capability)), ""};
    case Kind::suse:
      return {"install the package that provides it", as_root("zypper install " + shell_word(capability)), ""};
    case Kind::arch:
    case Kind::xbps: return found_package(library, wide);
    case Kind::alpine:
      if (library.starts_with("ld-linux"))
        return {"install the layer that runs simple programs for glibc on musl", apk_add("gcompat"), ""};
      return {"install the package that provides it", apk_add(shell_word("so:" + library)), ""};
    case Kind::nix: return search_fix("nix-locate --top-level lib/" + shell_word(library), "needs nix-index");
    case Kind::portage:
      return search_fix("e-file " + shell_word(library), "needs: " + as_root("emerge app-portage/pfl"));
    case Kind::opkg:
      return search_fix("opkg update && opkg list " + shell_word(library.substr(0, library.find(".so")) + "*"), "");
    case Kind::unknown: break;
  }
  return {"install the system's package that provides it", "", ""};
}

Fix SystemPackages::found_package(const std::string& library, bool wide) const {
  Fix fix{"search for the package that provides it, and install that", "", "if the lists of packages have one"};
  fix.only_searches = true;
  if (kind_ == Kind::arch)
    fix.command = fmt::format(
        "{} && {}", as_root("pacman -Fy"),
        pacman(fmt::format("-S $(pacman -Fq {})", shell_word((wide ? "/usr/lib/" : "/usr/lib32/") + library))));
  else if (kind_ == Kind::xbps)
    fix.command =
        as_root(fmt::format("xbps-install -S $(xbps-query -Ro {} | cut -d: -f1)", shell_word("*/" + library)));
  return fix;
}

std::string SystemPackages::install(const std::string& packages) const {
  std::string word;
  for (const auto name : split(packages, " ")) word += (word.empty() ? "" : " ") + shell_word(std::string(name));
  switch (kind_) {
    case Kind::debian: return apt_install(word);
    case Kind::fedora: return rpm("install " + word);
    case Kind::suse: return as_root("zypper install " + word);
    case Kind::arch: return pacman((lacks_package_lists() ? "-Syu " : "-S ") + word);
    case Kind::alpine: return apk_add(word);
    case Kind::xbps: return as_root("xbps-install -S " + word);
    case Kind::portage: return as_root("emerge " + word);
    case Kind::opkg: return "opkg update && opkg install " + word;
    default: return "";
  }
}

// Sources: Debian wiki, Multiarch/HOWTO; dpkg(1), --add-architecture; /var/lib/dpkg/arch has a line for each.
std::string SystemPackages::foreign_architecture(const Image& image) const {
  if (kind_ != Kind::debian || image.format != Format::elf32) return "";
  const auto has = [&](const char* loader) { return is_file(images_.files(), loader); };
  if (image.machine == EM_386 && has("/lib64/ld-linux-x86-64.so.2")) return "i386";
  return image.machine == EM_ARM && has("/lib/ld-linux-aarch64.so.1") ? "armhf" : "";
}

std::string SystemPackages::install_foreign(const std::string& package, const std::string& architecture) const {
  const auto known = read_file(images_.files(), "/var/lib/dpkg/arch", most_text);
  const auto install = as_root("apt install " + shell_word(package + ":" + architecture));
  if (known && has_line(*known, architecture)) return install;
  return as_root("dpkg --add-architecture " + architecture) + " && " + as_root("apt update") + " && " + install;
}

// Sources: Fedora Workstation, Toolbx, which is made of Podman; podman-run(1), --security-opt label=disable.
std::string SystemPackages::container_run() const {
  const bool podman = archive_ && archive_->id == "fedora" && !is_file(images_.files(), "/usr/bin/docker");
  return podman ? "podman run --rm -it --security-opt label=disable" : "docker run --rm -it";
}

namespace {

/// "perl-dbi" of "perl-dbi - 1.643-2". Source: opkg(1), search.
std::string opkg_owner(const std::string& file) { return fmt::format("$(opkg search {} | cut -d ' ' -f 1)", file); }

}  // namespace

std::string SystemPackages::again(const std::string& path) const {
  const auto file = shell_word(path);
  switch (kind_) {
    case Kind::debian: return apt_install(fmt::format("--reinstall $(dpkg -S {} | cut -d: -f1)", file));
    case Kind::fedora: return change_rpms(fmt::format("reinstall $(rpm -qf {})", file));
    case Kind::suse: return as_root(fmt::format("zypper install --force $(rpm -qf {})", file));
    case Kind::arch: return pacman(fmt::format("-S $(pacman -Qqo {})", file));
    case Kind::alpine: return as_root(fmt::format("apk fix $(apk info -qW {})", file));
    case Kind::xbps: return as_root(fmt::format("xbps-install -Sf $(xbps-query -o {} | cut -d: -f1)", file));
    case Kind::portage: return as_root(fmt::format("emerge --oneshot {}", file));
    case Kind::opkg: return "opkg update && opkg install --force-reinstall " + opkg_owner(file);
    default: return "";
  }
}

std::string SystemPackages::install_again(const std::string& package) const {
  const auto name = shell_word(package);
  switch (kind_) {
    case Kind::debian: return apt_install("--reinstall " + name);
    case Kind::arch: return pacman("-S " + name);
    case Kind::alpine: return as_root("apk fix " + name);
    case Kind::xbps: return as_root("xbps-install -Sf " + name);
    default: return "";
  }
}

std::string SystemPackages::upgrade_of_all() const {
  if (kind_ == Kind::arch) return as_root("pacman -Syu");
  return kind_ == Kind::xbps ? as_root("xbps-install -Su") : "";
}

std::string SystemPackages::upgrade_of(const std::string& path) const {
  const auto file = shell_word(path);
  switch (kind_) {
    case Kind::debian:
      return as_root("apt update") + " && " +
             as_root(fmt::format("apt install --only-upgrade $(dpkg -S {} | cut -d: -f1)", file));
    case Kind::fedora: return change_rpms(fmt::format("upgrade $(rpm -qf --qf '%{{NAME}}' {})", file));
    case Kind::suse: return as_root(fmt::format("zypper update $(rpm -qf --qf '%{{NAME}}' {})", file));
    case Kind::arch:
    case Kind::xbps: return upgrade_of_all();
    case Kind::portage: return as_root(fmt::format("emerge --update --oneshot {}", file));
    case Kind::alpine: return as_root(fmt::format("apk upgrade $(apk info -qW {})", file));
    case Kind::opkg: return "opkg update && opkg upgrade " + opkg_owner(file);
    default: return "";
  }
}

std::string SystemPackages::upgrade_of(const std::string& path, const std::string& other) const {
  const auto files = shell_word(path) + " " + shell_word(other);
  switch (kind_) {
    case Kind::debian:
      return as_root("apt update") + " && " +
             as_root(fmt::format("apt install --only-upgrade $(dpkg -S {} | cut -d: -f1)", files));
    case Kind::fedora: return change_rpms(fmt::format("upgrade $(rpm -qf --qf '%{{NAME}} ' {})", files));
    case Kind::suse: return as_root(fmt::format("zypper update $(rpm -qf --qf '%{{NAME}} ' {})", files));
    case Kind::portage: return as_root(fmt::format("emerge --update --oneshot {}", files));
    case Kind::alpine: return as_root(fmt::format("apk upgrade $(apk info -qW {})", files));
    case Kind::opkg:
      return fmt::format("opkg update && opkg upgrade {} {}", opkg_owner(shell_word(path)),
                         opkg_owner(shell_word(other)));
    default: return upgrade_of(path);
  }
}

namespace {

/// The package of a file.
std::optional<ApkFile> apk_owner(const FileSystem& files, const std::string& path) {
  std::optional<ApkFile> owner;
  visit_apk_files(files, [&](const ApkFile& file) {
    if (file.path == path) owner = file;
    return owner.has_value();
  });
  return owner;
}

/// Where the release is in a name: 11 in libpq-11, 13 in postgresql-13-client. Length 0: nowhere.
std::pair<std::size_t, std::size_t> release_in(const std::string& name) {
  for (auto dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    const auto end = std::min(name.find_first_not_of("0123456789.", dash + 1), name.size());
    if (end > dash + 1 && (end == name.size() || name[end] == '-')) return {dash + 1, end - dash - 1};
  }
  return {0, 0};
}

std::string without_release(std::string name) {
  const auto [at, length] = release_in(name);
  return name.erase(at, length);
}

}  // namespace

std::string SystemPackages::in_release_of(const std::string& user, const std::string& library) const {
  if (kind_ != Kind::alpine) return "";
  const auto owner_of = [&](const std::string& path) {
    const auto owner = apk_owner(images_.files(), path);
    const auto real = owner ? Result<std::string>(Error{}) : images_.files().real_path(path);
    return owner || !real || *real == path ? owner : apk_owner(images_.files(), *real);
  };
  const auto own = owner_of(library), other = owner_of(user);
  if (!own || !other || without_release(own->origin) != without_release(other->origin)) return "";
  const auto [at, length] = release_in(own->package);
  const auto [from, count] = release_in(other->package);
  auto name = own->package;
  if (length == 0 || count == 0 || name.replace(at, length, other->package, from, count) == own->package) return "";
  return name;
}

// Source: dpkg-query(1), --search: /var/lib/dpkg/info/PACKAGE.list has the paths of its files, one a line.
bool SystemPackages::owns_in_opt(const std::string& path) const {
  constexpr std::uint64_t most_list = 1 << 22, most_all = 1 << 26;
  if (kind_ != Kind::debian || !path.starts_with("/opt/")) return false;
  const std::string database = "/var/lib/dpkg/info";
  std::uint64_t bytes = 0;
  for (const auto& entry : images_.list(database)) {
    if (!entry.ends_with(".list") || bytes > most_all) continue;
    const auto list = read_file(images_.files(), database + "/" + entry, most_list);
    if (!list) continue;
    bytes += list->size();
    if (has_line(*list, path)) return true;
  }
  return false;
}

bool SystemPackages::is_wsl() const {
  const auto version = read_file(images_.files(), "/proc/version", most_text);
  return images_.folder_exists("/usr/lib/wsl") || (version && version->find("icrosoft") != std::string::npos);
}

std::optional<bool> SystemPackages::has_nvidia_device() const {
  const std::string bus = "/sys/bus/pci/devices";
  if (!images_.folder_exists(bus)) return std::nullopt;
  for (const auto& device : images_.list(bus))
    if (const auto vendor = read_file(images_.files(), bus + "/" + device + "/vendor", most_text);
        vendor && vendor->starts_with("0x10de"))
      return true;
  return false;
}

// Ubuntu has no package nvidia-driver, only those of its series, nvidia-driver-570. Source: Ubuntu, NVIDIA drivers
// installation; packages.ubuntu.com, source ubuntu-drivers-common.
std::string SystemPackages::driver_install() const {
  switch (kind_) {
    case Kind::debian:
      if (archive_ && archive_->id == "ubuntu")
        return apt_install("ubuntu-drivers-common") + " && " + as_root("ubuntu-drivers install");
      return apt_install("nvidia-driver");
    case Kind::fedora: return rpm("install akmod-nvidia");
    case Kind::arch: return pacman("-S nvidia");
    default: return "";
  }
}

bool is_of_musl(const std::string& library) {
  const auto name = file_name(library);
  return name.starts_with("libc.musl-") || name.starts_with("ld-musl-");
}

bool is_renamed_copy(const std::string& file_name) { return mark_of(file_name).second != 0; }

std::string original_name(const std::string& file_name) {
  const auto [at, length] = mark_of(file_name);
  auto name = file_name;
  return length == 0 ? name : name.erase(at, length);
}

}  // namespace cudald
