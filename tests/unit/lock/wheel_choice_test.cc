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

TEST_CASE("at a time the newest release up to then is taken, or else the first one behind it") {
  std::vector<LockedFile> wheels{wheel("x-1-py3-none-any.whl"), wheel("x-2-py3-none-any.whl"),
                                 wheel("x-3-py3-none-any.whl"), wheel("x-4-py3-none-any.whl", ">=3.12")};
  for (std::size_t i = 0; i < wheels.size(); ++i) wheels[i].uploaded = "202" + std::to_string(i) + "-01-01T00:00:00Z";
  const auto at = [&](std::string_view time, const std::vector<std::string>& specifiers = {}) -> std::string {
    const auto* choice = choose_wheel_at(time, wheels, specifiers, {.python_version = "3.11", .machine = "x86_64"});
    return choice == nullptr ? "none" : choice->name.substr(2, 1);
  };
  CHECK(at("2021-01-01T00:00:00Z") == "2");
  CHECK(at("2021-12-01T00:00:00Z") == "2");
  CHECK(at("2030-01-01T00:00:00Z") == "3");
  CHECK(at("2019-01-01T00:00:00Z") == "1");
  CHECK(at("2020-06-01T00:00:00Z", {">=2"}) == "2");
  CHECK(at("2021-12-01T00:00:00Z", {">=4"}) == "none");
  for (auto& each : wheels) each.uploaded.clear();
  CHECK(at("2021-01-01T00:00:00Z") == "none");
}

}  // namespace
}  // namespace cudald
