#include "archive/zip_names.h"

#include <doctest/doctest.h>

#include "unit/archive/zip_builder.h"

namespace cudald {
namespace {

std::vector<ZipFault> faults_of_names() {
  using K = ZipProblemKind;
  const auto name_of = [](const std::string& name, std::uint16_t flags = 0) {
    return [=] { return named(name, flags); };
  };
  const auto two_names = [](const std::string& one, const std::string& other) {
    return [=] { return archive_of({{.name = one}, {.name = other}}).bytes; };
  };
  using namespace std::string_literals;

  return {
      {"no name", name_of(""), K::name_empty, "has no name"},
      {"NUL in the name", name_of("a.txt\0.so"s), K::name_control, "NUL"},
      {"newline in the name", name_of("a\nb"), K::name_control, "control character"},
      {"DEL in the name", name_of("a\x7f"), K::name_control, "control character"},
      {"absolute", name_of("/etc/passwd"), K::name_absolute, "absolute"},
      {"absolute with backslashes", name_of("\\\\server\\x"), K::name_absolute, "absolute"},
      {"drive", name_of("C:/x"), K::name_drive, "drive letter"},
      {"upwards", name_of("pkg/../../x"), K::name_parent, "`..`"},
      {"upwards at the end", name_of("pkg/.."), K::name_parent, "`..`"},
      {"upwards with backslashes", name_of("pkg\\..\\x"), K::name_parent, "`..`"},
      {"backslash", name_of("pkg\\x"), K::name_backslash, "backslash"},
      {"broken UTF-8", name_of("a\xff", 0x800), K::name_encoding, "which it is not"},
      {"Latin-1", name_of("a\xe9"), K::name_encoding, "code page 437"},
      {"long part", name_of("pkg/" + std::string(256, 'n')), K::name_too_long, "over 255 bytes"},
      {"long name", name_of(std::string(5000, 'n')), K::name_too_long, "5000 bytes"},
      {"twice", two_names("a", "a"), K::duplicate_name, "earlier member"},
      {"twice, one with an empty part", two_names("a/b", "a//b"), K::duplicate_name, "same file as"},
      {"twice, one with a dot", two_names("./a", "a"), K::duplicate_name, "same file as"},
      {"twice but for case", two_names("a/B.so", "A/b.so"), K::duplicate_ignoring_case, "upper and lower case"},
      {"file and directory", two_names("a", "a/b"), K::file_and_folder, "is a file, and the directory of `a/b`"},
      {"file and directory entry", [] { return archive_of({{.name = "a"}, {.name = "a/", .data = ""}}).bytes; },
       K::file_and_folder, "only one of them is a directory"},
      {"file and directory but for case", two_names("A", "a/b"), K::duplicate_ignoring_case, "the directory of `a/b`"},
  };
}

TEST_CASE("each fault of a name has its own problem") { check_zip_faults(faults_of_names()); }

TEST_CASE("names at the edge of what may be") {
  const std::string part(255, 'n');
  std::string longest;
  while (longest.size() < 4095) longest += part.substr(0, std::min<std::size_t>(255, 4095 - longest.size() - 1)) + "/";
  REQUIRE(longest.size() == 4095);
  for (const auto& name : {std::string("a"), part, "a/" + part, part + "/a", longest, std::string("a:b"),
                           std::string("1:x"), std::string("[:x"), std::string("a..b"), std::string("..."),
                           std::string("C"), std::string("\xc3\xa9"), std::string("a b~")}) {
    CAPTURE(name);
    CHECK(is_safe_zip_name(name) == (name != "a:b"));
  }
  using namespace std::string_literals;
  for (const auto& name : {""s, "/a"s, "\\a"s, "c:"s, "Z:x"s, ".."s, "../a"s, "a/.."s, "a\\b"s, "a\x1f"s, "a\x7f"s,
                           "a\0b"s, part + "n", "a/" + part + "n/b", longest + "a"}) {
    CAPTURE(name);
    CHECK_FALSE(is_safe_zip_name(name));
  }
}

TEST_CASE("what is said of names, all of it") {
  const auto said = [](const std::string& name, bool utf8 = false) {
    std::string text;
    check_zip_name(name, utf8, [&](ZipProblemKind kind, const std::string& message) {
      text += std::string(to_string(kind)) + ": " + message + "\n";
    });
    return text;
  };
  CHECK(said("a/b") == "");
  CHECK(said("\xc3\xa9", true) == "");
  CHECK(said("a", true) == "");
  CHECK(said("1:x") == "");
  CHECK(said("a..b") == "");
  CHECK(said("a ") == "");
  CHECK(said(std::string(255, 'n')) == "");
  CHECK(said("") == "name-empty: has no name\n");
  const auto kinds = [&](const std::string& name, bool utf8 = false) {
    const auto text = said(name, utf8);
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(kinds(std::string("a\0\n", 3)) == 1);
  CHECK(kinds("\xc3\xa9") == 1);
  CHECK(kinds("\xc3", true) == 1);
  CHECK(kinds("c:\\..\\" + std::string(5000, 'n') + "\x01") == 5);
  CHECK(kinds("/x\x1f") == 2);
}

TEST_CASE("what is said of each kind of name, word for word") {
  const auto said = [](const std::string& name, bool utf8 = false) {
    std::string text;
    check_zip_name(name, utf8, [&](ZipProblemKind kind, const std::string& message) {
      text += std::string(to_string(kind)) + ": " + message + "\n";
    });
    return text;
  };
  using namespace std::string_literals;
  const auto nul = "name-control: has a NUL byte in its name, where some readers end it\n"s;
  const auto control = "name-control: has a control character in its name\n"s;
  CHECK(said("a\0"s) == nul);
  CHECK(said("a\x1f"s) == control);
  CHECK(said("a\x7f"s) == control);
  CHECK(said("/a") == "name-absolute: has an absolute name\n");
  CHECK(said("c:") == "name-drive: has a name with a drive letter\n");
  CHECK(said("c") == "");
  const auto parent = "name-parent: has a `..` in its name, which leads out of the directory it belongs to\n"s;
  for (const auto* name : {"..", "../a", "a/..", "a/../b"}) CHECK(said(name) == parent);
  const auto backslash =
      "name-backslash: has a backslash in its name: a directory for some readers, a part of the name for others\n"s;
  CHECK(said("a\\b") == backslash);
  CHECK(said("\\a") == "name-absolute: has an absolute name\n" + backslash);
  CHECK(said("a\\..") == parent + backslash);
  CHECK(said("\xc3", true) == "name-encoding: is marked as having a name in UTF-8, which it is not\n");
  CHECK(said("\x80") ==
        "name-encoding: has a name that is not ASCII and not marked as UTF-8: Python takes it for code page 437, "
        "others for UTF-8\n");
  CHECK(said("a/" + std::string(256, 'n')) == "name-too-long: has a name with a part of over 255 bytes\n");
  CHECK(said(std::string(256, 'n')) == "name-too-long: has a name with a part of over 255 bytes\n");
  CHECK(said(std::string(128, 'n') + "/" + std::string(128, 'n')) == "");
  std::string longest;
  while (longest.size() < 4095) longest += "n/";
  CHECK(said(longest.substr(0, 4095)) == "");
  CHECK(said(longest.substr(0, 4096)) == "name-too-long: has a name of 4096 bytes\n");
  CHECK(plain_zip_name("./a//b/./c/") == "a/b/c");
  CHECK(plain_zip_name("/") == "");
  CHECK(plain_zip_name("a/..") == "a/..");
}

}  // namespace
}  // namespace cudald
