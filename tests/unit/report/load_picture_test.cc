#include "report/load_picture.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string edges(const LoadPicture& picture) {
  std::string text;
  for (const auto& edge : picture.edges)
    text += fmt::format("{} -> {} [{}]{}\n", picture.nodes[edge.from].name, picture.nodes[edge.to].name, edge.word,
                        edge.found ? "" : " !");
  return text;
}

TEST_CASE("what fails stands first") {
  CHECK(edges(picture_of(failing_report(), 100)) ==
        "libfoo.so.1.2 -> libcudart.so.12 [not found] !\n"
        "app -> libfoo.so.1.2 [rpath]\n"
        "app -> libc.so.6 [cache]\n"
        "libfoo.so.1.2 -> libc.so.6 []\n"
        "libc.so.6 -> ld-linux-x86-64.so.2 []\n");
}

TEST_CASE("too many edges are cut at the end, and nodes without any go with them") {
  const auto picture = picture_of(failing_report(), 1);
  CHECK(edges(picture) == "libfoo.so.1.2 -> libcudart.so.12 [not found] !\n");
  CHECK(picture.left_out == 4);
  REQUIRE(picture.nodes.size() == 3);
  CHECK(picture.nodes[0].kind == LoadPicture::Kind::target);
  CHECK(picture.nodes[1].kind == LoadPicture::Kind::object);
  CHECK(picture.nodes[2].kind == LoadPicture::Kind::missing);
}

TEST_CASE("where a file lies is its folder, or the archive that holds it") {
  auto report = failing_report();
  const auto where = [&](const std::string& path) {
    report.resolution.objects[0].path = path;
    const auto picture = picture_of(report, 100);
    const auto target = std::find_if(picture.nodes.begin(), picture.nodes.end(),
                                     [](const auto& node) { return node.kind == LoadPicture::Kind::target; });
    return target == picture.nodes.end() ? "none" : target->name + " in " + target->where;
  };
  CHECK(where("/opt/bin/app") == "app in /opt/bin");
  CHECK(where("/app") == "app in /");
  CHECK(where("/a/app") == "app in /a");
  CHECK(where("C:\\x\\app.exe") == "app.exe in C:\\x");
  CHECK(where("/dist/a.whl!/b/libc.so") == "libc.so in /dist/a.whl");
  CHECK(where("app") == "app in ");
}

TEST_CASE("files of the system are told apart") {
  const auto picture = picture_of(healthy_report(), 100);
  for (const auto& node : picture.nodes)
    CHECK((node.kind == LoadPicture::Kind::system) == (node.where == "/lib/x86_64-linux-gnu"));
}

}  // namespace
}  // namespace cudald
