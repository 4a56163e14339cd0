// Which wheel of a project an installer takes.

#include "lock/wheel_choice.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

LockedFile wheel(const std::string& name, const std::string& requires_python = "", bool yanked = false) {
  LockedFile file;
  file.name = name;
  file.requires_python = requires_python;
  file.yanked = yanked;
  return file;
}

std::string chosen(const std::vector<LockedFile>& wheels, const std::vector<std::string>& specifiers = {}) {
  const auto* choice = choose_wheel(wheels, specifiers, {.python_version = "3.11", .machine = "x86_64"});
  return choice == nullptr ? "none" : choice->name;
}

TEST_CASE("the newest release that all specifiers allow, and of its wheels the one for this Python") {
  const std::vector<LockedFile> wheels{wheel("x-1.9-py3-none-any.whl"), wheel("x-1.10-py3-none-any.whl"),
                                       wheel("x-1.10-cp311-cp311-manylinux_2_17_x86_64.whl"),
                                       wheel("x-2.0-cp312-cp312-manylinux_2_17_x86_64.whl"), wheel("other.whl")};
  CHECK(chosen(wheels) == "x-1.10-cp311-cp311-manylinux_2_17_x86_64.whl");
  CHECK(chosen(wheels, {"<1.10", ">1"}) == "x-1.9-py3-none-any.whl");
  CHECK(chosen(wheels, {">=2"}) == "none");
  CHECK(chosen({}) == "none");
}

TEST_CASE("a release for other Pythons is passed over") {
  CHECK(chosen({wheel("x-1-py3-none-any.whl", ">=3.8.1,!=3.9.7"), wheel("x-2-py3-none-any.whl", ">=3.12")}) ==
        "x-1-py3-none-any.whl");
}

TEST_CASE("candidates and what was taken back only where nothing else is allowed, or by name") {
  const std::vector<LockedFile> wheels{wheel("x-1-py3-none-any.whl"), wheel("x-2rc1-py3-none-any.whl"),
                                       wheel("x-1.5-py3-none-any.whl", "", true)};
  CHECK(chosen(wheels) == "x-1-py3-none-any.whl");
  CHECK(chosen(wheels, {"==1.5"}) == "x-1.5-py3-none-any.whl");
  CHECK(chosen({wheel("x-2rc1-py3-none-any.whl")}) == "x-2rc1-py3-none-any.whl");
}

}  // namespace
}  // namespace cudald
