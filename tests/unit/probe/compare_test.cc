#include <doctest/doctest.h>

#include "probe/compare.h"

namespace cudald {
namespace {

using Files = std::vector<MappedFile>;
using Texts = std::vector<std::string>;

TEST_CASE("files are compared in both directions") {
  const Files predicted = {{"/a", {1, 1}}, {"/b", {1, 2}}, {"/c", {1, 3}}};
  CHECK(differences_of_files(predicted, predicted).empty());
  CHECK(differences_of_files(predicted, {{"/a", {1, 1}}, {"/b", {1, 2}}}) ==
        Texts{"/c was predicted, but is not mapped"});
  CHECK(differences_of_files({{"/a", {1, 1}}}, {{"/a", {1, 1}}, {"/d", {1, 4}}}) ==
        Texts{"/d is mapped, but was not predicted"});
  CHECK(differences_of_files({{"/a", {1, 1}}}, {{"/a", {1, 9}}}) ==
        Texts{"/a is another file by now than the one that was read for the simulation"});
  // A hard link has another name, and is the same file.
  CHECK(differences_of_files({{"/a", {1, 1}}}, {{"/link", {1, 1}}}).empty());
  // Of a program's file the simulation knows the path alone.
  CHECK(differences_of_files({{"/a", {}}}, {{"/a", {1, 1}}}).empty());
}

TEST_CASE("the first file out of its place is told") {
  const Files predicted = {{"/a", {1, 1}}, {"/b", {1, 2}}, {"/c", {1, 3}}};
  CHECK(differences_of_order(predicted, predicted).empty());
  CHECK(differences_of_order(predicted, {predicted[0], predicted[2], predicted[1]}) ==
        Texts{"the order differs: as number 2, /c is mapped, and /b was predicted"});
}

TEST_CASE("success and the loader's words are compared") {
  const ProbedTarget loaded{"x.so", true, ""}, failed{"x.so", false, "/opt/x.so: undefined symbol: f"};
  CHECK(differences_of_target("", loaded, true).empty());
  CHECK(differences_of_target("", failed, true) ==
        Texts{"x.so was predicted to load, and does not: /opt/x.so: undefined symbol: f"});
  CHECK(differences_of_target("libz.so: no", loaded, true) ==
        Texts{"x.so loads, and this failure was predicted: libz.so: no"});
  CHECK(differences_of_target("./x.so: undefined symbol: f", failed, true).empty());
  CHECK(differences_of_target("./x.so: undefined symbol: g", failed, true).size() == 2);
  CHECK(differences_of_target("./x.so: undefined symbol: g", failed, false).empty());
}

TEST_CASE("what a failed dlopen brought in is not expected to stay") {
  Resolution resolution;
  resolution.objects.resize(2);
  for (std::size_t i = 0; i < 2; ++i) resolution.objects[i].path = "/" + std::to_string(i);
  resolution.objects[1].unmapped = true;
  REQUIRE(predicted_files(resolution).size() == 1);
  CHECK(predicted_files(resolution)[0].path == "/0");
}

TEST_CASE("only the folder of the file in front of a message is no part of its words") {
  const auto same = [](const std::string& predicted, const std::string& real) {
    return differences_of_target(predicted, {"x.so", false, real}, true).empty();
  };
  CHECK(same("words", "words"));
  CHECK_FALSE(same("words", "other"));
  CHECK_FALSE(same("/a/words", "words"));
  CHECK(same("x.so: no", "/opt/x.so: no"));
  CHECK(same("x.so: no", "x.so: no"));
  CHECK_FALSE(same("x.so: /a/y", "x.so: y"));
  CHECK_FALSE(same("x.so: no", "y.so: no"));
  CHECK(differences_of_target("x.so: no", {"x.so", false, "y.so: no"}, true) ==
        Texts{"x.so fails as predicted, but for another reason: y.so: no", "the reason that was predicted: x.so: no"});
}

TEST_CASE("the order is compared as far as both go, and files by their numbers where they are known") {
  const Files predicted = {{"/a", {1, 1}}, {"/b", {}}};
  CHECK(differences_of_order(predicted, {{"/link", {1, 1}}}).empty());
  CHECK(differences_of_order(predicted, {{"/a", {1, 1}}, {"/b", {1, 7}}, {"/c", {1, 8}}}).empty());
  CHECK(differences_of_order(predicted, {{"/a", {2, 1}}}) ==
        Texts{"the order differs: as number 1, /a is mapped, and /a was predicted"});
  CHECK(differences_of_files({{"/a", {}}}, {{"/b", {1, 1}}}) ==
        Texts{"/b is mapped, but was not predicted", "/a was predicted, but is not mapped"});
}

}  // namespace
}  // namespace cudald
