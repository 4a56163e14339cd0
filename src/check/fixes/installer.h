#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {

/// What installs Python packages where an object lies: the commands of that environment itself.
class Installer {
 public:
  Installer(const Report&, const Object& requester, const FileSystem&);

  /// "/venv/bin/python"; "python3" where no environment is known.
  const std::string& python() const { return python_; }
  /// "/venv/bin/python -m pip install ", with a blank at its end; "uv pip install --python /venv/bin/python " where uv
  /// made the environment, which then has no pip.
  std::string install() const;
  /// A command of a table: what it asks pip to install is installed into this environment.
  std::string in_environment(std::string command) const;
  /// The same as install() for what uninstalls without asking.
  std::string uninstall() const;
  /// install() for distributions whose files are to be written again, as they are in the release that is named.
  std::string install_again() const { return install() + "--force-reinstall --no-deps "; }
  /// What brings distributions, or what is required of them, to their newest releases: with the name under which the
  /// project goes on now, in the place of one that is no more.
  std::string upgrade(const std::vector<std::string>& wanted) const;
  /// What puts a distribution's files there again, as they are in its installed release.
  Fix reinstall(const std::string& name, const std::string& version) const;
  /// The same where RECORD lists a file that is gone, which the finding then says.
  void add_reinstallation(const DamagedPackage&, Finding&) const;
  /// What upgrades a package and another one that it takes names or functions from: both in their newest releases go
  /// together more often than any other two.
  Fix newest_of(const PackageName& asker, const PackageName& owner) const;
  /// A requirement with the upper bound that what else is installed states for the same distribution, where it has none
  /// of its own: pip takes the newest release that it allows.
  std::string bounded(const std::string& wanted) const;
  /// What installs the release that `by`, a package with its release, requires; its side effect is which other package
  /// no such release fits.
  Fix required_by(const std::string& by, const UnmetRequirement&) const;
  /// What to hand to install() for a distribution that carries a library: as the requester's own package requires it,
  /// by an extra of that package, or else as the table says. "torch==2.9.1", the requester's own package, if more that
  /// it requires is missing.
  std::string word_for(const std::string& distribution, const std::string& otherwise) const;
  /// The site-packages folder of the requester, without a slash at its end; empty if it lies in none.
  const std::string& site() const { return site_; }
  /// What markers ask for in that environment.
  MarkerValues marker_values() const;

 private:
  /// Whether another requirement of the requester's package is not installed.
  bool lacks_others(const WheelMetadata&, const std::string& known) const;

  const FileSystem& files_;
  const Object& requester_;
  std::string site_, python_ = "python3";
  bool uv_ = false;
};

/// What installs into the environment of a prefix whose Python is given as a shell takes it, with a blank at its end.
std::string install_into(const FileSystem&, const std::string& prefix, const std::string& python);

/// "3.12" of the Python that imports; empty if it is not known.
std::string python_release(const Report&);

/// A path in the site-packages directory of the Python that imports; empty if it is not known.
std::string place_in_packages(const Import&);

}  // namespace cudald
