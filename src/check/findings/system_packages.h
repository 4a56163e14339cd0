#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/finding.h>

#include "binary/image_store.h"
#include "knowledge/providers.h"

namespace cudald {

/// The system that a tree holds, as far as its files say: what installs packages there, and on what kind of machine.
class SystemPackages {
 public:
  explicit SystemPackages(ImageStore&);

  /// What installs or finds the package that provides a library; `wide`: it is one of 64 bits. For a name that no
  /// package can provide by its search (with a slash, of a renamed copy) only a title.
  Fix provider_of(const std::string& library, bool wide, bool of_python) const;
  /// Where what installs packages also knows the files of those that are not installed, on Arch Linux and Void, the
  /// command that finds and installs the package of a library; elsewhere without a command.
  Fix found_package(const std::string& library, bool wide) const;
  /// Whether os-release calls the system so, or one that it is like: "debian".
  bool is(std::string_view word) const { return words_.find(" " + std::string(word) + " ") != std::string::npos; }
  bool is_known() const { return kind_ != Kind::unknown; }
  /// Whose packages they are, and of which release; nullopt where os-release does not say so, as of a distribution
  /// that is like another one and does not name the release that it is made of.
  struct Archive {
    std::string id;       ///< "ubuntu" of Linux Mint, "rhel" of Rocky Linux
    std::string name;     ///< "Ubuntu"
    std::string release;  ///< "22.04"
  };
  const std::optional<Archive>& archive() const { return archive_; }
  /// From where the tree takes the packages of this release of Debian or Ubuntu: a mirror near by, or the host for its
  /// machine. Empty where no list says so.
  std::string mirror() const;
  /// Of packages of Debian, those of the release that the tree has, or whose names a release of Ubuntu shares; all
  /// where the release is not known.
  std::vector<SystemPackage> of_this_release(std::vector<SystemPackage>) const;
  /// What installs a package that is known to have a library.
  Fix installation_of(const SystemPackage&) const;
  /// What installs packages by their names, between which are blanks; empty if that is not known of the system.
  std::string install(const std::string& packages) const;
  /// What Debian calls the machine of a file, where that is not the one which the system is made for: "armhf" of a
  /// program of 32 bits beside 64. Empty for any other, and on a system of other packages.
  std::string foreign_architecture(const Image&) const;
  /// What installs a package for such a machine beside those of the system.
  std::string install_foreign(const std::string& package, const std::string& architecture) const;
  /// Whether the tree is an image that has a C library and hardly more: no shell, and nothing that installs packages.
  bool is_distroless() const { return distroless_; }
  /// What installs the package of a file again, in the release that the system has now; empty if that is not known.
  std::string again(const std::string& path) const;
  /// The same of a package by its name.
  std::string install_again(const std::string& package) const;
  /// What brings the package of a file to the newest release that the system has; empty if that is not known.
  std::string upgrade_of(const std::string& path) const;
  /// The same of the packages of two files, one of which is of an earlier release than the other.
  std::string upgrade_of(const std::string& path, const std::string& other) const;
  /// Where packages have their release in the name, as libpq-11 and postgresql-13-client: the one that a library of the
  /// release of its user is in, "libpq-13". Empty if the two are not of releases of one project, or nothing is known:
  /// of the packages of apk alone it is.
  std::string in_release_of(const std::string& user, const std::string& library) const;
  /// Whether a file below /opt is of a package: those for Debian and Ubuntu from elsewhere, as of ROS, install there.
  bool owns_in_opt(const std::string& path) const;
  /// What brings all packages to releases that belong together, where packages are only ever upgraded so: on Arch
  /// Linux and Void. Empty elsewhere.
  std::string upgrade_of_all() const;
  /// What compiles the package of a file again, with the libraries that are there now: on Gentoo. Empty elsewhere.
  std::string rebuild_of(const std::string& path) const { return kind_ == Kind::portage ? again(path) : ""; }
  /// Whether packages of Debian and Ubuntu are installed there; true where nothing is known of the system.
  bool takes_debian_packages() const { return kind_ == Kind::debian || kind_ == Kind::unknown; }
  /// A command as root: with sudo, but in a container, where root is who works, and on a system that has none.
  std::string as_root(const std::string& command) const {
    return container_ || lacks_sudo_ || kind_ == Kind::alpine || kind_ == Kind::opkg ? command : "sudo " + command;
  }
  bool is_container() const { return container_; }
  /// What starts a container there: Fedora comes with Podman, whose containers SELinux keeps from the user's files.
  std::string container_run() const;
  /// Whether what installs packages has no list of them yet, as in an image of a container.
  bool lacks_package_lists() const;
  /// Whether Linux runs below Windows.
  bool is_wsl() const;
  /// Whether a device of NVIDIA is on the PCI bus; nullopt if the tree does not show the bus.
  std::optional<bool> has_nvidia_device() const;
  /// What installs NVIDIA's driver; empty if that is not known of the system.
  std::string driver_install() const;

 private:
  enum class Kind { unknown, debian, fedora, suse, arch, alpine, nix, xbps, portage, opkg };

  void look_at_records();
  std::string apt_install(const std::string& words) const;
  std::string apk_add(const std::string& words) const;
  /// Words of the program that installs packages of RPM there.
  std::string rpm(const std::string& words) const { return as_root(rpm_tool_ + " " + words); }
  /// The same for packages that are installed; rpm-ostree has one version of the whole system, and upgrades that.
  std::string change_rpms(const std::string& words) const;
  std::string pacman(const std::string& words) const;
  /// What else may be tried where the repositories of a rebuild of Red Hat have no such package; else empty.
  std::string more_of_red_hat() const;

  ImageStore& images_;
  std::string words_;    ///< " debian ": ID and ID_LIKE of os-release
  std::string version_;  ///< VERSION_ID: "12", "24.04"; empty: unknown
  std::optional<Archive> archive_;
  Kind kind_ = Kind::unknown;
  std::string rpm_tool_ = "dnf";
  bool container_ = false, distroless_ = false;
  bool lacks_sudo_ = false;  ///< a whole system, with a shell and without sudo
};

/// Whether a library is a part of musl by its name: libc.musl-x86_64.so.1, which Alpine's own libraries need, or its
/// loader.
bool is_of_musl(const std::string& library);

/// Whether a file's name is that of a copy which a wheel's repair tool has renamed: libX-4c97ab12.so.1.
bool is_renamed_copy(const std::string& file_name);
/// The name without that mark: libX.so.1.
std::string original_name(const std::string& file_name);

}  // namespace cudald
