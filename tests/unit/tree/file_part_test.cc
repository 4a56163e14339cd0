#include "tree/file_part.h"

#include <doctest/doctest.h>

#include "tree/text_file.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

TEST_CASE("a part of a file ends where the file ends") {
  FileStatus status;
  status.kind = FileKind::regular;
  status.size = 5;
  const auto file = make_text_file(status, "abcde");
  CHECK(FilePart(*file, 0, 5).view() == "abcde");
  CHECK(FilePart(*file, 1, 3).view() == "bcd");
  CHECK(FilePart(*file, 3, 10).view() == "de");
  CHECK(FilePart(*file, 9, 1).view().empty());
  CHECK(FilePart(*file, 0, 0).view().empty());
}

TEST_CASE("a part that cannot be read is empty") {
  CHECK(FilePart(FaultyFile("abcde", 3, true), 1, 2).view() == "bc");
  CHECK(FilePart(FaultyFile("abcde", 3, true), 1, 3).view().empty());
  CHECK(FilePart(FaultyFile("abcde", 3, false), 1, 3).view() == "bc");
}

}  // namespace
}  // namespace cudald
