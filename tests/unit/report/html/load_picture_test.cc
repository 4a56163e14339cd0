#include "report/html/load_picture.h"

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

TEST_CASE("files of a package that are asked for alike and ask alike are one node") {
  auto report = healthy_report();
  auto& objects = report.resolution.objects;
  const auto libc = *objects[0].edges.at(0).object;
  for (int i = 0; i < 6; ++i) {
    Object module;
    module.path = fmt::format("/v/site-packages/pkg/_m{}.so", i);
    module.package = PackageName{"pkg", "1.0"};
    Edge opened;
    opened.name = module.path;
    opened.kind = EdgeKind::dlopen;
    opened.status = EdgeStatus::loaded;
    opened.object = objects.size();
    Edge needed;
    needed.name = "libc.so.6";
    needed.object = libc;
    // The last one asks for the one before it: both are nodes of their own.
    if (i == 5) needed.object = objects.size() - 1;
    module.edges.push_back(needed);
    objects.push_back(std::move(module));
    objects[0].edges.push_back(opened);
  }
  const auto names = [](const LoadPicture& picture) {
    std::vector<std::string> all;
    for (const auto& node : picture.nodes)
      if (node.name.find("_m") != std::string::npos || !node.files.empty()) all.push_back(node.name);
    return all;
  };
  const auto picture = picture_of(report, 100);
  CHECK(names(picture) == std::vector<std::string>{"4 files of pkg", "_m4.so", "_m5.so"});
  const auto several =
      std::find_if(picture.nodes.begin(), picture.nodes.end(), [](const auto& node) { return !node.files.empty(); });
  REQUIRE(several != picture.nodes.end());
  CHECK(several->files == std::vector<std::string>{"_m0.so", "_m1.so", "_m2.so", "_m3.so"});
  CHECK(names(picture_of(report, 100, Alike::apart)).size() == 6);
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

TEST_CASE("what is asked about, what belongs to the system, and what is neither") {
  auto report = healthy_report();
  auto& objects = report.resolution.objects;
  const auto kind = [&](const std::string& path) {
    objects[1].path = path;
    return picture_of(report, 100).nodes[1].kind;
  };
  using Kind = LoadPicture::Kind;
  for (const auto* path : {"/lib/x.so", "/lib64/x.so", "/usr/lib/x.so", "/usr/lib64/x.so"}) {
    CAPTURE(path);
    CHECK(kind(path) == Kind::system);
  }
  for (const auto* path : {"/usr/lib/python3/dist-packages/x.so", "/opt/lib/x.so", "/usr/lib32/x.so", "/libx.so"}) {
    CAPTURE(path);
    CHECK(kind(path) == Kind::object);
  }
  objects[1].package = PackageName{"a", "1"};
  CHECK(kind("/lib/x.so") == Kind::object);
  CHECK(kind("(promised)/x.so") == Kind::system);
  objects[1].package.reset();
  CHECK(kind("(promised)/x.so") == Kind::object);
  objects[1].known_by_name = true;
  CHECK(kind("/opt/x.so") == Kind::system);
  objects[1].known_by_name = false;
  objects[1].dynamic_loader = true;
  CHECK(kind("/opt/x.so") == Kind::system);
  objects[1].main_program = true;
  CHECK(kind("/opt/x.so") == Kind::target);
}

TEST_CASE("a request that the user made is a target, one that an import makes is none") {
  auto report = healthy_report();
  Target target;
  target.object = 4;
  report.resolution.targets.push_back(target);
  const auto kind = [&] { return picture_of(report, 100).nodes[4].kind; };
  CHECK(kind() == LoadPicture::Kind::target);
  report.resolution.targets[1].part_of = 0;
  CHECK(kind() == LoadPicture::Kind::object);
  report.resolution.targets[1].part_of.reset();
  report.resolution.targets[1].object.reset();
  CHECK(kind() == LoadPicture::Kind::object);
}

TEST_CASE("lines have the kind of the request unless that is the usual one, and what came of it") {
  auto report = failing_report();
  auto& edge = report.resolution.objects[1].edges[0];
  const auto word = [&] { return picture_of(report, 100).edges[0].word; };
  CHECK(word() == "not found");
  edge.kind = EdgeKind::import;
  CHECK(word() == "not found");
  edge.kind = EdgeKind::delay_import;
  edge.status = EdgeStatus::rejected;
  CHECK(word() == "delay-import, refused");
  edge.status = EdgeStatus::not_loaded;
  auto picture = picture_of(report, 100);
  REQUIRE(picture.edges.size() == 5);
  CHECK(picture.edges[2].word == "delay-import, on use");
  CHECK(picture.edges[2].found);
  CHECK(picture.nodes[picture.edges[2].to].kind == LoadPicture::Kind::object);
  edge.search.probes.clear();
  CHECK(word() == "delay-import, not found");
}

TEST_CASE("a name that one file asks for twice is drawn once, one that two miss is one box") {
  auto report = failing_report();
  auto& objects = report.resolution.objects;
  objects[1].edges.push_back(objects[1].edges[0]);
  objects[2].edges.push_back(objects[1].edges[0]);
  objects[2].edges[1].hard = false;
  const auto picture = picture_of(report, 100);
  CHECK(edges(picture) ==
        "libfoo.so.1.2 -> libcudart.so.12 [not found] !\n"
        "libc.so.6 -> libcudart.so.12 [not found] !\n"
        "app -> libfoo.so.1.2 [rpath]\n"
        "app -> libc.so.6 [cache]\n"
        "libfoo.so.1.2 -> libc.so.6 []\n"
        "libc.so.6 -> ld-linux-x86-64.so.2 []\n");
  CHECK(picture.nodes.size() == 5);
  CHECK(picture.left_out == 0);
  CHECK(picture_of(report, 6).left_out == 0);
  CHECK(picture_of(report, 5).left_out == 1);
}

}  // namespace
}  // namespace cudald
