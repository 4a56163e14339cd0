#include "repair/wheel_files.h"

#include <doctest/doctest.h>

#include "base/sha256.h"

namespace cudald {
namespace {

TEST_CASE("requirements follow those that are there, in front of the description") {
  const std::string head = "Metadata-Version: 2.1\nName: a\n";
  CHECK(with_requirements(head + "Requires-Dist: b\nRequires-Python: >=3\n\nRequires-Dist: in the text\n",
                          {"c>=1", "d"}) == head +
                                                "Requires-Dist: b\nRequires-Dist: c>=1\nRequires-Dist: "
                                                "d\nRequires-Python: >=3\n\nRequires-Dist: in the text\n");
  CHECK(with_requirements(head + "\ntext\n", {"c"}) == head + "Requires-Dist: c\n\ntext\n");
  CHECK(with_requirements(head, {"c"}) == head + "Requires-Dist: c\n");
  CHECK(with_requirements("Name: a", {"c"}) == "Name: a\nRequires-Dist: c\n");
  CHECK(with_requirements("Name: a\r\nrequires-dist: b;\r\n  python_version>'3'\r\n\r\ntext", {"c"}) ==
        "Name: a\r\nrequires-dist: b;\r\n  python_version>'3'\r\nRequires-Dist: c\r\n\r\ntext");
  CHECK(with_requirements("", {"c"}) == "Requires-Dist: c\n");
}

TEST_CASE("tags of WHEEL and of the file's name get another platform") {
  CHECK(with_platform("Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\nTag: cp311-cp311-manylinux1_x86_64\n"
                      "Tag: py3-none-linux_x86_64\n",
                      "manylinux_2_28_x86_64") ==
        "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\nTag: py3-none-manylinux_2_28_x86_64\n");
  CHECK(renamed_for_platform("a-1-cp311-cp311-linux_x86_64.whl", "manylinux_2_28_x86_64") ==
        "a-1-cp311-cp311-manylinux_2_28_x86_64.whl");
  CHECK(renamed_for_platform("a-1-2b-py3-none-a.b.whl", "c") == "a-1-2b-py3-none-c.whl");
}

TEST_CASE("an SBOM has the new hash of a changed file") {
  const auto before = sha256("a"), after = sha256("b"), other = sha256("c");
  CHECK(with_digests("{\"content\": \"" + before + "\", \"x\": \"" + other + "\"}", {{before, after}}) ==
        "{\"content\": \"" + after + "\", \"x\": \"" + other + "\"}");
}

TEST_CASE("RECORD has the new hash and size, and no longer what is gone") {
  // The hash is what `openssl dgst -sha256 -binary | basenc --base64url` makes of "hello\n".
  const std::string hash = "WJG1tSLV3whtD_CxEPvZ0hu0_HFjrzTQgoai6Eb2vgM";
  CHECK(with_members(
            "a/b.so,sha256=old,12\r\n\"a,\"\"b.py\",sha512=old,3\r\nx.dist-info/RECORD.jws,,\r\nother,sha256=o,1\r\n"
            "x.dist-info/RECORD,,\r\n",
            {{"a/b.so", {sha256("hello\n"), 6}},
             {"a,\"b.py", {sha256("hello\n"), 6}},
             {"x.dist-info/RECORD.jws", {.is_gone = true}},
             {"absent", {sha256(""), 0}}}) == "a/b.so,sha256=" + hash + ",6\r\n\"a,\"\"b.py\",sha256=" + hash +
                                                  ",6\r\nother,sha256=o,1\r\nx.dist-info/RECORD,,\r\n");
  CHECK(with_members("", {}) == "");
}

}  // namespace
}  // namespace cudald
