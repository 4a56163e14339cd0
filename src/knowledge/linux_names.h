#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A name that only some distributions give a library.
struct NameOfSystems {
  std::vector<std::string> systems;  ///< words of os-release: "debian"
  std::string who;                   ///< "Debian and Ubuntu"
  std::string elsewhere;             ///< "libcurl.so.4": what others call it
  std::string source;                ///< with the day on which it was checked
};
std::optional<NameOfSystems> name_of_systems(const std::string& library);

/// Libraries that lie where no loader looks: of a toolchain, a Python of pyenv, Java.
struct InstalledLibrary {
  std::string who;                       ///< what they belong to: "Java"
  std::vector<std::string> directories;  ///< where they are, with {home}, and * for one name
  std::string fix, command;              ///< where it is in none of them; may be empty
  std::string source;
};
std::optional<InstalledLibrary> installation_of(const std::string& library);

}  // namespace cudald
