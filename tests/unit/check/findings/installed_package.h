#pragma once

#include <string>
#include <vector>

#include "common/world.h"

namespace cudald {

/// Lets a package claim files of a site-packages folder, which ends with a slash, as pip would.
inline void install(TestWorld& world, const std::string& site, const PackageName& package,
                    const std::vector<std::string>& claimed) {
  const auto info = site + package.name + "-" + package.version + ".dist-info/";
  std::string record;
  for (const auto& file : claimed) record += file + ",,\n";
  world.files.add_file(info + "RECORD", record);
  world.files.add_file(info + "METADATA", "Name: " + package.name + "\nVersion: " + package.version + "\n");
}

}  // namespace cudald
