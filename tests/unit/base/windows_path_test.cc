#include "base/windows_path.h"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("names compare without case as far as ASCII goes") {
  CHECK(folded("CUDART64_110.dll") == "cudart64_110.dll");
  CHECK(folded("[@`{") == "[@`{");
  CHECK(folded("\xc3\x84") == "\xc3\x84");
}

TEST_CASE("tables know a DLL in lower case, and every other library as it is written") {
  CHECK(library_key("CUDART64_110.DLL") == "cudart64_110.dll");
  CHECK(library_key("cudart64_12.dll") == "cudart64_12.dll");
  CHECK(library_key("libQt5Core.so.5") == "libQt5Core.so.5");
  CHECK(library_key("DLL") == "DLL");
}

TEST_CASE("a path is full with a drive and a slash, or as that of a share") {
  for (const auto* full : {"C:\\a", "c:/a", "\\\\server\\share\\a", "//server/share"}) {
    CAPTURE(full);
    CHECK(is_full_windows_path(full));
  }
  for (const auto* other : {"", "a.dll", "C:", "C:a.dll", "\\a", "/a", "1:\\a", ".\\a", "CC:\\a"}) {
    CAPTURE(other);
    CHECK_FALSE(is_full_windows_path(other));
  }
}

TEST_CASE("a path has a folder and a name, cut at slashes of either kind") {
  struct Row {
    std::string path, folder, name;
  };
  const Row rows[] = {
      {"C:\\a\\b.dll", "C:\\a", "b.dll"},
      {"C:/a/b.dll", "C:/a", "b.dll"},
      {"C:\\b.dll", "C:\\", "b.dll"},
      {"C:b.dll", "", "b.dll"},
      {"b.dll", "", "b.dll"},
      {"C:\\a\\", "C:\\a", ""},
      {"\\\\s\\d\\b.dll", "\\\\s\\d", "b.dll"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(windows_folder(row.path) == row.folder);
    CHECK(windows_file_name(row.path) == row.name);
  }
}

TEST_CASE("a name is put behind a folder with one backslash") {
  CHECK(windows_join("C:\\a", "b.dll") == "C:\\a\\b.dll");
  CHECK(windows_join("C:\\", "b.dll") == "C:\\b.dll");
  CHECK(windows_join("C:/a/", "b.dll") == "C:/a/b.dll");
  CHECK(windows_join("", "b.dll") == "b.dll");
}

TEST_CASE("dots are taken out by text alone, and lead no higher than the drive or the share") {
  const std::pair<std::string, std::string> rows[] = {
      {"C:\\a\\..\\b\\.\\c.dll", "C:\\b\\c.dll"},
      {"C:/a//b/", "C:\\a\\b"},
      {"C:\\..\\..\\a", "C:\\a"},
      {"C:\\a\\..", "C:\\"},
      {"C:\\", "C:\\"},
      {"\\\\server\\share\\..\\..\\a", "\\\\server\\share\\a"},
      {"//server/share/a/../b", "\\\\server\\share\\b"},
  };
  for (const auto& [path, normal] : rows) {
    const auto& shown_path = path;
    CAPTURE(shown_path);
    CHECK(normal_windows_path(path) == normal);
  }
}

TEST_CASE("only a drive has its slash, and a share has two") {
  CHECK(windows_folder("ab\\c.dll") == "ab");
  CHECK(windows_folder("C:\\") == "C:\\");
  CHECK(windows_folder("ab:\\c") == "ab:");
  CHECK(windows_folder("\\c") == "");
  CHECK(windows_file_name("C:") == "");
  CHECK(windows_file_name("a\\b:c") == "c");
  CHECK(normal_windows_path("") == "");
  CHECK(normal_windows_path("C:") == "C:\\");
  CHECK(normal_windows_path("\\") == "");
  CHECK(normal_windows_path("\\\\server") == "\\\\server");
  CHECK(normal_windows_path("//server/share/..") == "\\\\server\\share");
  CHECK(normal_windows_path("C:\\a\\b\\..\\..\\..\\c") == "C:\\c");
  CHECK_FALSE(is_full_windows_path("\\a\\b"));
  CHECK(is_full_windows_path("\\/a"));
  CHECK(is_full_windows_path("C:\\"));
  CHECK(folded("AZ@[`{az09") == "az@[`{az09");
}

}  // namespace
}  // namespace cudald
