#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

AnswerWorld world_of_imports() {
  AnswerWorld world;
  world.add("p/__init__.py", "x = 1\n");
  world.add("p/q.py", "name = 'q'\n");
  world.add("p/r/__init__.py", "name = 'r'\n");
  world.add("p/e.so");
  world.add("space/n.py", "name = 'n'\n");
  world.add("named.py", "__name__ = 'other'\nx = 5\n");
  world.add("t-1.5.dist-info/METADATA", "Name: t\nVersion: 1.5\n");
  world.add("t-1.5.dist-info/RECORD", "t/a.py,,\nt/b.py,,\n");
  world.add("bare-2.dist-info/entry_points.txt",
            "[g]\n; remark\n# remark\none = p.q:name\ntwo = p : x [extra]\nthree\n[open\nfour = p\n[h]\nfive = p.q\n"
            "six=p:x.y\nseven = :x\n");
  world.add("bare-3.egg-info/entry_points.txt", "[g]\neight = p\n");
  world.add("more-1.egg-info/entry_points.txt", "[g]\nnine = p\n");
  world.add("none-1.dist/entry_points.txt", "[g]\nten = p\n");
  world.add("p/words.txt", "two words");
  return world;
}

/// What is loaded by code that is run as a module.
std::string loads_by_imports(std::string_view code, bool complete = true) {
  auto world = world_of_imports();
  world.python.complete = complete;
  world.add("m.py",
            "import importlib, importlib.util, importlib.metadata, importlib.resources, sys\n" + std::string(code));
  return world.import("m");
}

constexpr std::string_view true_of_imports[] = {
    "importlib.import_module('p').x == 1 and importlib.import_module(name='p.q').name == 'q'",
    "importlib.import_module('.q', 'p').name == 'q' and importlib.import_module('..q', package='p.r').name == 'q'",
    "__import__('p.q').x == 1 and __import__('p.q', fromlist=[]).x == 1 and __import__('p.q', fromlist=['x']).name == "
    "'q'",
    "__import__('p', None, None, ['q', 'absent', '*']).q.name == 'q'",
    "__import__('p', level=0).x == 1 and __import__(name='p').x == 1",
    "importlib.util.find_spec('p').name == 'p' and importlib.util.find_spec('p').origin == '/s/p/__init__.py'",
    "importlib.util.find_spec('p').submodule_search_locations == ['/s/p']",
    "s = importlib.util.find_spec('p.q')\n"
    "s.name == 'p.q' and s.origin == '/s/p/q.py' and s.submodule_search_locations is None",
    "importlib.util.find_spec('absent') is None and importlib.util.find_spec('p.absent') is None",
    "importlib.util.find_spec(name='p.e').origin == '/s/p/e.so'",
    "s = importlib.util.find_spec('space')\ns.origin is None and s.submodule_search_locations == ['/s/space']",
    "import space\ns = importlib.util.find_spec('space')\n"
    "s.name == 'space' and s.origin is None and s.submodule_search_locations == ['/s/space']",
    "find = importlib.machinery.PathFinder.find_spec\n"
    "find('q', ['/s/p']).origin == '/s/p/q.py' and find('x.q', path=['/s/p']).name == 'x.q'",
    "importlib.machinery.PathFinder.find_spec('p', None).origin == '/s/p/__init__.py'",
    "importlib.machinery.PathFinder.find_spec(fullname='p').origin == '/s/p/__init__.py'",
    "importlib.machinery.PathFinder().find_spec('p').origin == '/s/p/__init__.py'",
    "importlib.machinery.PathFinder.find_spec('absent') is None",
    "f = importlib.machinery.FileFinder('/s/p')\n"
    "f.path == '/s/p' and f.find_spec('q').origin == '/s/p/q.py' and f.find_spec('p.q').name == 'p.q'",
    "importlib.machinery.FileFinder(path='/s/p').find_spec('absent') is None",
    "s = importlib.util.spec_from_file_location('n', '/s/p/q.py')\ns.name == 'n' and s.origin == '/s/p/q.py'",
    "s = importlib.util.spec_from_file_location(name='n', location='/s/p/__init__.py')\n"
    "s.submodule_search_locations == ['/s/p']",
    "s = importlib.util.spec_from_file_location('n', '/s/p/q.py')\nm = importlib.util.module_from_spec(s)\n"
    "s.loader.exec_module(m)\nm.name == 'q' and m.__name__ == 'n' and m.__file__ == '/s/p/q.py'",
    "s = importlib.util.spec_from_file_location('n', '/s/named.py')\nm = importlib.util.module_from_spec(spec=s)\n"
    "s.loader.exec_module(module=m)\nm.x == 5 and m.__name__ == 'other'",
    "import importlib.resources\nstr(importlib.resources.files('p')) == '/s/p'",
    "import importlib.resources, p.r\nimportlib.resources.files(p.r) == '/s/p/r'",
    "import importlib.resources\nimportlib.resources.read_text('p', 'words.txt') == 'two words'",
    "importlib.metadata.version('t') == '1.5' and importlib.metadata.version('T') == '1.5'",
    "d = importlib.metadata.distribution('t')\nd.version == '1.5' and d.files == ['/s/t/a.py', '/s/t/b.py']",
    "importlib.metadata.Distribution.from_name('t').version == '1.5'",
    "importlib.metadata.files('t') == ['/s/t/a.py', '/s/t/b.py'] and importlib.metadata.files('bare') is None",
    "[x.name for x in importlib.metadata.entry_points(group='g')] == ['one', 'two', 'four', 'nine']",
    "[x.value for x in importlib.metadata.entry_points(group='h')] == ['p.q', 'p:x.y', ':x']",
    "x = importlib.metadata.entry_points(group='g', name='two')[0]\n"
    "x.name == 'two' and x.group == 'g' and x.value == 'p : x [extra]' and x.module == 'p' and x.attr == 'x'",
    "x = importlib.metadata.entry_points().select(group='h', name='five')[0]\nx.module == 'p.q' and x.attr == ''",
    "[x.attr for x in importlib.metadata.entry_points().get('h')] == ['', 'x.y', 'x']",
    "importlib.metadata.entry_points(group='g')[0].load() == 'q' and "
    "importlib.metadata.entry_points().get('h')[0].load().name == 'q'",
    "importlib.metadata.entry_points(group='g', name='two')[0].load() == 1",
    "list(importlib.metadata.entry_points(group='none')) == []",
};

constexpr std::string_view open_of_imports[] = {
    "importlib.import_module('.q') == 1",
    "importlib.import_module('') == 1",
    "importlib.import_module('.q', what()) == 1",
    "__import__('') == 1",
    "importlib.util.find_spec() is None",
    "importlib.util.find_spec('.q') is None",
    "importlib.machinery.PathFinder.find_spec() is None",
    "importlib.machinery.PathFinder.find_spec('q', what()) is None",
    "importlib.machinery.PathFinder.find_spec('q', [what()]) is None",
    "importlib.machinery.PathFinder.find_spec('q', ['p']) is None",
    "importlib.machinery.FileFinder().path == 1",
    "importlib.machinery.FileFinder('p').find_spec('q') is None",
    "importlib.machinery.FileFinder('/s/p').find_spec() is None",
    "importlib.util.spec_from_file_location('n') is None",
    "importlib.util.spec_from_file_location(what(), '/s/p/q.py') is None",
    "importlib.util.spec_from_file_location('n', '/s/none.py') is None",
    "importlib.util.spec_from_file_location('n', 'p/q.py') is None",
    "importlib.util.module_from_spec() is None",
    "class C: pass\nimportlib.util.module_from_spec(C()) is None",
    "s = importlib.util.find_spec('p')\ns.loader.exec_module() is None",
    "s = importlib.util.find_spec('p')\ns.loader.exec_module(s) is None",
    "import importlib.resources\nimportlib.resources.files() == 1",
    "import importlib.resources\nimportlib.resources.files(5) == 1",
    "import importlib.resources\nimportlib.resources.files('p.q') == 1",
    "importlib.metadata.version() == ''",
    "importlib.metadata.version('bare') == ''",
    "importlib.metadata.version(what()) == ''",
    "importlib.metadata.files() is None",
    "importlib.metadata.distribution() is None",
    "importlib.metadata.distribution(what()).version == 1",
    "importlib.metadata.entry_points(what()) == []",
    "importlib.metadata.entry_points(group=what()) == []",
    "importlib.metadata.entry_points(group='g', name=what()) == []",
    "importlib.metadata.entry_points().get() == []",
    "importlib.metadata.entry_points(group='h', name='seven')[0].load() == 1",
    "importlib.metadata.entry_points(group='h', name='six')[0].load() == 1",
};

}  // namespace

TEST_CASE("a distribution brings in what its metadata, or its files, are read with when they are asked of it") {
  const auto loads = [](const std::string& code) {
    auto world = world_of_imports();
    world.add("csv.py", "import files_are_read\n");
    world.add("email/__init__.py", "");
    world.add("email/parser.py", "import metadata_is_read\n");
    world.add("files_are_read.so");
    world.add("metadata_is_read.so");
    world.add("m.py", "import importlib.metadata\n" + code);
    return world.import("m");
  };
  const std::string files = "files_are_read.so optional", metadata = "metadata_is_read.so optional";
  CHECK(loads("importlib.metadata.distribution('t')\n") == "");
  CHECK(loads("importlib.metadata.distribution('t').version\n") == metadata);
  CHECK(loads("d = importlib.metadata.distribution('t')\nd.files\nd.metadata\n") == files + ", " + metadata);
  CHECK(loads("importlib.metadata.distribution('t').requires\n") == metadata);
  CHECK(loads("importlib.metadata.distribution('t').name\n") == metadata);
  CHECK(loads("importlib.metadata.distribution('t').locate_file\n") == "");
  CHECK(loads("importlib.metadata.version('t')\n") == metadata);
  CHECK(loads("importlib.metadata.files('t')\n") == files);
  CHECK(loads("try: importlib.metadata.version('absent')\nexcept Exception: pass\n") == "");
}

TEST_CASE("functions that import, and that tell of modules and packages, give what Python's give") {
  check_answers(world_of_imports(), true_of_imports, "true");
}

TEST_CASE("what functions of imports make of too little or of what is not known is not known") {
  check_answers(world_of_imports(), open_of_imports, "open");
}

TEST_CASE("behind a condition that is not known a function imports nothing by any function") {
  for (const std::string call :
       {"importlib.import_module('a')", "__import__('a')", "importlib.resources.files('a')",
        "importlib.util.find_spec('a.x')", "importlib.metadata.entry_points(group='ext')[0].load()",
        "s.loader.exec_module(importlib.util.module_from_spec(s))"}) {
    CAPTURE(call);
    auto world = world_of_imports();
    world.add("ext-1.dist-info/entry_points.txt", "[ext]\na = a\n");
    world.python.complete = true;
    const std::string head =
        "import importlib, importlib.util, importlib.metadata, importlib.resources\n"
        "s = importlib.util.spec_from_file_location('n', '/s/a.so')\ndef f():\n  ";
    world.add("m.py", head + "if what(): " + call + "\nf()\n");
    CHECK(world.import("m") == "");
    world.loads.clear();
    world.add("m.py", head + call + "\nf()\n");
    CHECK(world.import("m").starts_with("a.so"));
  }
}

TEST_CASE("a package without metadata raises an error where all packages are known") {
  const auto said = [](const std::string& call, bool complete = true) {
    auto world = world_of_imports();
    world.python.complete = complete;
    return world("from importlib.metadata import PackageNotFoundError\ntry:\n  importlib.metadata." + call +
                 "('absent')\n  r = 1\nexcept PackageNotFoundError as e: r = str(e)\n"
                 "r == 'No package metadata was found for absent'");
  };
  for (const std::string call : {"version", "files", "distribution"}) {
    CHECK(said(call) == "true");
    CHECK(said(call, false) == "false");
  }
  CHECK(loads_by_imports("importlib.metadata.version('absent')\nimport a\n") == "");
  CHECK(loads_by_imports("try:\n  if what():\n    importlib.metadata.version('absent')\n    import a\n"
                         "except ImportError: import b\n") == "a.so optional");
}

TEST_CASE("entry points may be of packages that are not there, if not all are known") {
  auto world = world_of_imports();
  world.python.complete = false;
  CHECK(world("importlib.metadata.entry_points(group='none') == []") == "open");
  CHECK(world("importlib.metadata.entry_points(group='g') == []") == "open");
}

TEST_CASE("a module that is taken to be elsewhere may have a spec") {
  auto world = world_of_imports();
  world.python.elsewhere = {"far", "wide.part"};
  CHECK(world("importlib.util.find_spec('far') is None") == "open");
  CHECK(world("importlib.util.find_spec('wide') is None") == "open");
  CHECK(world("importlib.util.find_spec('wide.part') is None") == "open");
  CHECK(world("importlib.util.find_spec('wide.other') is None") == "true");
  CHECK(world("importlib.util.find_spec('near') is None") == "true");
  world.python.complete = false;
  CHECK(world("importlib.util.find_spec('near') is None") == "open");
  CHECK(world("importlib.util.find_spec('p.absent') is None") == "true");
}

TEST_CASE("import of a module whose name is not known is told, with its kind") {
  for (const std::string call :
       {"importlib.import_module(what())", "__import__(what())", "importlib.import_module()"}) {
    auto world = world_of_imports();
    world.add("m.py", "import importlib\n" + call + "\n");
    world.import("m");
    REQUIRE(world.result.unfollowed.size() == 1);
    CHECK(world.result.unfollowed[0].kind == Unfollowed::Kind::module);
    CHECK(world.result.unfollowed[0].code == call);
    CHECK(world.result.unfollowed[0].line == 2);
    CHECK(world.result.unfollowed[0].module == "m");
  }
}

TEST_CASE("of files of packages a megabyte of entry points is read, ten thousand of them, and four of METADATA") {
  const auto entry_points = [](const std::string& text) {
    AnswerWorld world;
    world.add("big-1.dist-info/entry_points.txt", text);
    return world("len(importlib.metadata.entry_points(group='g', name='last')) == 1");
  };
  const auto lines = [](int count) {
    std::string text = "[g]\n";
    for (int i = 0; i < count; ++i) text += "n=v\n";
    return text;
  };
  const std::string point = "last = v\n", head = "[g]\n" + point + "#";
  constexpr std::size_t most = std::size_t{1} << 20;
  CHECK(entry_points(head + std::string(most - head.size(), 'x')) == "true");
  CHECK(entry_points(head + std::string(most + 1 - head.size(), 'x')) == "false");
  CHECK(entry_points(lines(9'999) + point) == "true");
  CHECK(entry_points(lines(10'000) + point) == "false");
  const auto version = [](std::size_t size) {
    AnswerWorld world;
    const std::string metadata = "Name: t\nVersion: 1.5\n\n";
    world.add("t-1.5.dist-info/METADATA", metadata + std::string(size - metadata.size(), 'x'));
    return world("importlib.metadata.version('t') == '1.5'");
  };
  CHECK(version(4 * most) == "true");
  CHECK(version(4 * most + 1) == "open");
}

TEST_CASE("since Python 3.15 zipfile comes in when distributions are looked for") {
  const auto loads = [](const std::string& version, const std::string& code) {
    auto world = world_of_imports();
    world.python.version = version;
    world.add("zipfile.py", "import a\n");
    world.add("a.so");
    world.add("m.py", "import importlib.metadata\n" + code);
    return world.import("m");
  };
  for (const auto* code : {"importlib.metadata.version('t')\n", "importlib.metadata.distribution('t')\n",
                           "importlib.metadata.entry_points()\n", "importlib.metadata.entry_points(group='g')\n"}) {
    CAPTURE(code);
    CHECK(loads("3.15", code) == "a.so optional");
    CHECK(loads("3.14", code) == "");
  }
  CHECK(loads("3.15", "importlib.metadata\n") == "");
}

TEST_CASE("since Python 3.12 entry points are no dictionary") {
  const auto error = [](const std::string& version) {
    auto world = world_of_imports();
    world.python.version = version;
    world.add("m.py", "import importlib.metadata\nfor p in importlib.metadata.entry_points().get('h', []): pass\n");
    world.import("m");
    return world.result.error;
  };
  CHECK(error("3.11") == "");
  CHECK(error("3.12") == "AttributeError: 'EntryPoints' object has no attribute 'get'");
}

TEST_CASE("what reads a package's own files imports a module for that") {
  for (const std::string function :
       {"files('p')", "read_text('p', 'absent')", "read_binary('p', 'x')", "open_text('p', 'x')",
        "open_binary('p', 'x')", "path('p', 'x')", "contents('p')", "is_resource('p', 'x')"}) {
    CAPTURE(function);
    auto world = world_of_imports();
    world.rules = R"({"standard_library": {"names": ["sys"]}, "rules": [], "libraries": {"rows": {}}})";
    world.add("importlib/__init__.py");
    world.add("importlib/readers.py", "import a\n");
    world.add("importlib/resources.py", "def " + function.substr(0, function.find('(')) + "(*names): pass\n");
    world.add("a.so");
    world.add("m.py", "import importlib.resources\nimportlib.resources." + function + "\n");
    CHECK(world.import("m") == "a.so optional");
  }
}

TEST_CASE("a part that a package looks for in its own directory, and that is not there, is named with the error") {
  AnswerWorld world;
  world.add("p/_part_cpu.so");
  world.add("p/__init__.py",
            "import importlib.machinery, os\n"
            "importlib.machinery.PathFinder().find_spec('_part_cuda', [os.path.dirname(__file__)]).origin\n");
  world.import("p");
  CHECK(world.result.error == "AttributeError: 'NoneType' object has no attribute 'origin'");
  REQUIRE(world.result.notes.size() == 1);
  CHECK(world.result.notes[0] == std::string(looked_for) + "/s/p/_part_cuda.so" + std::string(not_there));
}
