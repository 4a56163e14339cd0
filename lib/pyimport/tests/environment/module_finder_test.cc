#include "pyimport/environment/module_finder.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/elf_builder.h"
#include "pyimport/tests/import_world.h"

using namespace cudald;
using cudald::python::ModuleFinder;
using cudald::python::ModulePlace;

namespace {

using PlaceKind = ModulePlace::Kind;

struct FinderWorld {
  MemoryFileSystem files;
  PythonEnvironment environment;
  std::set<std::string_view> standard{"sys", "math", "fcntl", "winreg", "msvcrt", "json"};
  Budget budget{python_limits};
  python::Heap heap{budget};

  FinderWorld() {
    environment.version = "3.11";
    environment.extension_suffixes = {".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"};
    for (const auto* folder : {"/s", "/t"}) files.add_folder(folder);
  }
  ModulePlace find(const std::string& name, bool top_level = true) {
    ModuleFinder finder(environment, files, standard, heap);
    return finder.find(name, {"/s", "/t"}, top_level);
  }
};

/// Where x is found among these files, with what it is.
std::string place_of_x(const std::vector<std::string>& there) {
  FinderWorld world;
  for (const auto& path : there) world.files.add_file(path, "");
  const auto place = world.find("x");
  const std::string package = place.package ? " package" : "";
  switch (place.kind) {
    case PlaceKind::absent: return "absent";
    case PlaceKind::built_in: return "built in";
    case PlaceKind::namespace_package: {
      std::string all = "namespace";
      for (const auto& folder : place.search) all += " " + folder;
      return all;
    }
    case PlaceKind::source: return "source " + place.path + package;
    case PlaceKind::extension: return "extension " + place.path + package;
    case PlaceKind::bytecode: return "bytecode " + place.path + package;
  }
  return "";
}

}  // namespace

// Source: CPython 3.11 Lib/importlib/_bootstrap_external.py, FileFinder.find_spec and _get_supported_file_loaders.
TEST_CASE("in a folder a package comes before a module, an extension before a source, a source before bytecode") {
  struct Row {
    std::vector<std::string> there;
    std::string place;
  };
  for (const auto& [there, place] : {
           Row{{}, "absent"},
           Row{{"/s/x.pyc"}, "bytecode /s/x.pyc"},
           Row{{"/s/x.pyc", "/s/x.py"}, "source /s/x.py"},
           Row{{"/s/x.py", "/s/x.so"}, "extension /s/x.so"},
           Row{{"/s/x.so", "/s/x.abi3.so"}, "extension /s/x.abi3.so"},
           Row{{"/s/x.abi3.so", "/s/x.cpython-311-x86_64-linux-gnu.so"},
               "extension /s/x.cpython-311-x86_64-linux-gnu.so"},
           Row{{"/s/x.cpython-312-x86_64-linux-gnu.so", "/s/x.pyd"}, "absent"},
           Row{{"/s/x.so", "/s/x/__init__.py"}, "source /s/x/__init__.py package"},
           Row{{"/s/x/__init__.pyc", "/s/x/__init__.py"}, "source /s/x/__init__.py package"},
           Row{{"/s/x/__init__.py", "/s/x/__init__.so"}, "extension /s/x/__init__.so package"},
           Row{{"/s/x/__init__.pyc", "/s/x.py"}, "bytecode /s/x/__init__.pyc package"},
           Row{{"/s/x/y.py", "/s/x.py"}, "source /s/x.py"},
           Row{{"/s/x/y.py", "/t/x.pyc"}, "bytecode /t/x.pyc"},
           Row{{"/s/x/y.py", "/t/x/__init__.py"}, "source /t/x/__init__.py package"},
           Row{{"/s/x/y.py", "/t/x/z.py"}, "namespace /s/x /t/x"},
           Row{{"/s/x.py", "/t/x.so"}, "source /s/x.py"},
       }) {
    const auto& seen_place = place;
    CAPTURE(seen_place);
    CHECK(place_of_x(there) == place);
  }
}

TEST_CASE("of a package the folder is searched that it lies in") {
  FinderWorld world;
  world.files.add_file("/t/x/__init__.py", "");
  CHECK(world.find("x").search == std::vector<std::string>{"/t/x"});
  world.files.add_file("/s/y.py", "");
  CHECK(world.find("y").search.empty());
}

TEST_CASE("before Python 3.15 a module of the stable ABI names its platform where the interpreter knows that") {
  const auto found = [](const std::string& text, const std::vector<std::string>& names) {
    FinderWorld world;
    world.environment.interpreter = "/bin/python";
    world.files.add_file("/bin/python", text);
    for (const auto& name : names) world.files.add_file("/s/" + name, "");
    return world.find("x").path;
  };
  const std::string suffix = ".abi3-x86_64-linux-gnu.so", name = "x" + suffix;
  CHECK(found("..." + suffix + "...", {name}) == "/s/" + name);
  CHECK(found("nothing of it", {name}).empty());
  CHECK(found(suffix, {"x.abi3-aarch64-linux-gnu.so"}).empty());
  CHECK(found(suffix, {"x.so", name}) == "/s/x.so");
  FinderWorld world;  // without an interpreter nobody tells
  world.files.add_file("/s/" + name, "");
  CHECK(world.find("x").path.empty());
}

TEST_CASE("without suffixes of its own any that CPython has had is an extension's") {
  for (const bool windows : {false, true}) {
    CAPTURE(windows);
    const auto found = [&](const std::string& name) {
      FinderWorld world;
      if (windows) world.environment.windows = std::make_shared<WindowsPython>();
      world.environment.extension_suffixes.clear();
      world.files.add_file("/s/" + name, "");
      return world.find("x").kind == PlaceKind::extension;
    };
    CHECK(found("x.so") == !windows);
    CHECK(found("x.abi3.so") == !windows);
    CHECK(found("x.abi3t.so") == !windows);
    CHECK(found("x.abi3-x86_64-linux-gnu.so") == !windows);
    CHECK(found("x.cpython-39-x86_64-linux-gnu.so") == !windows);
    CHECK(found("x.pyd") == windows);
    CHECK(found("x.cp39-win_amd64.pyd") == windows);
    CHECK(found("x.pypy39-pp73-x86_64-linux-gnu.so") == !windows);
    CHECK_FALSE(found("x.cp39-win_amd64.so"));
    CHECK_FALSE(found("x.so.1"));
    CHECK_FALSE(found("xy.so"));
  }
}

TEST_CASE("without suffixes of its own the modules for the version come first, then any Python's, then the newest") {
  const auto chosen = [](const std::string& version, const std::vector<std::string>& tags, bool windows = false) {
    FinderWorld world;
    if (windows) world.environment.windows = std::make_shared<WindowsPython>();
    world.environment.extension_suffixes.clear();
    world.environment.version = version;
    for (const auto& tag : tags) world.files.add_file("/s/x" + tag, "");
    return world.find("x").path.substr(std::string_view("/s/x").size());
  };
  const std::string older = ".cpython-39-x86_64-linux-gnu.so", newer = ".cpython-310-x86_64-linux-gnu.so";
  CHECK(chosen("", {older, newer}) == newer);
  CHECK(chosen("3.9", {older, newer}) == older);
  CHECK(chosen("3.11", {older, newer}) == newer);
  CHECK(chosen("3.11", {older, newer, ".abi3.so"}) == ".abi3.so");
  CHECK(chosen("3.10", {older, newer, ".abi3.so", ".so"}) == newer);
  CHECK(chosen("3.9", {".pypy39-pp73-x86_64-linux-gnu.so"}) == ".pypy39-pp73-x86_64-linux-gnu.so");
  CHECK(chosen("3.12", {".graalpy251-312-native-x86_64-linux.so", newer}) == newer);
  CHECK(chosen("3.10", {".cp39-win_amd64.pyd", ".cp310-win_amd64.pyd", ".pyd"}, true) == ".cp310-win_amd64.pyd");
}

TEST_CASE(
    "what is built in: sys always, of the standard library what this system has, if the interpreter is not told") {
  FinderWorld world;
  CHECK(world.find("sys").kind == PlaceKind::built_in);
  CHECK(world.find("_imp").kind == PlaceKind::built_in);
  CHECK(world.find("math").kind == PlaceKind::built_in);
  CHECK(world.find("fcntl").kind == PlaceKind::built_in);
  CHECK(world.find("winreg").kind == PlaceKind::absent);
  CHECK(world.find("other").kind == PlaceKind::absent);
  CHECK(world.find("math", false).kind == PlaceKind::absent);  // p.math
  world.environment.windows = std::make_shared<WindowsPython>();
  CHECK(world.find("fcntl").kind == PlaceKind::absent);
  CHECK(world.find("winreg").kind == PlaceKind::built_in);
  CHECK(world.find("msvcrt").kind == PlaceKind::built_in);
}

TEST_CASE("with a standard library and no interpreter a file decides; with one its table does") {
  FinderWorld world;
  world.environment.path = {"/s"};
  world.files.add_file("/s/os.py", "");
  CHECK(world.find("math").kind == PlaceKind::built_in);
  world.files.add_file("/s/math.so", "");
  CHECK(world.find("math").kind == PlaceKind::extension);
  world.environment.interpreter = "/bin/python";
  world.files.add_file("/bin/python", std::string("\0PyInit_json\0xPyInit_fcntl\0", 27));
  CHECK(world.find("json").kind == PlaceKind::built_in);
  CHECK(world.find("sys").kind == PlaceKind::built_in);
  CHECK(world.find("math").kind == PlaceKind::extension);
  CHECK(world.find("fcntl").kind == PlaceKind::absent);  // that name goes on before it
}

TEST_CASE("the interpreter's modules may be in its library") {
  const auto is_built_in = [](const std::string& library) {
    FinderWorld world;
    world.environment.path = {"/s"};
    world.environment.base_prefix = "/p";
    world.files.add_file("/s/os.py", "");
    world.files.add_file("/p/lib/" + library, std::string("\0PyInit_json\0", 13));
    world.files.add_file("/s/math.so", "");
    // A table that has json has all there is.
    return world.find("fcntl").kind == PlaceKind::absent;
  };
  CHECK(is_built_in("libpython3.11.so.1.0"));
  CHECK(is_built_in("libpython3.11d.so"));
  CHECK_FALSE(is_built_in("libpython3.12.so.1.0"));
  CHECK_FALSE(is_built_in("libpython3.11.a"));
}

TEST_CASE("of an interpreter that exports its modules the names of its symbols count, and no other text in it") {
  FinderWorld world;
  world.environment.path = {"/s"};
  world.environment.interpreter = "/bin/python";
  world.files.add_file("/s/os.py", "");
  const std::string other("\0PyInit_fcntl\0", 14);
  world.files.add_file("/bin/python", elf({.defines = {{"PyInit_json"}}}) + other);
  CHECK(world.find("json").kind == PlaceKind::built_in);
  CHECK(world.find("fcntl").kind == PlaceKind::absent);
  world.files.add_file("/bin/python", elf({.defines = {{"main"}}}) + other);
  CHECK(world.find("fcntl").kind == PlaceKind::built_in);
}

TEST_CASE("of the names of symbols no more is read than there is of them") {
  FinderWorld world;
  world.environment.path = {"/s"};
  world.environment.interpreter = "/bin/python";
  world.files.add_file("/s/os.py", "");
  const auto built = build_elf({.defines = {{"PyInit_json"}}});
  auto bytes = built.bytes + std::string("\0PyInit_fcntl\0", 14);
  // The segment in which the names lie goes on to the end of the file.
  Elf64_Phdr header{};
  auto at = built.at.at("segments");
  for (; header.p_type != PT_LOAD; at += sizeof header) std::memcpy(&header, bytes.data() + at, sizeof header);
  poke(bytes, at - sizeof header + offsetof(Elf64_Phdr, p_filesz), std::uint64_t{bytes.size()});
  world.files.add_file("/bin/python", bytes);
  CHECK(world.find("json").kind == PlaceKind::built_in);
  CHECK(world.find("fcntl").kind == PlaceKind::absent);
}

TEST_CASE("two texts of a file may make a name, where one begins it and the other ends it") {
  FinderWorld world;
  const std::string texts("\0Vector\0NotDouble\0open_image\0", 29);
  world.files.add_file("/s/a.so", texts);
  ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
  CHECK(finder.may_compose("/s/a.so", "VectorDouble") == true);
  CHECK(finder.may_compose("/s/a.so", "VectorFloat") == false);
  CHECK(finder.may_compose("/s/a.so", "open_images") == false);
  CHECK(finder.may_compose("/s/a.so", "abc") == false);
  CHECK_FALSE(finder.may_compose("/s/absent.so", "VectorDouble").has_value());
  CHECK_FALSE(finder.may_compose("/s/a.so", std::string(100, 'x')).has_value());
}

TEST_CASE("code may copy a name whose first bytes stand in instructions, but not another text that begins like it") {
  using namespace std::literals;
  FinderWorld world;
  world.files.add_file("/s/text.so", "\0vtkCompositeMapper\0"s);
  world.files.add_file("/s/code.so", "\x48\xb8vtkCompo\x48\x89\x44\x24\x10"s);
  world.files.add_file("/s/vector.so", "vtkCompositePolyotherconstant..."s);
  world.files.add_file("/s/longer.so", "\0vtkCompositePolyDataMapper\0"s);
  world.files.add_file("/s/whole.so", "\0vtkCompositePolyDataMapper2\0"s);
  world.files.add_file("/s/compared.so", "\x48\xbavtkCompo\x48\x39\x50\x20\x75\x10"s);
  ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
  const auto name = "vtkCompositePolyDataMapper2";
  CHECK(finder.may_copy("/s/text.so", name) == false);
  CHECK(finder.may_copy("/s/code.so", name) == true);
  CHECK(finder.may_copy("/s/vector.so", name) == true);
  CHECK(finder.may_copy("/s/compared.so", name) == true);
  CHECK(finder.may_copy("/s/longer.so", name) == false);
  CHECK(finder.may_copy("/s/whole.so", name) == true);
  CHECK(finder.may_copy("/s/text.so", "vtkCompounds") == true);  // a short one may be put together of such halves
  CHECK(finder.may_copy("/s/text.so", "vtkCamera") == false);
  CHECK(finder.may_copy("/s/text.so", "vtkC") == true);
  CHECK_FALSE(finder.may_copy("/s/absent.so", name).has_value());
}

TEST_CASE("a folder holds modules if a source, bytecode, an extension or a package is in it") {
  const auto hold = [](const std::string& file) {
    FinderWorld world;
    world.files.add_folder("/s/empty");
    world.files.add_file("/s/" + file, "");
    ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
    return finder.hold_modules({"/t", "/s"});
  };
  for (const auto* file : {"a.py", "a.pyc", "a.cpython-311-x86_64-linux-gnu.so", "p/__init__.py"}) {
    CAPTURE(file);
    CHECK(hold(file));
  }
  for (const auto* file : {"lib.so", "a.pyi", "p/a.py", "text"}) {
    CAPTURE(file);
    CHECK_FALSE(hold(file));
  }
}

TEST_CASE("a name may be found if a file is called like it up to its first dot, or Python may have it built in") {
  FinderWorld world;
  for (const auto* path : {"/s/a.py", "/t/b.cpython-311-x86_64-linux-gnu.so", "/t/c/x.txt", "/other/d.py"})
    world.files.add_file(path, "");
  ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
  const std::vector<std::string> folders{"/s", "/t"};
  for (const auto* name : {"a", "b", "c", "math", "builtins"}) CHECK(finder.may_find(name, folders));
  for (const auto* name : {"d", "x", "a.py", "maths", ""}) CHECK_FALSE(finder.may_find(name, folders));
  // Of other folders it is another question.
  CHECK(finder.may_find("d", {"/other"}));
  CHECK_FALSE(finder.may_find("a", {"/other"}));
  CHECK(finder.may_find("a", folders));
}

TEST_CASE("the table of a libpython that lies there under two names is read once, and of another as well") {
  FinderWorld world;
  world.environment.path = {"/s"};
  world.environment.base_prefix = "/base";
  world.files.add_file("/s/os.py", "");
  const auto with = [](const std::string& init) { return elf({.defines = {{"main"}}}) + '\0' + init + '\0'; };
  world.files.add_file("/base/lib/libpython3.11.so.1.0", with("PyInit_math"));
  world.files.add_symlink("/base/lib/libpython3.11.so", "libpython3.11.so.1.0");
  world.files.add_file("/base/lib/libpython3.11d.so.1.0", with("PyInit_fcntl"));
  for (const auto* name : {"math", "fcntl"}) CHECK(world.find(name).kind == PlaceKind::built_in);
  CHECK(world.find("json").kind == PlaceKind::absent);
  (void)world.files.take_log();
  (void)world.find("math");
  std::vector<std::string> opened;
  for (const auto& asked : world.files.take_log())
    if (asked.starts_with("open ")) opened.push_back(asked);
  CHECK(opened == std::vector<std::string>{"open /base/lib/libpython3.11.so", "open /base/lib/libpython3.11d.so.1.0"});
}

TEST_CASE("the standard library is where os.py is, but for the packages that are installed in it") {
  FinderWorld world;
  world.environment.path = {"/t", "/s"};
  world.files.add_file("/s/os.py", "");
  ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
  CHECK(finder.in_standard_library("/s/json/__init__.py"));
  CHECK_FALSE(finder.in_standard_library("/s/site-packages/x.py"));
  CHECK_FALSE(finder.in_standard_library("/s/dist-packages/x.py"));
  CHECK_FALSE(finder.in_standard_library("/t/x.py"));
}

TEST_CASE("the table of an interpreter has names of less than a hundred letters, each with an end") {
  const auto built_in = [](const std::string& content) {
    FinderWorld world;
    world.environment.path = {"/s"};
    world.environment.interpreter = "/bin/python";
    world.files.add_file("/s/os.py", "");
    world.files.add_file("/s/math.so", "");
    world.files.add_file("/bin/python", content);
    // A table that has anything has all there is.
    return world.find("fcntl").kind == PlaceKind::built_in  ? "all"
           : world.find("json").kind == PlaceKind::built_in ? "json"
                                                            : "other";
  };
  const auto named = [](const std::string& name) { return std::string("\0PyInit_", 8) + name + std::string(1, '\0'); };
  CHECK(built_in(named("json")) == std::string("json"));
  CHECK(built_in(named("xyz")) == std::string("other"));
  CHECK(built_in(named(std::string(99, 'x'))) == std::string("other"));
  CHECK(built_in(named(std::string(100, 'x'))) == std::string("all"));
  CHECK(built_in(named(std::string(100, 'x')) + named("json")) == std::string("json"));
  CHECK(built_in(std::string("\0PyInit_json", 12)) == std::string("all"));
  CHECK(built_in(std::string("PyInit_json\0", 12)) == std::string("all"));
  CHECK(built_in("") == std::string("all"));
  CHECK(built_in("text") == std::string("all"));
}

TEST_CASE("folders are no files, and files no packages") {
  FinderWorld world;
  world.files.add_folder("/s/x.so");
  world.files.add_folder("/s/x.py");
  CHECK(world.find("x").kind == PlaceKind::absent);
  world.environment.extension_suffixes.clear();
  CHECK(world.find("x").kind == PlaceKind::absent);
  world.files.add_file("/t/x", "");
  CHECK(world.find("x").kind == PlaceKind::absent);
  world.files.add_file("/t/x.py", "");
  CHECK(world.find("x").path == "/t/x.py");
}

TEST_CASE("folders of packages are those of a site or of a distribution, wherever they lie") {
  FinderWorld world;
  world.environment.path = {"/s"};
  world.files.add_file("/s/os.py", "");
  ModuleFinder finder(world.environment, world.files, world.standard, world.heap);
  CHECK(finder.in_standard_library("/s/my-packages/x.py"));
  CHECK(finder.in_standard_library("/s/site-packages"));
  CHECK_FALSE(finder.in_standard_library("/s/my-packages/site-packages/x.py"));
  CHECK_FALSE(finder.in_standard_library("/s/site-packages/my-packages/x.py"));
  CHECK_FALSE(finder.in_standard_library("/t/json.py"));
  CHECK_FALSE(finder.is_library_not_at_hand("json"));
  CHECK(finder.is_standard("json"));
  CHECK_FALSE(finder.is_standard("other"));
  FinderWorld bare;
  ModuleFinder none(bare.environment, bare.files, bare.standard, bare.heap);
  CHECK(none.is_library_not_at_hand("json"));
  CHECK_FALSE(none.is_library_not_at_hand("other"));
  CHECK_FALSE(none.in_standard_library("/s/json.py"));
}

TEST_CASE("what is read and listed to find modules, and kept of it, is charged") {
  FinderWorld world;
  const auto charged = [&](const auto& work) {
    const auto before = world.budget.cost();
    work();
    const auto after = world.budget.cost();
    return std::pair(after.steps - before.steps, after.kept - before.kept);
  };
  using Charged = std::pair<std::uint64_t, std::uint64_t>;
  constexpr std::uint64_t text = sizeof(std::string);
  world.environment.path = {"/s"};
  world.environment.interpreter = "/bin/python";
  world.files.add_file("/s/os.py", "");
  world.files.add_file("/s/p/__init__.py", "");
  world.files.add_file("/bin/python", std::string("\0PyInit_json\0PyInit_math\0", 25) + std::string(6375, 'x'));
  std::optional<ModuleFinder> finder;
  CHECK(charged([&] { finder.emplace(world.environment, world.files, world.standard, world.heap); }) ==
        Charged{100, 4 * text + 8 + 2 * 3 * text + 6});
  CHECK(charged([&] { (void)finder->list("/s"); }) == Charged{0, 0});
  CHECK(charged([&] { (void)finder->find("absent", {"/s", "/t"}, true); }) == Charged{40, 0});
  CHECK(charged([&] { (void)finder->find("p", {"/s", "/t"}, true); }) == Charged{20, 3 * text + 11});
  CHECK(charged([&] { (void)finder->hold_modules({"/s"}); }) == Charged{20, 0});
  CHECK(charged([&] { (void)finder->hold_modules({"/t"}); }) == Charged{0, 0});
  // Always built in: 8, in the standard library: 6, one of them both; in the folder: os and p.
  CHECK(charged([&] { (void)finder->may_find("x", {"/s"}); }) == Charged{20 + 20 * 15, 0});
  CHECK(charged([&] { (void)finder->may_find("y", {"/s"}); }) == Charged{20, 0});
}
