#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

AnswerWorld world_of_paths() {
  AnswerWorld world;
  world.add("f/a.txt", "one\n");
  world.add("f/b.txt", "two");
  world.add("f/.hidden.txt");
  world.add("f/g/c.txt");
  world.add("f/n.json", R"({"i": 7, "t": "x", "b": true, "n": null, "l": [1, [2]], "f": 1.5})");
  world.add("f/broken.json", "{");
  world.files.add_folder("/s/f/empty");
  return world;
}

constexpr std::string_view true_of_paths[] = {
    "os.path.join('a', 'b', 'c') == 'a/b/c' and os.path.join('a') == 'a' and os.path.join('a', '/b', 'c') == '/b/c'",
    "os.path.dirname('/a/b') == '/a' and os.path.basename('/a/b') == 'b' and os.path.dirname('/a/b/') == '/a/b'",
    "os.path.split('/a/b') == ['/a', 'b'] and os.path.splitext('/a/b.c') == ['/a/b', '.c']",
    "os.path.splitext('/a.b/c') == ['/a.b/c', ''] and os.path.splitext('/a/.b') == ['/a/.b', '']",
    "os.path.abspath('/a/../b') == '/b' and os.path.normpath('/a/./b//c/..') == '/a/b'",
    "os.path.expanduser('x') == 'x' and os.path.expandvars('x') == 'x' and os.path.normcase('Ab') == 'Ab'",
    "os.fspath('x') == 'x' and os.fsdecode('x') == 'x' and os.fsencode('x') == 'x'",
    "os.path.isabs('/a') and not os.path.isabs('a') and not os.path.isabs('')",
    "os.path.exists('/s/f') and os.path.exists('/s/f/a.txt') and not os.path.exists('/s/x')",
    "os.path.lexists('/s/f/a.txt') and not os.path.lexists('/s/x')",
    "os.path.isfile('/s/f/a.txt') and not os.path.isfile('/s/f') and not os.path.isfile('/s/x')",
    "os.path.isdir('/s/f') and not os.path.isdir('/s/f/a.txt') and not os.path.isdir('/s/x')",
    "os.path.realpath('/s/f/../f/a.txt') == '/s/f/a.txt' and os.path.realpath('/none/../x') == '/x'",
    "os.listdir('/s/f/g') == ['c.txt'] and os.listdir('/s/f/empty') == []",
    "glob.glob('/s/f/*.txt') == ['/s/f/a.txt', '/s/f/b.txt'] and glob.iglob('/s/f/g/*') == ['/s/f/g/c.txt']",
    "glob.glob('/s/f/.h*') == ['/s/f/.hidden.txt'] and glob.glob(pathname='/s/f/?.json') == ['/s/f/n.json']",
    "glob.glob('/s/*/g/c.*') == ['/s/f/g/c.txt'] and glob.glob('/s/f/a.txt') == ['/s/f/a.txt']",
    "glob.glob('/s/f/x.txt') == [] and glob.glob('/*') == ['/s']",
    "glob.glob('/s/f/[a]*') == ['/s/f/a.txt'] and glob.glob('/s/[f]/[!b]?t*') == ['/s/f/a.txt']",
    "json.loads('{\"a\": [1, true]}')['a'] == [1, True] and json.loads('null') is None and json.loads('-5') == -5",
    "j = json.load(open('/s/f/n.json'))\n"
    "j['i'] == 7 and j['t'] == 'x' and j['b'] is True and j['n'] is None and j['l'] == [1, [2]]",
    "open('/s/f/a.txt').readlines() == ['one\\n'] and open('/s/f/b.txt').readlines() == ['two']",
    "P = pathlib.Path\nstr(P('/a', 'b') / 'c') == '/a/b/c' and P('/a/b').parent == '/a' and P('/a/b').name == 'b'",
    "p = pathlib.Path('/a/b.tar.gz')\np.stem == 'b.tar' and p.suffix == '.gz' and p.suffixes == ['.tar', '.gz']",
    "pathlib.Path('/a/.b').suffixes == [] and pathlib.Path('/a/.b.c').suffixes == ['.c']",
    "pathlib.Path('/a/b/c').parents == ['/a/b', '/a', '/'] and pathlib.Path('a/b').parents[0] == 'a'",
    "p = pathlib.Path('/s/f')\np.exists() and p.is_dir() and not p.is_file() and (p / 'a.txt').is_file()",
    "p = pathlib.Path('/s/x')\nnot p.exists() and not p.is_dir() and not p.is_file()",
    "p = pathlib.Path('/s/f/../f')\np.resolve() == '/s/f' and p.absolute() == '/s/f/../f' and p.is_absolute()",
    "p = pathlib.Path('/a')\np.expanduser() == '/a' and p.as_posix() == '/a' and p.__fspath__() == '/a'",
    "p = pathlib.Path('/a')\np.joinpath('b', 'c') == '/a/b/c' and p.joinpath() == '/a'",
    "pathlib.Path('/s/f/g').iterdir() == ['/s/f/g/c.txt'] and pathlib.Path('/s/f').glob('a*') == ['/s/f/a.txt']",
    "pathlib.Path('/s/f/a.txt').read_text() == 'one\\n' and pathlib.Path('/s/f/a.txt').open().read() == 'one\\n'",
    "p = pathlib.Path('/a/b.c')\np.with_name('d') == '/a/d' and p.with_suffix('.e') == '/a/b.e'",
    "pathlib.PurePath('/a').name == 'a' and pathlib.PosixPath('/a').name == 'a'",
};

constexpr std::string_view open_of_paths[] = {
    "os.path.join() == ''",
    "os.path.join('a', 5) == 'a'",
    "os.path.join(p='a') == 'a'",
    "os.path.dirname() == ''",
    "os.path.basename() == ''",
    "os.path.basename(5) == ''",
    "os.path.expanduser() == ''",
    "os.path.abspath() == ''",
    "os.path.abspath('x') == '/x'",
    "os.path.normpath() == ''",
    "os.path.normpath('a/../b') == 'b'",
    "os.path.realpath() == ''",
    "os.path.realpath('x') == 'x'",
    "os.path.isabs() == ''",
    "os.path.exists()",
    "os.path.isfile()",
    "os.path.isfile(what())",
    "os.path.isdir()",
    "os.path.split() == []",
    "os.path.splitext(5) == []",
    "os.listdir() == []",
    "os.listdir('f') == []",
    "os.listdir('/s/none') == []",
    "glob.glob() == []",
    "glob.glob('*', root_dir='/s') == []",
    "json.loads() == 1",
    "glob.glob('f/*') == []",
    "json.loads('[') == 1",
    "json.loads('1.5') == 1",
    "json.load() == 1",
    "json.load('x') == 1",
    "json.load(sys.flags) == 1",
    "json.load(open('/s/f/broken.json')) == 1",
    "json.load(open('/s/f/n.json'))['f'] == 1.5",
    "open('/s/f/a.txt').read(1) == 'o'",
    "open('/s/f/a.txt').seek(0) == 0",
    "pathlib.Path() == '.'",
    "pathlib.Path('x').absolute() == '/x'",
    "pathlib.Path('x').resolve() == '/x'",
    "pathlib.Path('x').read_text() == ''",
    "pathlib.Path('/s/f').read_text() == ''",
    "pathlib.Path('x').open().read() == ''",
    "pathlib.Path('/s/f').open().read() == ''",
    "pathlib.Path('/s/f/a.txt').open('r').read() == 'one\\n'",
    "pathlib.Path('/s/none').iterdir() == []",
    "pathlib.Path('x').iterdir() == []",
    "pathlib.Path('/s/f').glob() == []",
    "pathlib.Path('/s/f').glob('**/*.txt') == []",
    "pathlib.Path('/a').with_name() == ''",
    "pathlib.Path('/a').with_suffix(5) == ''",
    "pathlib.Path('/a').absent == ''",
};

}  // namespace

TEST_CASE("shutil.which looks in the directories of PATH") {
  auto world = world_of_paths();
  world.add("shutil.py", "def which(name): pass\n");
  CHECK(world("import shutil\nshutil.which('nvcc') is None") == "open");  // PATH is not known
  world.python.variables["PATH"] = "/usr/bin:/cuda/bin";
  CHECK(world("import shutil\nshutil.which('nvcc') is None") == "true");
  world.files.add_file("/cuda/bin/nvcc", "", {.executable = true});
  CHECK(world("import shutil\nshutil.which('nvcc') == '/cuda/bin/nvcc'") == "true");
  CHECK(world("import shutil\nshutil.which('/bin/sh') is None") == "open");
  world.python.variables["PATH"] = "bin:/usr/bin";
  CHECK(world("import shutil\nshutil.which('nvcc') is None") == "open");
}

TEST_CASE("functions and objects of paths give what Python's give") {
  check_answers(world_of_paths(), true_of_paths, "true");
}

TEST_CASE("what functions of paths make of too little or of what is not known is not known") {
  check_answers(world_of_paths(), open_of_paths, "open");
}

TEST_CASE("a folder that is not there raises where somebody waits for that") {
  AnswerWorld world;
  const std::string listing = "os.listdir('/none')";
  CHECK(world("try:\n  " + listing + "\n  r = 1\nexcept FileNotFoundError: r = 2\nr == 2") == "true");
  CHECK(world("try:\n  " + listing +
              "\nexcept OSError as e: r = str(e)\n"
              "r == \"[Errno 2] No such file or directory: '/none'\"") == "true");
  CHECK(world(listing + "\n1") == "true");
  AnswerWorld unsure;
  unsure.add("m.py", "import os\ntry:\n  if what():\n    " + listing + "\n    import a\nexcept OSError: import b\n");
  CHECK(unsure.import("m") == "a.so optional");
}

TEST_CASE("JSON is read to a depth of thirty, paths and patterns to their longest") {
  AnswerWorld world;
  const auto nested = [](int depth) {
    const auto lists = static_cast<std::size_t>(depth);
    std::string code = "x = json.loads('" + std::string(lists, '[') + "1" + std::string(lists, ']') + "')\n";
    for (int i = 0; i < depth; ++i) code += "x = x[0]\n";
    return code + "x == 1";
  };
  CHECK(world(nested(30)) == "true");
  CHECK(world(nested(31)) == "open");
  CHECK(world("len(pathlib.Path('" + [] {
          std::string path;
          for (int i = 0; i < 120; ++i) path += "/a";
          return path;
        }() + "').parents) == 100") == "true");
  const std::string half = "h = 'x' * 32767\n";
  CHECK(world(half + "len(os.path.join(h, h)) == 65535") == "true");
  CHECK(world(half + "len(os.path.join(h, h + 'x')) == 65536") == "true");
  CHECK(world(half + "len(os.path.join(h, h + 'xx')) == 65537") == "open");
  CHECK(world(half + "len(os.path.join(h, h + 'xxx')) == 65538") == "open");
  // All parts count, though one begins anew at the root.
  CHECK(world(half + "len(os.path.join(h, '/' + h, 'x')) == 32770") == "true");
  CHECK(world(half + "len(os.path.join(h, '/' + h, 'xx')) == 32771") == "open");
  const auto found = [&](std::size_t size) {
    return world("glob.glob('/s/[" + std::string(size - 8, 'a') + "].so') == ['/s/a.so']");
  };
  CHECK(found(4096) == "true");
  CHECK(found(4097) == "false");
  for (int i = 0; i < 499; ++i) world.add("many/f" + std::to_string(i));
  CHECK(world("len(glob.glob('/s/many/f*')) == 499") == "true");
  world.add("many/f499");
  CHECK(world("len(glob.glob('/s/many/f*')) == 500") == "open");
}
