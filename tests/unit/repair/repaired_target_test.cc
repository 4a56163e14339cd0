#include "repair/repaired_target.h"

#include <doctest/doctest.h>

#include "unit/binary/image_of.h"

namespace cudald {
namespace {

std::string text_of(const std::vector<RepairChange>& changes) {
  std::string text;
  for (const auto& each : changes) text += each.file + " " + each.what + " " + each.before + ">" + each.after + "\n";
  return text;
}

TEST_CASE("each edit is a change with what was there before") {
  const auto old = image_of({.soname = "libold.so", .rpath = "/old"});
  CHECK(text_of(described("x.so", *old,
                          {.search_path = "$ORIGIN",
                           .renamed = {{"a", "b"}},
                           .added = {"c"},
                           .soname = "libnew.so",
                           .clear_executable_stack = true})) ==
        "x.so RPATH /old>$ORIGIN\nx.so NEEDED a>b\nx.so NEEDED >c\nx.so SONAME libold.so>libnew.so\n"
        "x.so stack executable>not executable\n");
  CHECK(text_of(described("", *image_of({.rpath = "/old", .runpath = "/run"}), {.search_path = ""})) ==
        " RUNPATH /run>\n");
  CHECK(described("", *old, {}).empty());
}

TEST_CASE("a further load segment is a warning") {
  RepairedFile file;
  file.given = "x.so";
  file.edited.room = EditRoom::new_segment;
  CHECK(described(file).warnings.size() == 1);
  file.edited.room = EditRoom::last_segment;
  CHECK(described(file).warnings.empty());
}

}  // namespace
}  // namespace cudald
