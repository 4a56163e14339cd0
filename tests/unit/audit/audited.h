#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/knowledge.h>
#include <cudald/session.h>
#include <cudald/wheel.h>

#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {

using Members = std::vector<std::pair<std::string, std::string>>;

inline ElfSpec wants(const std::string& library, const std::vector<std::string>& versions, bool weak = false) {
  ElfSpec spec{.needed = {library}, .needs_versions = {{library, {}}}};
  for (const auto& version : versions) spec.needs_versions[0].versions.push_back({version, 0, 0, weak, false});
  return spec;
}

/// The report on a wheel of that tag in a machine on which libc.so.6 and libfoo.so.1 are there, to no avail.
inline WheelReport audit(const std::string& tag, const Members& members, const std::string& metadata = "",
                         std::shared_ptr<const Knowledge> known = built_in_knowledge()) {
  TestWorld world;
  for (const std::string name : {"libc.so.6", "libfoo.so.1"})
    world.add("/lib/" + name, {.soname = name, .needed = {"libleak.so"}});
  const auto path = "/dist/pkg-1.0-cp311-cp311-" + tag + ".whl";
  world.files.add_file(path, wheel_file(members, metadata));
  Session session(world.files, std::move(known));
  auto report = session.wheel(path);
  REQUIRE(report.has_value());
  return std::move(*report);
}

/// "libfoo.so.1 >never (a.so)", a line for each obstacle.
inline std::string obstacles(const WheelReport& wheel) {
  REQUIRE(wheel.fit.has_value());
  std::string text;
  for (const auto& obstacle : wheel.fit->obstacles) {
    text += obstacle.library + (obstacle.name.empty() ? "" : " " + obstacle.name) + " >";
    text += obstacle.since < wheel.fit->tags.size() ? wheel.fit->tags[obstacle.since] : "never";
    for (const auto& member : obstacle.members) text += " " + member;
    text += "\n";
  }
  return text;
}

/// "liba.so: inside pkg.libs/liba.so", a line for each need of a member.
inline std::string needs(const WheelReport& wheel, const std::string& member) {
  std::string text;
  for (const auto& file : wheel.files)
    if (file.member == member)
      for (const auto& need : file.needs)
        text += need.name + ": " + (need.is_loader ? "loader" : need.inside.empty() ? "outside" : need.inside) + "\n";
  return text;
}

}  // namespace cudald
