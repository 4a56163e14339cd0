#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/import_world.h"
#include "unit/machine/cache_file.h"

using namespace cudald;

namespace {

ImportWorld virtual_environment() {
  ImportWorld world;
  world.rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "platform", "site", "sysconfig", "codecs"]},
                    "rules": [], "libraries": {"rows": {}}})";
  world.python.prefix = "/v";
  world.python.base_prefix = "/p";
  world.python.interpreter = "/v/bin/python";
  world.python.cwd = "/w";
  for (const std::string folder : {"/v/lib/python3.11/site-packages", "/p/lib/python3.11/dist-packages"}) {
    world.files.add_folder(folder);
    world.python.path.push_back(folder);
  }
  world.files.add_file("/w/here.txt", "");
  for (const auto* name : {"a.so", "b.so"}) world.add(name);
  return world;
}

std::string answer_in(ImportWorld world, std::string_view condition) {
  world.add("m.py", "import codecs, ctypes, ctypes.util, os, platform, site, sys, sysconfig\nif " +
                        std::string(condition) + ":\n  import a\nelse:\n  import b\n");
  const auto loads = world.import("m");
  return loads == "a.so"                           ? "true"
         : loads == "b.so"                         ? "false"
         : loads == "a.so optional, b.so optional" ? "open"
                                                   : loads;
}

}  // namespace

TEST_CASE("facts of an environment, of its Python and of the process") {
  for (const std::string_view fact : {
           "sys.prefix == '/v' and sys.exec_prefix == '/v'",
           "sys.base_prefix == '/p' and sys.base_exec_prefix == '/p'",
           "sys.executable == '/v/bin/python'",
           "sys.version == '3.11.0 (cudald)'",
           "sys.version_info == (3, 11, 0, 'final', 0)",
           "sys.version_info.major == 3 and sys.version_info.minor == 11",
           "sys.hexversion == 0x030B00F0",
           "sys.path == ['', '/s', '/v/lib/python3.11/site-packages', '/p/lib/python3.11/dist-packages']",
           "platform.python_version() == '3.11.0'",
           "platform.python_implementation() == 'CPython'",
           "platform.system() == 'Linux'",
           "platform.machine() == 'x86_64'",
           "platform.architecture() == ('64bit', 'ELF')",
           "sysconfig.get_config_var('EXT_SUFFIX') == '.cpython-311-x86_64-linux-gnu.so'",
           "sysconfig.get_config_var('prefix') == '/v' and sysconfig.get_config_var('exec_prefix') == '/v'",
           "sysconfig.get_config_var('base') == '/p' and sysconfig.get_config_var('installed_base') == '/p'",
           "sysconfig.get_config_var('Py_GIL_DISABLED') == 0 and sysconfig.get_config_var('Py_DEBUG') == 0",
           "sysconfig.get_path('data') == '/v'",
           "sysconfig.get_path('scripts') == '/v/bin'",
           "sysconfig.get_path('purelib') == '/v/lib/python3.11/site-packages'",
           "sysconfig.get_path('platlib') == '/v/lib/python3.11/site-packages'",
           "site.getsitepackages() == ['/v/lib/python3.11/site-packages', '/p/lib/python3.11/dist-packages']",
           "os.path.abspath('x/../y') == '/w/y'",
           "os.path.exists('here.txt') and not os.path.exists('there.txt')",
           "os.path.realpath('here.txt') == '/w/here.txt'",
       }) {
    CAPTURE(fact);
    CHECK(answer_in(virtual_environment(), fact) == "true");
  }
  for (const std::string_view open : {
           "sysconfig.get_config_var('CC') == 'gcc'",
           "sysconfig.get_config_var(what()) == 0",
           "sysconfig.get_path('include') == '/v/include'",
           "sysconfig.get_path('purelib', 'posix_home') == '/v'",
           "sysconfig.get_path(what()) == '/v'",
           "platform.node() == 'x'",
       }) {
    CAPTURE(open);
    CHECK(answer_in(virtual_environment(), open) == "open");
  }
}

TEST_CASE("whether torch was built for Intel's GPUs is said by its version") {
  for (const auto& [version, answer] : {std::pair("xpu = None\n", "false"), {"xpu = '2025'\n", "true"}, {"", "open"}}) {
    auto world = virtual_environment();
    world.rules = R"({"standard_library": {"names": ["sys"]}, "rules": [], "libraries": {"rows": {}},
                      "settings": {"rows": [{"attribute": "torch._C._has_xpu", "is_set": "torch.version.xpu"}]}})";
    world.add("torch/__init__.py", "from . import version\nfrom . import _C\n");
    world.add("torch/version.py", version);
    world.add("torch/_C.so");
    world.add("n.py", "import torch\n");
    world.add("m.py", "import torch\nif torch._C._has_xpu:\n  import a\nelse:\n  import b\n");
    const auto loads = world.import("m");
    const auto& seen_version = version;
    CAPTURE(seen_version);
    CHECK(loads == "torch/_C.so, " + std::string(answer == std::string("true")    ? "a.so"
                                                 : answer == std::string("false") ? "b.so"
                                                                                  : "a.so optional, b.so optional"));
  }
}

TEST_CASE("of a process of 32 bits") {
  auto world = virtual_environment();
  world.python.narrow = true;
  world.python.machine = "i686";
  CHECK(answer_in(world, "sys.maxsize == 0x7fffffff") == "true");
  CHECK(answer_in(world, "platform.architecture()[0] == '32bit'") == "true");
  CHECK(answer_in(world, "platform.machine() == 'i686'") == "true");
}

TEST_CASE("of a Python whose version is not known") {
  auto world = virtual_environment();
  world.python.version.clear();
  world.python.extension_suffixes.clear();
  for (const auto* open : {"platform.python_version() == ''", "sys.version_info[0] == 3", "sys.hexversion == 0",
                           "sysconfig.get_config_var('EXT_SUFFIX') == ''"}) {
    CAPTURE(open);
    CHECK(answer_in(world, open) == "open");
  }
}

TEST_CASE("find_library: the C library's own are there, others as the loader's cache and its search say") {
  const auto found = [](const std::string& name, const std::vector<CacheLine>& cache,
                        const std::optional<std::set<std::string>>& by_search, const std::string& is) {
    auto world = virtual_environment();
    world.files.add_file("/etc/ld.so.cache", new_cache(cache));
    world.found = by_search;
    return answer_in(world, "ctypes.util.find_library('" + name + "') " + is);
  };
  const std::set<std::string> none;
  CHECK(found("c", {}, none, "== 'libc.so.6'") == "true");
  CHECK(found("m", {}, none, "== 'libm.so.6'") == "true");
  CHECK(found("dl", {}, none, "== 'libdl.so.2'") == "true");
  CHECK(found("rt", {}, none, "== 'librt.so.1'") == "true");
  CHECK(found("pthread", {}, none, "== 'libpthread.so.0'") == "true");
  CHECK(found("z", {}, none, "is None") == "true");
  CHECK(found("z", {{"libz.so.1", "/lib/libz.so.1"}}, none, "== 'libz.so.1'") == "true");
  CHECK(found("z", {{"libz.so.1", "/a"}, {"libz.so.1", "/b"}}, none, "== 'libz.so.1'") == "true");
  CHECK(found("z", {{"libzip.so.1", "/lib/libzip.so.1"}}, none, "is None") == "true");
  CHECK(found("z", {{"libz.so.2", "/lib/libz.so.2"}, {"libz.so.1", "/lib/libz.so.1"}}, none, "is None") == "open");
  CHECK(found("z", {}, {{"libz.so"}}, "is None") == "open");  // what a linker would find has a name of its own
  CHECK(found("z", {}, {{"libz.so.1"}}, "== 'libz.so.1'") == "true");
  CHECK(found("z", {}, std::nullopt, "is None") == "open");
  CHECK(found(std::string(256, 'z'), {}, none, "is None") == "open");
  CHECK(found(std::string(255, 'z'), {}, none, "is None") == "true");
}

TEST_CASE("what compiles a regular expression is not followed: it imports nothing") {
  for (const std::string call : {"re.compile('a', 2)", "re.match('a', 'b', 2)", "re._compiler.compile('a')"}) {
    CAPTURE(call);
    auto world = virtual_environment();
    world.add("a.so");
    world.add("b.so");
    world.add("re/__init__.py",
              "from . import _compiler\n"
              "def compile(text, flags=0):\n  return _compile(text)\n"
              "def match(text, other, flags=0):\n  return _compile(text).match(other)\n"
              "def _compile(text):\n  import a\n  return _compiler.compile(text)\n");
    world.add("re/_compiler.py", "def compile(text):\n  import a\n");
    world.add("m.py", "import re\nx = " + call + "\nif x is None:\n  import b\n");
    CHECK(world.import("m") == "b.so optional");  // it may be None, or not
  }
}

TEST_CASE("a codec is a module of encodings, whose name is in lower case") {
  const auto imported = [](const std::string& code) {
    auto world = virtual_environment();
    world.add("encodings/__init__.py");
    for (const auto* name : {"encodings/utf_8.so", "encodings/a_b.so", "encodings/zz9.so"}) world.add(name);
    world.add("m.py", "import codecs\n" + code + "\nimport a\n");
    return world.import("m");
  };
  CHECK(imported("'x'.encode('UTF-8')") == "encodings/utf_8.so optional, a.so");
  CHECK(imported("'x'.decode(encoding='utf-8')") == "encodings/utf_8.so optional, a.so");
  CHECK(imported("codecs.lookup('a b')") == "encodings/a_b.so optional, a.so");
  CHECK(imported("codecs.lookup('ZZ9')") == "encodings/zz9.so optional, a.so");
  CHECK(imported("codecs.lookup('nothing')") == "a.so");
  CHECK(imported("codecs.lookup('" + std::string(41, 'a') + "')") == "a.so");
  CHECK(imported("'x'.encode()") == "a.so");
  CHECK(imported("def f():\n  if what(): 'x'.encode('utf-8')\nf()") == "a.so");
}

TEST_CASE("what code puts into the environment of the process is there from then on") {
  CHECK(answer_in(virtual_environment(), "os.environ.setdefault('N', 'x') == 'x' and os.environ['N'] == 'x'") ==
        "true");
  auto world = virtual_environment();
  world.python.variables = {{"HOME", "/root"}};
  CHECK(answer_in(world, "os.environ['HOME'] == '/root' and os.getenv('HOME', 'x') == '/root'") == "true");
  CHECK(answer_in(world, "os.environ.setdefault('HOME', 'x') == '/root' and 'HOME' in os.environ") == "true");
  CHECK(answer_in(world, "'home' in os.environ") == "false");
}

TEST_CASE("what is asked of the system without a name, or for one that is not there, is not known") {
  for (const std::string_view open : {
           "sysconfig.get_config_var() == 0",
           "sysconfig.get_path() == '/v'",
           "sysconfig.get_path('purelib', what()) == '/v'",
           "codecs.lookup() == 0",
           "codecs.lookup(what()) == 0",
           "os.environ.setdefault() == 'x'",
       }) {
    CAPTURE(open);
    CHECK(answer_in(virtual_environment(), open) == "open");
  }
  auto world = virtual_environment();
  world.python.path = {"/s", "/p/lib/python3.11/dist-packages"};
  CHECK(answer_in(world, "sysconfig.get_path('purelib') == '/p/lib/python3.11/dist-packages'") == "open");
  world.python.path = {"/s", "/vv/lib/python3.11/site-packages", "/v/lib/python3.11/site-packages"};
  CHECK(answer_in(world, "sysconfig.get_path('platlib') == '/v/lib/python3.11/site-packages'") == "true");
  CHECK(answer_in(world, "sys.getfilesystemencoding() == 'utf-8' and sys.getdefaultencoding() == 'utf-8'") == "true");
}
