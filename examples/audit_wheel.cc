// Audits one wheel: the platform tag that it fits, the libraries that it needs from outside, and what stands in the way
// of the tag that its name claims.
//
//     g++ -std=c++20 audit_wheel.cc $(pkg-config --cflags --libs cudald) -o audit_wheel
//     ./audit_wheel FILE.whl
//
// Exit status: 0 if the wheel fits what it claims, 1 if it does not, 2 if it cannot be read.

#include <filesystem>
#include <iostream>
#include <string>

#include <cudald/cudald.h>

namespace {

/// What keeps the wheel from a tag, an index into `fit.tags`; how much there is of it.
std::size_t tell_obstacles(const cudald::PolicyFit& fit, std::size_t tag) {
  std::size_t count = 0;
  for (const auto& obstacle : fit.obstacles) {
    if (obstacle.since <= tag) continue;  // this tag allows it
    ++count;
    std::cout << "  " << to_string(obstacle.kind) << ' ' << cudald::escaped(obstacle.library)
              << (obstacle.name.empty() ? "" : " " + cudald::escaped(obstacle.name)) << '\n';
    for (const auto& member : obstacle.members) std::cout << "    asked for by " << cudald::escaped(member) << '\n';
  }
  return count;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: audit_wheel FILE.whl\n";
    return 2;
  }
  const auto files = cudald::make_disk_file_system("/");
  cudald::Session session(*files);
  const auto wheel = session.wheel(std::filesystem::absolute(words[1]).string());
  if (!wheel) {
    std::cerr << "audit_wheel: " << words[1] << ": " << wheel.error().message << '\n';
    return 2;
  }
  std::cout << wheel->name << ' ' << wheel->version << '\n';
  for (const auto& fault : wheel->unread) std::cout << "not read: " << cudald::escaped(fault) << '\n';
  if (!wheel->complete) {
    std::cerr << "audit_wheel: not all of it could be read, so nothing is claimed\n";
    return 2;
  }
  std::cout << "fits: " << wheel->fitting_tag() << '\n';
  for (const auto& library : wheel->external) {
    std::cout << "from outside: " << cudald::escaped(library.name);
    for (const auto& package : library.packages) std::cout << ", in " << package;
    std::cout << '\n';
  }
  if (!wheel->fit || !wheel->fit->claimed) return 0;  // no library, or no claim that files could break
  std::cout << "claims: " << wheel->fit->claimed_tag << '\n';
  return tell_obstacles(*wheel->fit, *wheel->fit->claimed) == 0 ? 0 : 1;
}
