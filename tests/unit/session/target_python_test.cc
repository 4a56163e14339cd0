#include "session/target_python.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "common/world.h"
#include "unit/session/python_world.h"

namespace cudald {
namespace {

TEST_CASE("a Python that is not there brings libm along") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.add("/lib/libm.so.6", {.soname = "libm.so.6", .defines = {{"pow"}}});
  world.add(packages + "_links.so", {.needed = {"libm.so.6"}, .uses = {{"pow"}}});
  world.add(packages + "_leaves.so", {.uses = {{"pow"}, {"no_function"}}});
  const auto report = world.explain({"py:_links", "py:_leaves"});
  REQUIRE(report.symbols);
  REQUIRE(report.symbols->missing.size() == 1);
  CHECK(report.symbols->missing[0].name == "no_function");
}

/// What is said where nothing can be imported or loaded.
std::string said(TestWorld& world, const std::string& target) {
  const auto report = world.explain({target});
  return report.headline;
}

TEST_CASE("a distribution that is installed is asked about by its name; a name nearly like it is offered") {
  auto world = world_with_python();
  const auto& packages = python_packages;
  world.files.add_file(packages + "onnx_gpu-1.0.dist-info/RECORD", "onnxrt/__init__.py,,\n");
  world.files.add_file(packages + "onnx_gpu-1.0.dist-info/METADATA", "Name: onnx-gpu\nVersion: 1.0\n");
  world.files.add_file(packages + "onnxrt/__init__.py", "");
  CHECK(said(world, "onnx-gpu").starts_with("`import onnxrt` works"));
  CHECK(said(world, "onnxrt").starts_with("`import onnxrt` works"));
  CHECK(said(world, "onnx-gpv") ==
        "onnx-gpv: not found: no file, library or module of that name; /venv/bin/python3.11 has no "
        "module or package of that name; did you mean `onnx-gpu`?");
  const auto report = world.explain({"py:onnxrr"});
  CHECK(report.headline == "`import onnxrr` fails: the module onnxrr is not installed");
  REQUIRE(report.findings.front().fixes.size() == 1);
  CHECK(report.findings.front().fixes.front().command == "cudald --prefix /venv onnxrt");
}

TEST_CASE("the .pth files of wheels count as in a site-packages folder") {
  const auto loaded = [](const std::string& start_up, const std::string& module) {
    TestWorld world;
    world.add("/lib/libpart.so", {.soname = "libpart.so"});
    world.files.add_file(
        "/w/tool-1.0-py3-none-any.whl",
        wheel_file({{start_up, "tool_parts\nimport tool_start\n"},
                    {"tool_start.py", "import os\nos.environ['TOOL'] = 'on'\n"},
                    {"tool_parts/part.py", "import ctypes\nctypes.CDLL('/lib/libpart.so')\n"},
                    {"plain.py", "import part\n"},
                    {"started.py",
                     "import ctypes, os\nif os.environ.get('TOOL') == 'on':\n  ctypes.CDLL('/lib/libpart.so')\n"}},
                   "", "tool"));
    world.query.packages = {"/w/tool-1.0-py3-none-any.whl"};
    return objects(world.explain({"py:" + module})).find("/lib/libpart.so") != std::string::npos;
  };
  for (const auto* module : {"plain", "started"}) {
    CAPTURE(module);
    CHECK(loaded("tool.pth", module));
    CHECK_FALSE(loaded("tool.txt", module));
  }
}

TEST_CASE("a prefix that is no folder is told") {
  TestWorld world;
  world.query.prefix = "/gone";
  CHECK(said(world, "numpy") ==
        "numpy: not found: no file, library or module of that name; --prefix names /gone, which is not a "
        "directory");
}

TEST_CASE("the tags of a wheel name its Python where they are for one alone") {
  const auto version = [](const std::vector<std::string>& tags) { return version_of_tags(tags); };
  CHECK(version({"cp310-cp310-manylinux_2_28_x86_64"}) == "3.10");
  CHECK(version({"cp39-cp39-win_amd64"}) == "3.9");
  CHECK(version({"py3-none-any", "cp311-cp311-linux_x86_64", "cp312-cp312-linux_x86_64"}) == "3.11");
  CHECK(version({"cp313-cp313t-linux_x86_64"}) == "3.13");
  CHECK(version({"cp37-none-win_amd64"}) == "3.7");
  CHECK(version({"cp38-abi3-win_amd64", "cp38-none-win_amd64"}) == "3.8");
  for (const auto* other : {"py3-none-any", "cp38-abi3-linux_x86_64", "pp39-cp39-any", "cp27-cp27mu-linux_x86_64",
                            "cp3-none-any", "cp38", ""}) {
    CAPTURE(other);
    CHECK(version({other}).empty());
  }
  CHECK(version({}).empty());
}

TEST_CASE("a module's name is words with dots between them, and no file's") {
  for (const auto* name : {"torch", "torch.cuda", "_C", "a1", "a.b_2.c", "so", "a.sox"}) {
    CAPTURE(name);
    CHECK(is_module_name(name));
  }
  for (const auto* name : {"", ".", ".a", "a.", "a..b", "7z", "a.7z", "a-b", "a/b", "a b", "libc10.so", "cudart64.dll",
                           "_C.pyd", "python.exe"}) {
    CAPTURE(name);
    CHECK_FALSE(is_module_name(name));
  }
}

TEST_CASE("a package with libraries is imported by its top folders that hold some, that of its own name first") {
  const std::string site = std::string(PackageTree::site_packages) + "/";
  PythonEnvironment python;
  python.path = {std::string(PackageTree::site_packages)};
  const auto names = [&](const std::string& package, const std::vector<std::string>& libraries,
                         const std::vector<std::string>& sources) {
    MemoryFileSystem files;
    for (const auto& source : sources) files.add_file(site + source, "");
    Package given;
    given.name = package;
    for (const auto& library : libraries) {
      files.add_file(site + library, "");
      given.libraries.push_back(site + library);
    }
    std::string told;
    for (const auto& name : imported_names(given, python, files)) told += name + " ";
    return told;
  };
  const std::string module = ".cpython-311-x86_64-linux-gnu.so";
  CHECK(names("pkg", {"a/liba.so", "a/libb.so", "pkg/x.so"}, {"a/__init__.py", "pkg/__init__.py"}) == "pkg a ");
  CHECK(names("My.Pkg", {"a/liba.so", "my_pkg/x.so"}, {"a/__init__.py", "my_pkg/__init__.py"}) == "my_pkg a ");
  CHECK(names("pkg", {"_speed" + module, "b.abi3.so", "c.pyd"}, {}) == "_speed b c ");
  CHECK(names("pkg", {"libdata.so.1", "pkg.libs/libz.so"}, {}).empty());
  // Folders without code of their own are shared: the module stands below them, as deep as google.cloud.storage.
  CHECK(names("pkg", {"ns/part/x" + module, "ns/part/y" + module, "ns/other/z.pyd"},
              {"ns/part/__init__.py", "ns/other/__init__.py"}) == "ns.part ns.other ");
  CHECK(names("pkg", {"a/b/c/d/x.abi3.so"}, {"a/b/c/d/__init__.py"}) == "a.b.c.d ");
  CHECK(names("pkg", {"a/b/c/d/e/x.abi3.so"}, {"a/b/c/d/e/__init__.py"}).empty());
  CHECK(names("pkg", {"ns/7z/x.abi3.so"}, {"ns/7z/__init__.py"}).empty());
  CHECK(names("pkg", {"ns/part/libx.so.1"}, {"ns/part/__init__.py"}).empty());
  // Without libraries: the module that is called like the package.
  CHECK(names("my-pkg", {}, {"my_pkg/__init__.py"}) == "my_pkg ");
  CHECK(names("my-pkg", {}, {"my_pkg.py"}) == "my_pkg ");
  CHECK(names("my-pkg", {}, {"other.py"}).empty());
  CHECK(names("my-pkg", {"x/libx.so.1"}, {"my_pkg.py"}).empty());
  CHECK(names("7z", {}, {"7z.py"}).empty());
  CHECK(names("pkg", {"7z/liba.so.1", "7z.abi3.so"}, {"7z/__init__.py"}).empty());
  python.path.clear();
  CHECK(names("pkg", {"pkg/x.so"}, {"pkg/__init__.py"}).empty());
}

TEST_CASE("how an extension module that an import does not come to is asked for, and what is said of it") {
  PythonEnvironment python;
  python.path = {"/s", "/t/lib"};
  const auto call = load_of_unreached("/t/lib/pkg/sub.d/b.cpython-311.so", "pkg", true, python);
  CHECK(call.name == "/t/lib/pkg/sub.d/b.cpython-311.so");
  CHECK(call.traits.bind_now);
  CHECK(call.traits.when == RequestTime::unreached);
  CHECK(call.traits.without.starts_with("`import pkg` works; importing pkg.sub.d.b raises "));
  const auto behind = load_of_unreached("/t/lib/pkg/sub.d/b.cpython-311.so", "pkg", false, python);
  CHECK(behind.traits.when == RequestTime::unreached);
  CHECK(behind.traits.without.empty());
  const auto other = load_of_unreached("/s/b.abi3.so", "pkg", true, python);
  CHECK(other.traits.without.find(" importing b raises ") != std::string::npos);
  const auto alone = load_of_unreached("/t/lib/b.so", "", true, python);
  CHECK(alone.traits.when == RequestTime::now);
  CHECK(alone.traits.without.empty());
  CHECK(alone.traits.bind_now);
}

TEST_CASE("what a world requires and is not at hand is taken to be installed elsewhere") {
  World world;
  world.kind = WorldKind::tag;
  world.python = "3.11";
  RequiredPackage known, unknown, beside;
  known.name = "my-lib", known.known = true, known.modules = {"lib_of_mine"};
  unknown.name = "odd";
  beside.name = "here", beside.at_hand = true;
  const auto told = [&](bool complete) {
    PythonEnvironment python;
    python.complete = complete;
    python.version = "3.9";
    enter_world(world, python);
    std::string text = python.version + (python.complete ? " complete" : "");
    for (const auto& module : python.elsewhere) text += " " + module;
    return text;
  };
  CHECK(told(false) == "3.11 complete pkg_resources setuptools");
  world.requirements = {known, beside};
  CHECK(told(false) == "3.11 complete lib_of_mine my_lib pkg_resources setuptools");
  world.requirements = {known, beside, unknown};
  CHECK(told(true) == "3.11 lib_of_mine my_lib odd pkg_resources setuptools");
  world.python = "";
  CHECK(told(true) == " lib_of_mine my_lib odd");
  world.python = "3.12";
  CHECK(told(true) == "3.12 lib_of_mine my_lib odd");
  world.kind = WorldKind::here;
  CHECK(told(true) == "3.9 lib_of_mine my_lib odd");
  world.requirements = {known, beside};
  CHECK(told(true) == "3.9 complete lib_of_mine my_lib");
  CHECK(told(false) == "3.9 lib_of_mine my_lib");
  world.requirements.clear();
  CHECK(told(false) == "3.9");
}

TEST_CASE("what is called like a module, or like a distribution that brings one, in folders that are there") {
  MemoryFileSystem files;
  files.add_file("/site/single.py", "");
  files.add_file("/site/folder/x", "");
  files.add_file("/site/fast.abi3.so", "");
  files.add_folder("/site/dir.py");
  files.add_file("/site/d-1.dist-info/RECORD", "brought/__init__.py,,\n");
  PythonEnvironment python;
  python.path = {"/none", "/site"};
  for (const auto* name : {"single", "folder", "fast", "single.part"})
    CHECK_MESSAGE(has_module(name, python, files), name);
  for (const auto* name : {"dir", "none", "d", "brought"}) CHECK_MESSAGE(!has_module(name, python, files), name);
  // No folder is listed for what lies in another one under its own name.
  python.path = {"/none", "/site/folder", "/site"};
  const auto listed = [&](const std::string& name) {
    files.take_log();
    CHECK(has_module(name, python, files));
    const auto log = files.take_log();
    return std::any_of(log.begin(), log.end(), [](const std::string& entry) { return entry.starts_with("list "); });
  };
  CHECK_FALSE(listed("single"));
  CHECK(listed("fast"));
  python.path = {"/none", "/site"};
  using Names = std::vector<std::string>;
  CHECK(modules_called("single", python, files) == Names{"single"});
  CHECK(modules_called("d", python, files) == Names{"brought"});
  CHECK(modules_called("none", python, files).empty());
  CHECK(modules_called("a b", python, files).empty());
  CHECK(modules_or_name("a b", python, files) == Names{"a b"});
  CHECK(modules_or_name("d", python, files) == Names{"d"});
  files.add_file("/site/d_e-1.dist-info/RECORD", "brought/__init__.py,,\n");
  CHECK(modules_or_name("d-e", python, files) == Names{"brought"});
  CHECK(without_mark("py:d") == "d");
  CHECK(without_mark("p:d") == "p:d");
}

TEST_CASE("of packages that are asked about alone the first that is for one Python tells it, unless one is stated") {
  MemoryFileSystem files;
  PackageTree tree(files);
  Query query;
  for (const auto* tag : {"py3-none-any", "cp310-cp310-any", "cp39-cp39-any"}) {
    const auto distribution = std::string("of_") + std::string(tag).substr(0, std::string(tag).find('-'));
    const auto path = "/" + distribution + "-1.0-py3-none-any.whl";
    const auto own = "Tag: " + std::string(tag) + "\n";
    files.add_file(path, wheel_file({{distribution + "-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n" + own}}));
    REQUIRE(tree.install(path));
  }
  const auto python = find_target_python(query, tree);
  REQUIRE(python);
  CHECK(python->version == "3.10");
  CHECK(python->prefix == PackageTree::prefix);
  CHECK_FALSE(python->complete);
  CHECK(python->path.front() == PackageTree::site_packages);
  query.python = "3.14";
  CHECK(find_target_python(query, tree)->version == "3.14");
  query.prefix = "/gone";
  const auto none = find_target_python(query, tree);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::absent);
  CHECK(none.error().message == "--prefix names /gone, which is not a directory");
}

}  // namespace
}  // namespace cudald
