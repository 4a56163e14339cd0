#include "fs/zip_names.h"

#include <doctest/doctest.h>

#include "unit/fs/zip_builder.h"

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
      {"file and folder", two_names("a", "a/b"), K::file_and_folder, "is a file, and the folder of `a/b`"},
      {"file and folder entry", [] { return archive_of({{.name = "a"}, {.name = "a/", .data = ""}}).bytes; },
       K::file_and_folder, "only one of them is a folder"},
      {"file and folder but for case", two_names("A", "a/b"), K::duplicate_ignoring_case, "the folder of `a/b`"},
  };
}

TEST_CASE("each fault of a name has its own problem") { check_zip_faults(faults_of_names()); }

}  // namespace
}  // namespace cudald
