#include "pyimport/values/code_paths.h"

#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

const CodePaths posix(false), windows(true);

using Pair = std::pair<std::string, std::string>;

}  // namespace

// What is expected is what posixpath and ntpath of CPython 3.11 give.
TEST_CASE("a path is full as its system has it") {
  for (const std::string_view path : {"/", "/a", "//a"}) CHECK_MESSAGE(posix.is_full(path), path);
  for (const std::string_view path : {"", "a", "a/b", "C:\\a", "\\a"}) CHECK_FALSE_MESSAGE(posix.is_full(path), path);
  for (const std::string_view path : {"C:\\a", "c:/a", "\\\\server\\share"}) CHECK_MESSAGE(windows.is_full(path), path);
  for (const std::string_view path : {"", "a", "C:a", "\\a", "/a", "1:\\a"})
    CHECK_FALSE_MESSAGE(windows.is_full(path), path);
}

TEST_CASE("two paths are joined as their system does") {
  struct Row {
    const CodePaths& paths;
    std::string folder, path, joined;
  };
  for (const auto& [paths, folder, path, joined] : {
           Row{posix, "a", "b", "a/b"},
           Row{posix, "", "b", "b"},
           Row{posix, "", "", ""},
           Row{posix, "a", "/b", "/b"},
           Row{posix, "/", "b", "/b"},
           Row{posix, "/a", "C:\\b", "/a/C:\\b"},
           Row{posix, "a", "\\b", "a/\\b"},
           Row{windows, "a", "b", "a\\b"},
           Row{windows, "a/", "b", "a/b"},
           Row{windows, "C:\\", "b", "C:\\b"},
           Row{windows, "C:\\a", "", "C:\\a\\"},
           Row{windows, "C:\\a", "b", "C:\\a\\b"},
           Row{windows, "", "b", "b"},
           Row{windows, "", "\\b", "\\b"},
           Row{windows, "C:\\a", "D:\\b", "D:\\b"},
           Row{windows, "C:\\a", "D:b", "D:b"},
           Row{windows, "C:\\a", "D:", "D:"},
           Row{windows, "C:\\a", "\\\\server\\share\\b", "\\\\server\\share\\b"},
           Row{windows, "C:\\a", "\\b", "C:\\b"},
           Row{windows, "C:\\a", "/b", "C:/b"},
           Row{windows, "a", "\\b", "\\b"},
           Row{windows, "a", "/b", "/b"},
           Row{windows, "abc", "/b", "/b"},
           Row{windows, "C:\\a", "b:", "b:"},
       }) {
    const auto both = folder + " and " + path + ": ";
    CHECK(both + paths.join(folder, path) == both + joined);
  }
}

TEST_CASE("a path is split at its last slash") {
  CHECK(posix.split("/a/b") == Pair{"/a", "b"});
  CHECK(posix.split("/a") == Pair{"/", "a"});
  CHECK(posix.split("a") == Pair{"", "a"});
  CHECK(posix.split("a\\b") == Pair{"", "a\\b"});
  CHECK(windows.split("C:\\a\\b") == Pair{"C:\\a", "b"});
  CHECK(windows.split("C:\\a/b") == Pair{"C:\\a", "b"});
  CHECK(windows.split("C:\\b") == Pair{"C:\\", "b"});
  CHECK(windows.split("b") == Pair{"", "b"});
}

TEST_CASE("a suffix begins at the last dot of the name, unless nothing but dots stands in front of it") {
  struct Row {
    const CodePaths& paths;
    std::string path;
    Pair parts;
  };
  for (const auto& [paths, path, parts] : {
           Row{posix, "a.b", {"a", ".b"}},
           Row{posix, "a.tar.gz", {"a.tar", ".gz"}},
           Row{posix, "/x/a.b", {"/x/a", ".b"}},
           Row{posix, "a", {"a", ""}},
           Row{posix, "", {"", ""}},
           Row{posix, "a.", {"a", "."}},
           Row{posix, ".a", {".a", ""}},
           Row{posix, "...", {"...", ""}},
           Row{posix, "x/...", {"x/...", ""}},
           Row{posix, "x/..a.b", {"x/..a", ".b"}},
           Row{posix, "x/.b", {"x/.b", ""}},
           Row{posix, "x.y/b", {"x.y/b", ""}},
           Row{posix, "x.y\\b", {"x", ".y\\b"}},
           Row{windows, "x.y\\b", {"x.y\\b", ""}},
           Row{windows, "x.y/b", {"x.y/b", ""}},
           Row{windows, "x.y\\b.c", {"x.y\\b", ".c"}},
           Row{windows, "C:\\.a", {"C:\\.a", ""}},
       }) {
    const auto [stem, suffix] = paths.split_suffix(path);
    CHECK(path + ": " + stem + "|" + suffix == path + ": " + parts.first + "|" + parts.second);
  }
}

TEST_CASE("a full path is made normal as its system does") {
  CHECK(posix.normal("/a/./b/../c") == "/a/c");
  CHECK(posix.normal("/..") == "/");
  CHECK(posix.normal("/a\\..\\b") == "/a\\..\\b");
  CHECK(windows.normal("C:\\a\\.\\b\\..\\c") == "C:\\a\\c");
  CHECK(windows.normal("C:/a/../..") == "C:\\");
}
