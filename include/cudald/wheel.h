#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/world.h>

namespace cudald {

struct Image;  // image.h

/// A library that a file of a wheel needs, as the loader finds it where there is nothing but the wheel.
struct WheelNeed {
  std::string name;
  std::string inside;      ///< the member that answers it; empty: it has to come from outside
  bool is_loader = false;  ///< the dynamic loader itself
};

/// An ELF file of a wheel.
struct WheelFile {
  std::string member;  ///< as the archive names it
  std::string path;    ///< where it is installed
  std::shared_ptr<const Image> image;
  bool extension_module = false;
  std::string set_aside;  ///< why no judgement is made on it: made for another machine or C library; mostly empty
  std::vector<WheelNeed> needs;
};

/// A library that has to come from outside, and who asks for what in it.
struct ExternalLibrary {
  struct Version {
    std::string name;
    bool weak = false;  ///< nobody minds if it is missing
  };
  std::string name;
  bool is_loader = false;
  std::vector<Version> versions;
  std::vector<std::string> members;   ///< that need it
  std::vector<std::string> packages;  ///< that the wheel requires, or these in turn, and that are known to carry it
  Standing standing = Standing::undeclared;
};

enum class ObstacleKind { library, version, symbol, instructions };

std::string_view to_string(ObstacleKind);

/// Why a wheel does not fit a platform tag.
struct PolicyObstacle {
  ObstacleKind kind = ObstacleKind::library;
  std::string library;               ///< the external library; empty for instructions
  std::string name;                  ///< the version, symbol or instruction set; empty for a library
  std::vector<std::string> members;  ///< that ask for it
  std::size_t since = 0;             ///< the oldest tag that allows it, an index; tags.size(): none does
};

/// What the platform tags of a family, for one machine, say of a wheel. Tags are known by index, the oldest first.
struct PolicyFit {
  std::string family;                      ///< "manylinux"
  std::vector<std::string> tags;           ///< "manylinux_2_17_x86_64"
  std::vector<std::string> unproven;       ///< for each tag why files cannot show that they fit it; mostly empty
  std::vector<PolicyObstacle> obstacles;   ///< the newest `since` first, of one library the newest version
  std::size_t fits = 0;                    ///< the oldest tag that fits, tags.size(): none
  std::size_t fits_but_for_libraries = 0;  ///< the same if no library came from outside but those that it allows
  std::optional<std::size_t> claimed;      ///< the oldest tag that the wheel's name claims
  std::string claimed_tag;                 ///< as written there
};

/// What a wheel says of itself, what its files need from outside, and which platform tag that allows.
struct WheelReport {
  std::string path;
  std::string name, version, requires_python;
  std::vector<std::string> requires_dist;
  std::vector<std::string> python_tags, abi_tags, platform_tags;  ///< of the file name, else of WHEEL
  std::string machine;                           ///< as platform tags spell it; empty if no file has one
  std::vector<WheelFile> files;                  ///< its ELF files, by member
  std::vector<std::string> windows_files;        ///< members that are PE files
  std::string windows_tag;                       ///< "win_amd64", of the first of them; empty if there is none
  std::vector<std::string> windows_module_tags;  ///< those that fit its extension modules (.pyd), each once
  bool other_systems = false;                    ///< a file of it is named like a library, and is neither ELF nor PE
  std::vector<ExternalLibrary> external;         ///< by name
  std::optional<PolicyFit> fit;                  ///< none if the wheel holds no library, or none of a machine with tags
  std::vector<std::string> unread;               ///< members that look like libraries or programs and cannot be read
  bool complete = true;                          ///< false: not all could be read, so no tag is claimed
  std::size_t problems = 0;                      ///< faults of the archive, which `check` tells

  /// "manylinux_2_28_x86_64", "linux_x86_64", "win_amd64", or "any" for a wheel without libraries; empty if it is not
  /// complete.
  std::string fitting_tag() const;

  /// Whether the wheel has platform tags, and none is for the machine that its libraries are made for.
  bool is_for_other_machine() const;
};

}  // namespace cudald
