#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/run_import.h"

using namespace cudald;

namespace {

void add_base(MemoryFileSystem& files, const std::string& prefix) {
  files.add_file(prefix + "/bin/python3.11", "");
  files.add_file(prefix + "/lib/python3.11/os.py", "");
  files.add_file(prefix + "/lib/python3.11/lib-dynload/math.cpython-311-x86_64-linux-gnu.so", "");
  files.add_folder(prefix + "/lib/python3.11/site-packages");
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("a plain prefix: standard library, lib-dynload, site-packages") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_symlink("/opt/py/bin/python3", "python3.11");
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  CHECK(python->interpreter == "/opt/py/bin/python3.11");
  CHECK(python->version == "3.11");
  CHECK(python->path ==
        Paths{"/opt/py/lib/python3.11", "/opt/py/lib/python3.11/lib-dynload", "/opt/py/lib/python3.11/site-packages"});
  CHECK(python->extension_suffixes.front() == ".cpython-311-x86_64-linux-gnu.so");
  CHECK(python->complete);
}

TEST_CASE("where Python was built for lib64, its library lies there, and packages lie in both") {
  MemoryFileSystem files;
  files.add_file("/usr/bin/python3.12", "");
  files.add_symlink("/usr/bin/python3", "python3.12");
  files.add_file("/usr/lib64/python3.12/os.py", "");
  for (const std::string folder : {"/usr/local/lib/", "/usr/lib64/", "/usr/lib/"})
    files.add_folder(folder + "python3.12/site-packages");
  const auto python = find_python("/usr", files);
  REQUIRE(python);
  CHECK(python->path == Paths{"/usr/lib64/python3.12", "/usr/local/lib/python3.12/site-packages",
                              "/usr/lib64/python3.12/site-packages", "/usr/lib/python3.12/site-packages"});
  CHECK(python->notes.empty());
}

TEST_CASE("a virtual environment takes the standard library from its home") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_file("/v/pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n");
  files.add_symlink("/v/bin/python", "/opt/py/bin/python3.11");
  files.add_folder("/v/lib/python3.11/site-packages");
  files.add_symlink("/v/lib64", "lib");
  auto python = find_python("/v", files);
  REQUIRE(python);
  CHECK(python->interpreter == "/v/bin/python");
  CHECK(python->base_prefix == "/opt/py");
  CHECK(python->micro == 7);
  CHECK(python->path ==
        Paths{"/opt/py/lib/python3.11", "/opt/py/lib/python3.11/lib-dynload", "/v/lib/python3.11/site-packages"});
  files.add_file("/v/pyvenv.cfg",
                 "home = /opt/py/bin\ninclude-system-site-packages = true\nversion_info = 3.11.7.final.0\n");
  python = find_python("/v", files);
  REQUIRE(python);
  CHECK(python->path.back() == "/opt/py/lib/python3.11/site-packages");
}

TEST_CASE(".pth files add folders, and their lines of code are what runs at start-up") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  files.add_folder("/src/project");
  files.add_folder(site + "/inner");
  files.add_file(site + "/a.pth", "# comment\n/src/project\ninner\r\n\n/absent\nimport os; os.system('x')\n");
  files.add_file(site + "/.hidden.pth", "/src\n");
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  REQUIRE(python->path.size() == 5);
  CHECK(python->path[3] == "/src/project");
  CHECK(python->path[4] == site + "/inner");
  REQUIRE(python->start_up.size() == 1);
  CHECK(python->start_up[0].file == site + "/a.pth");
  CHECK(python->start_up[0].code == "import os; os.system('x')");
}

TEST_CASE(".start files name functions that Python 3.15 calls behind the lines of all .pth files") {
  const auto runs = [](const std::string& version) {
    MemoryFileSystem files;
    const std::string library = "/py/lib/python" + version, site = library + "/site-packages";
    files.add_file(library + "/os.py", "");
    files.add_folder(site + "/inner");
    files.add_file(site + "/a.pth", "import of_a\ninner\n");
    files.add_file(site + "/a.start", "# none\n");
    files.add_file(site + "/b.start", " b.c:D.e \nno_function\n:f\nb:\nb;c:d()\n");
    files.add_file(site + "/c.pth", "import of_c\n");
    files.add_file(site + "/.hidden.start", "h:i\n");
    const auto python = find_python("/py", files);
    REQUIRE(python);
    CHECK(python->path.back() == site + "/inner");
    std::string all;
    for (const auto& line : python->start_up) all += line.file.substr(site.size() + 1) + ": " + line.code + "\n";
    return all;
  };
  CHECK(runs("3.14") == "a.pth: import of_a\nc.pth: import of_c\n");
  CHECK(runs("3.15") == "c.pth: import of_c\nb.start: import pkgutil, b.c as module; module.D.e()\n");
}

TEST_CASE("PYTHONPATH comes first") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_folder("/x");
  const auto python = find_python("/opt/py", files, {{"PYTHONPATH", "/x:/absent:"}});
  REQUIRE(python);
  CHECK(python->path.front() == "/x");
}

TEST_CASE("what is relative in PYTHONPATH begins at the current folder, an empty part too") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  for (const auto* folder : {"/here", "/here/rel", "/x"}) files.add_folder(folder);
  const auto path = [&](const std::string& value, const std::string& cwd) {
    auto found = find_python("/opt/py", files, {{"PYTHONPATH", value}}, cwd);
    REQUIRE(found);
    return Paths(found->path.begin(), found->path.begin() + 3);
  };
  const std::string library = "/opt/py/lib/python3.11";
  CHECK(path("rel::/x", "/here") == Paths{"/here/rel", "/here", "/x"});
  CHECK(path("../x:rel", "/here") == Paths{"/x", "/here/rel", library});
  CHECK(path("rel:/x", "").front() == "/x");
  CHECK(path("", "/here").front() == library);
}

TEST_CASE("versions that no Python has, and very many lines and folders in .pth files, are not followed") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  std::string lines, code;
  for (int i = 0; i < 1200; ++i) {
    files.add_folder("/p" + std::to_string(i));
    lines += "/p" + std::to_string(i) + "\n";
    code += "import x\n";
  }
  files.add_file(site + "/a.pth", code);
  files.add_file(site + "/b.pth", lines);
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  CHECK(python->path.size() == 1000);
  CHECK(python->start_up.size() == 1200);
  REQUIRE(python->notes.size() == 1);
  CHECK(python->notes[0].find("sys.path") != std::string::npos);

  files.add_file("/v/pyvenv.cfg", "version = 3." + std::string(100'000, '1') + "\n");
  const auto odd = find_python("/v", files);
  REQUIRE(odd);
  CHECK(odd->version.empty());
}

TEST_CASE("a .pth file that is too long to be read is told") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  files.add_file(site + "/a.pth", std::string((1 << 20) + 1, '#'));
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  REQUIRE(python->notes.size() == 1);
  CHECK(python->notes[0] == site + "/a.pth is too long; the rest of sys.path is not known");
}

TEST_CASE("a bare site-packages folder has no interpreter and is incomplete") {
  MemoryFileSystem files;
  files.add_file("/w/torch/__init__.py", "");
  const auto python = find_python("/w", files);
  REQUIRE(python);
  CHECK(python->interpreter.empty());
  CHECK(python->version.empty());
  CHECK(python->path == Paths{"/w"});
  CHECK_FALSE(python->complete);
  CHECK_FALSE(find_python("/absent", files));
}

TEST_CASE("the version is that of the program, else the newest whose library is there") {
  const auto version = [](const std::vector<std::string>& there, const std::string& program) {
    MemoryFileSystem files;
    files.add_folder("/p/bin");
    for (const auto& folder : there) files.add_folder("/p/lib/" + folder);
    if (!program.empty()) {
      files.add_file("/p/bin/" + program, "");
      files.add_symlink("/p/bin/python", program);
    }
    return find_python("/p", files)->version;
  };
  CHECK(version({"python3.9", "python3.10"}, "") == "3.10");
  CHECK(version({"python3.10", "python3.9"}, "") == "3.10");
  CHECK(version({"python3.10", "python3.12"}, "") == "3.12");
  CHECK(version({"python3.x", "python3.9", "python3.y"}, "") == "3.9");
  CHECK(version({"python3.10", "python3.12"}, "python3.11") == "3.11");
  CHECK(version({"python2.7", "python3", "tcl3.9"}, "") == "");
  MemoryFileSystem file;
  file.add_file("/p/lib/python3.11", "");  // no folder
  CHECK(find_python("/p", file)->version == "");
}

TEST_CASE("versions in names and settings") {
  struct Row {
    std::string_view text, version;
    int minor;
  };
  for (const auto& [text, version, minor] : {
           Row{"python3.11", "3.11", 11},
           Row{"3.9.18", "3.9", 9},
           Row{"3.123", "3.123", 123},
           Row{"3.1234", "", 0},
           Row{"3.", "", 0},
           Row{"python3", "", 0},
           Row{"2.7", "", 0},
           Row{"", "", 0},
       }) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    CHECK(version_in(text) == version);
    CHECK(minor_of(version_in(text)) == minor);
  }
}

TEST_CASE("the interpreter is the one of the version, then python3, then python") {
  const auto interpreter = [](const std::vector<std::string>& names) {
    MemoryFileSystem files;
    files.add_folder("/p/lib/python3.11");
    files.add_folder("/p/bin");
    for (const auto& name : names) files.add_file("/p/bin/" + name, "");
    return find_python("/p", files)->interpreter;
  };
  CHECK(interpreter({"python", "python3", "python3.11"}) == "/p/bin/python3.11");
  CHECK(interpreter({"python", "python3"}) == "/p/bin/python3");
  CHECK(interpreter({"python"}) == "/p/bin/python");
  CHECK(interpreter({"python3.12"}).empty());
}

TEST_CASE("extension modules end as most of the interpreter's own do") {
  const auto suffixes = [](const std::vector<std::string>& names) {
    MemoryFileSystem files;
    files.add_folder("/p/lib/python3.11/lib-dynload");
    for (const auto& name : names) files.add_file("/p/lib/python3.11/lib-dynload/" + name, "");
    return find_python("/p", files)->extension_suffixes;
  };
  CHECK(suffixes({}) == Paths{".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"});
  CHECK(suffixes({"a.cpython-311-x86_64-linux-musl.so"}).front() == ".cpython-311-x86_64-linux-musl.so");
  CHECK(suffixes({"a.cpython-311-aarch64-linux-gnu.so", "b.cpython-311d.so", "c.cpython-311-aarch64-linux-gnu.so"})
            .front() == ".cpython-311-aarch64-linux-gnu.so");
  CHECK(suffixes({"a.cpython-312-aarch64-linux-gnu.so", "b.so", "c.cpython-311.txt"}).front() ==
        ".cpython-311-x86_64-linux-gnu.so");
  // The stable ABI has a second name since 3.15, and modules of both may name the platform.
  MemoryFileSystem files;
  files.add_file("/p/lib/python3.15/lib-dynload/a.cpython-315-aarch64-linux-gnu.so", "");
  CHECK(find_python("/p", files)->extension_suffixes == Paths{".cpython-315-aarch64-linux-gnu.so",
                                                              ".abi3-aarch64-linux-gnu.so", ".abi3.so",
                                                              ".abi3t-aarch64-linux-gnu.so", ".abi3t.so", ".so"});
}

// Source: Debian python3.11, Lib/site.py, getsitepackages.
TEST_CASE("of a Python in /usr packages lie where Debian puts them as well") {
  const auto path = [](const std::string& prefix) {
    MemoryFileSystem files;
    files.add_file(prefix + "/lib/python3.11/os.py", "");
    for (const auto* folder : {"/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages",
                               "/usr/lib/python3.11/dist-packages"})
      files.add_folder(folder);
    for (const auto* folder : {"/lib/python3.11/site-packages", "/lib64/python3.11/site-packages"})
      files.add_folder(prefix + folder);
    return find_python(prefix, files)->path;
  };
  CHECK(path("/usr") == Paths{"/usr/lib/python3.11", "/usr/lib/python3.11/site-packages",
                              "/usr/lib64/python3.11/site-packages", "/usr/local/lib/python3.11/dist-packages",
                              "/usr/lib/python3/dist-packages", "/usr/lib/python3.11/dist-packages"});
  CHECK(path("/opt") ==
        Paths{"/opt/lib/python3.11", "/opt/lib/python3.11/site-packages", "/opt/lib64/python3.11/site-packages"});
}

TEST_CASE("what a virtual environment says of its home may be wrong: its program leads there") {
  const auto base_of = [](const std::string& settings) {
    MemoryFileSystem files;
    add_base(files, "/opt/py");
    files.add_symlink("/links/python3.11", "/opt/py/bin/python3.11");
    files.add_file("/v/pyvenv.cfg", settings);
    files.add_symlink("/v/bin/python", "/opt/py/bin/python3.11");
    return find_python("/v", files)->base_prefix;
  };
  CHECK(base_of("home = /opt/py/bin\nversion = 3.11.7\n") == "/opt/py");
  CHECK(base_of("home = /absent\nversion = 3.11.7\n") == "/opt/py");
  CHECK(base_of("home = /links\nversion = 3.11.7\n") == "/opt/py");
  CHECK(base_of("version = 3.11.7\n") == "/opt/py");
}

TEST_CASE("a standard library that is not there is told, with its place") {
  MemoryFileSystem files;
  files.add_folder("/p/lib/python3.11");
  const auto python = find_python("/p", files);
  CHECK(python->notes == Paths{"the standard library of Python 3.11 is not at /p/lib/python3.11"});
  CHECK(python->complete);
}

TEST_CASE("settings are names and values around the first equals sign; what has none is passed over") {
  MemoryFileSystem files;
  files.add_file("/x.cfg", "home = /a\r\n\tkey=b = c\nnothing\n = empty\nhome = /b\n");
  const auto settings = read_settings(files, "/x.cfg");
  CHECK(settings.at("home") == "/a");
  CHECK(settings.at("key") == "b = c");
  CHECK(settings.size() == 3);
  CHECK(read_settings(files, "/absent").empty());
}

TEST_CASE("of .pth files the lines count that are neither empty nor comments, and code begins with `import`") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  for (const auto* folder : {"/x", "/y", "/z"}) files.add_folder(folder);
  files.add_folder(site + "/importer");
  files.add_file(site + "/a.pth", "  # /x\n\t/y \nimport\tos\nimport sys\nimporter\nimport\n");
  files.add_file(site + "/b.pth.txt", "/z\n");
  files.add_file(site + "/c.pth", "/z\n", {.readable = false});
  files.add_folder(site + "/d.pth");
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  CHECK(Paths(python->path.begin() + 3, python->path.end()) == Paths{"/y", site + "/importer"});
  REQUIRE(python->start_up.size() == 2);
  CHECK(python->start_up[0] == PythonEnvironment::StartUpLine{site + "/a.pth", "import\tos"});
  CHECK(python->start_up[1] == PythonEnvironment::StartUpLine{site + "/a.pth", "import sys", {site + "/importer"}});
  CHECK(python->notes.empty());
}

TEST_CASE("folders of packages are those that are called so") {
  CHECK(is_site_folder("/x/site-packages"));
  CHECK(is_site_folder("/x/dist-packages"));
  CHECK_FALSE(is_site_folder("/x/lib-dynload"));
  CHECK_FALSE(is_site_folder("/x/site-packages/y"));
  CHECK_FALSE(is_site_folder("site-packages"));
}

TEST_CASE("text and lines of all .pth files are read up to a limit, which is told once") {
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  const auto notes = [&](const std::vector<std::string>& texts, std::size_t code) {
    MemoryFileSystem files;
    add_base(files, "/opt/py");
    files.add_folder("/last");
    for (std::size_t i = 0; i < texts.size(); ++i) files.add_file(site + "/" + std::to_string(i) + ".pth", texts[i]);
    files.add_file(site + "/z.pth", "/last\n");
    const auto python = find_python("/opt/py", files);
    REQUIRE(python);
    CHECK(python->start_up.size() == code);
    CHECK((python->path.back() == "/last") == python->notes.empty());
    return python->notes;
  };
  const std::string end = "; the rest of sys.path is not known";
  const std::string most(1 << 20, '#'), more = most + "#";
  CHECK(notes({most, most, most, std::string((1 << 20) - 6, '#')}, 0).empty());
  CHECK(notes({most, most, most, std::string((1 << 20) - 5, '#')}, 0) ==
        Paths{site + ": its .pth files are too long" + end});
  CHECK(notes({more, more}, 0) == Paths{site + "/0.pth is too long" + end});
  std::string lines;
  for (int i = 0; i < 19'998; ++i) lines += "import x\n\n#\n";
  CHECK(notes({lines + "import x\n"}, 19'999).empty());
  CHECK(notes({lines, "import x\nimport x\n"}, 20'000) == Paths{site + ": its .pth files have too many lines" + end});
  CHECK(notes({lines + "import x\nimport x\nimport x\n", lines}, 20'000) ==
        Paths{site + ": its .pth files have too many lines" + end});
}

TEST_CASE("packages of the user come before those of a prefix, behind those of a virtual environment, or not at all") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  const std::string own = "/home/u/.local/lib/python3.11/site-packages", site = "/opt/py/lib/python3.11/site-packages";
  files.add_file(own + "/a.py", "");
  files.add_file("/base/lib/python3.11/site-packages/b.py", "");
  const auto path = [&](const std::string& prefix, const std::map<std::string, std::string>& variables) {
    const auto found = find_python(prefix, files, variables);
    REQUIRE(found);
    Paths packages;
    for (const auto& folder : found->path)
      if (folder.ends_with("-packages")) packages.push_back(folder);
    return packages;
  };
  CHECK(path("/opt/py", {{"HOME", "/home/u"}}) == Paths{own, site});
  CHECK(path("/opt/py", {}) == Paths{site});
  CHECK(path("/opt/py", {{"HOME", "/home/u"}, {"PYTHONNOUSERSITE", "1"}}) == Paths{site});
  CHECK(path("/opt/py", {{"HOME", "/home/u"}, {"PYTHONUSERBASE", "/base"}}) ==
        Paths{"/base/lib/python3.11/site-packages", site});
  const std::string of_venv = "/v/lib/python3.11/site-packages";
  files.add_folder(of_venv);
  for (const std::string system : {"false", "true"}) {
    files.add_file("/v/pyvenv.cfg",
                   "home = /opt/py/bin\nversion = 3.11.2\ninclude-system-site-packages = " + system + "\n");
    CHECK(path("/v", {{"HOME", "/home/u"}}) == (system == "false" ? Paths{of_venv} : Paths{of_venv, own, site}));
  }
}

TEST_CASE("PYTHONHOME is where the standard library is; without it no Python starts") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  add_base(files, "/opt/other");
  files.add_file("/opt/other/lib/python3.11/encodings/__init__.py", "");
  files.add_folder("/opt/none");
  const auto python = [&](const std::string& home) {
    auto found = find_python("/opt/py", files, {{"PYTHONHOME", home}}, "/opt");
    REQUIRE(found);
    return *found;
  };
  CHECK(python("/opt/none").lost_home);
  CHECK(python("none").lost_home);
  CHECK_FALSE(python("").lost_home);
  const auto other = python("/opt/other");
  CHECK_FALSE(other.lost_home);
  CHECK(other.path.front() == "/opt/other/lib/python3.11");
  CHECK(other.path.back() == "/opt/other/lib/python3.11/site-packages");
  CHECK(other.interpreter == python("").interpreter);
}

TEST_CASE("sys.path has a thousand folders at most, each once") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  std::string value;
  for (int i = 0; i < 997; ++i) {
    files.add_folder("/p" + std::to_string(i));
    value += "/p" + std::to_string(i) + ":/p0:";
  }
  auto python = find_python("/opt/py", files, {{"PYTHONPATH", value}});
  REQUIRE(python);
  CHECK(python->path.size() == 1000);
  CHECK(python->notes == Paths{"more than 1000 directories; the rest of sys.path is not known"});
  CHECK(python->path.back() == "/opt/py/lib/python3.11/site-packages");
}

TEST_CASE("minor versions are the digits behind the first dot, as far as numbers go") {
  CHECK(minor_of("3.11") == 11);
  CHECK(minor_of("3.9") == 9);
  CHECK(minor_of("3.11t") == 11);
  CHECK(minor_of("3.999") == 999);
  CHECK(minor_of("3.12345") == 1234);
  CHECK(minor_of("3.") == 0);
  CHECK(minor_of("") == 0);
}

TEST_CASE("of several links to a program the one that names a version tells it") {
  MemoryFileSystem files;
  files.add_folder("/p/lib/python3.9");
  files.add_file("/p/bin/python3.12", "");
  files.add_file("/p/bin/pypy", "");
  files.add_symlink("/p/bin/python3", "pypy");
  files.add_symlink("/p/bin/python", "python3.12");
  CHECK(find_python("/p", files)->version == "3.12");
  MemoryFileSystem both;
  both.add_file("/p/bin/python3.12", "");
  both.add_file("/p/bin/python3.11", "");
  both.add_symlink("/p/bin/python3", "python3.11");
  both.add_symlink("/p/bin/python", "python3.12");
  CHECK(find_python("/p", both)->version == "3.11");
}

TEST_CASE("a virtual environment has the packages of its base as site.py reads pyvenv.cfg") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_folder("/v/lib/python3.11/site-packages");
  const auto has_them = [&](const std::string& lines) {
    files.add_file("/v/pyvenv.cfg", "home = /opt/py/bin\nversion = 3.11.7\n" + lines);
    return find_python("/v", files, {}, "/")->path.size() == 4;
  };
  CHECK(has_them(""));
  CHECK(has_them("Include-System-Site-Packages=TRUE\n"));
  CHECK(has_them("include-system-site-packages = false\ninclude-system-site-packages = true\n"));
  CHECK_FALSE(has_them("include-system-site-packages = true\ninclude-system-site-packages = false\n"));
  CHECK_FALSE(has_them("include-system-site-packages = 1\nhome = /nowhere\n"));
}

TEST_CASE("a virtual environment's settings fill the fields, and packages of the base are there only if they say so") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_folder("/v/lib/python3.11/site-packages");
  files.add_symlink("/v/bin/python", "/opt/py/bin/python3.11");
  for (const std::string value : {"true", "True", "false", ""}) {
    files.add_file("/v/pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = " + value +
                                        "\nversion = 3.11.7\nversion_info = 3.10.1\n");
    const auto python = find_python("/v", files, {{"A", "1"}}, "/here");
    REQUIRE(python);
    CHECK(python->version == "3.11");
    CHECK(python->prefix == "/v");
    CHECK(python->base_prefix == "/opt/py");
    CHECK(python->cwd == "/here");
    CHECK(python->variables == std::map<std::string, std::string>{{"A", "1"}});
    CHECK(python->path.size() == (value == "true" || value == "True" ? 4 : 3));
    CHECK(python->notes.empty());
  }
}

TEST_CASE("folders that may not be searched are there, and nothing in them is known") {
  MemoryFileSystem files;
  add_base(files, "/opt/py");
  files.add_file("/opt/py/lib/python3.11/site-packages/a.pth", "/opt\n");
  files.close_folder("/opt/py/lib/python3.11/site-packages");
  files.close_folder("/opt/py/lib/python3.11/lib-dynload");
  const auto python = find_python("/opt/py", files);
  REQUIRE(python);
  CHECK(python->path ==
        Paths{"/opt/py/lib/python3.11", "/opt/py/lib/python3.11/lib-dynload", "/opt/py/lib/python3.11/site-packages"});
  CHECK(python->extension_suffixes.front() == ".cpython-311-x86_64-linux-gnu.so");
}

TEST_CASE("the headers of a Python say the third part of its version") {
  const auto micro = [](const std::string& header) {
    MemoryFileSystem files;
    add_base(files, "/opt/py");
    files.add_file("/opt/py/include/python3.11/patchlevel.h", header);
    return find_python("/opt/py", files)->micro;
  };
  CHECK(micro("#define PY_MINOR_VERSION\t11\n#define PY_MICRO_VERSION        9\n#define PY_RELEASE\n") == 9);
  CHECK(micro("#define PY_MICRO_VERSION 12") == 12);
  CHECK(micro("#define PY_MICRO_VERSION\n") == 0);
  CHECK(micro("nothing of it") == 0);
}

TEST_CASE("the third part of a version is told by some texts alone") {
  for (const auto& [text, micro] :
       {std::pair("3.11.7", 7), std::pair("3.11.7.final.0", 7), std::pair("3.13.12+", 12), std::pair("3.11", 0),
        std::pair("", 0), std::pair("3.11.x", 0), std::pair("3.11.-4", 0), std::pair("3.11.99999", 255)}) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    CHECK(micro_of(text) == micro);
  }
}
