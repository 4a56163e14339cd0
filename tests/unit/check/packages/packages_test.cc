// What is wrong with the wheels that were given: CUD505, 506, 507, 901, 902 and 904.

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/archive/zip_builder.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// The report on a wheel of these bytes, whose name says pkg 1.0.
Report on_wheel(const std::string& bytes, const InflateLimits& limits = {}) {
  TestWorld world;
  world.query.limits = limits;
  const std::string path = "/dist/pkg-1.0-py3-none-any.whl";
  world.files.add_file(path, bytes);
  return world.explain({path});
}

/// The codes and levels alone, as the subjects are members.
std::string codes(const Report& report) {
  std::string text;
  for (const auto& finding : report.findings)
    text += std::string(finding.code) + " " + std::string(to_string(finding.level)) + "\n";
  return text;
}

const Finding& finding_of(const Report& report, std::string_view code) {
  for (const auto& finding : report.findings)
    if (finding.code == code) return finding;
  FAIL("no finding of that code");
  return report.findings.front();
}

/// Members with what makes a wheel of them, beside RECORD.
std::vector<ZipEntry> wheel_of(std::vector<ZipEntry> members, const std::string& record = "") {
  const std::string info = "pkg-1.0.dist-info/";
  members.push_back({.name = info + "METADATA", .data = "Name: pkg\nVersion: 1.0\n"});
  members.push_back({.name = info + "WHEEL", .data = "Wheel-Version: 1.0\nTag: py3-none-any\n"});
  members.push_back({.name = info + "RECORD", .data = record});
  return members;
}

/// As linkers write it: a file without PT_GNU_STACK asks for an executable stack.
std::string module() { return elf({.executable_stack = false}); }

TEST_CASE("a healthy wheel has no finding") {
  CHECK(findings(on_wheel(wheel_file({{"pkg/__init__.py", ""}, {"pkg/liba.so", module()}}))) == "");
}

TEST_CASE("a RECORD that does not fit the members is a note") {
  // The comma makes a row of four columns, so that the member is in none.
  const auto report = on_wheel(wheel_file({{"pkg/__init__.py", ""}, {"pkg/liba.so", module()}, {"pkg/a,b.py", ""}}));
  CHECK(codes(report) == "CUD505 note\nCUD505 note\n");
  CHECK(finding_of(report, "CUD505").subject.starts_with("pkg-1.0-py3-none-any.whl"));
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("a name that leads out of the folder is unsafe, two members of one name are a disagreement") {
  const auto unsafe = on_wheel(archive_of(wheel_of({{.name = "pkg/__init__.py"}, {.name = "../../x"}})).bytes);
  CHECK(codes(unsafe).find("CUD507 warning\n") != std::string::npos);
  CHECK(finding_of(unsafe, "CUD507").subject == "pkg-1.0-py3-none-any.whl!/../../x");
  CHECK(says(finding_of(unsafe, "CUD507"), "An extractor that trusts the archive writes where it should not"));
  const auto twice = on_wheel(archive_of(wheel_of({{.name = "pkg/a.py"}, {.name = "pkg/a.py"}})).bytes);
  CHECK(codes(twice).find("CUD506 warning\n") != std::string::npos);
  CHECK(says(finding_of(twice, "CUD506"), "Two installers can unpack different files from it."));
  CHECK(says(finding_of(twice, "CUD506"), "duplicate-name at offset 0x"));
}

TEST_CASE("what installers refuse is an error") {
  const auto report = on_wheel("<!DOCTYPE html>");
  CHECK(report.verdict == Verdict::unknown);
  // The checksum of METADATA is wrong.
  const auto wheel = on_wheel(archive_of(wheel_of({{.name = "pkg/__init__.py"}})).bytes);
  CHECK(finding_of(wheel, "CUD901").level == Level::error);
  auto cut = wheel_file({{"pkg/__init__.py", ""}});
  const auto damaged = on_wheel(cut.substr(0, cut.size() - 22));
  CHECK(damaged.verdict == Verdict::unknown);
  CHECK(codes(damaged).find("error") != std::string::npos);
}

TEST_CASE("a library whose bytes do not fit its checksum is not used, and is an error") {
  auto bytes = wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf({.soname = "a.so"})}});
  const auto at = bytes.find(
      "\x7f"
      "ELF");
  REQUIRE(at != std::string::npos);
  bytes[at + 9] = '\x55';
  const auto report = on_wheel(bytes);
  const auto& finding = finding_of(report, "CUD901");
  CHECK(finding.level == Level::error);
  CHECK(finding.subject == "pkg-1.0-py3-none-any.whl!/pkg/a.so");
  CHECK(says(finding, "cannot be unpacked: its bytes do not match their checksum (CRC-32)"));
}

TEST_CASE("a member beyond a limit is told, and the verdict is unknown") {
  const auto report = on_wheel(wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                           {"pkg/a.so", elf({.notes = {{"x", 1, std::string(4096, 'x')}}})}}),
                               {.member = 2000});
  CHECK(codes(report).find("CUD902 warning\n") != std::string::npos);
  CHECK(report.verdict == Verdict::unknown);
  CHECK(says(finding_of(report, "CUD902"), "--max-member"));
}

TEST_CASE("of many problems of a kind one comes first and the count is told") {
  std::vector<ZipEntry> members;
  for (int i = 0; i < 200; ++i) members.push_back({.name = "../x" + std::to_string(i)});
  members.push_back({.name = "pkg\\a.py"});
  const auto report = on_wheel(archive_of(wheel_of(std::move(members))).bytes);
  CHECK(says(finding_of(report, "CUD507"), "200 of this kind in the archive; "));
  std::size_t backslash = 0;
  while (backslash < report.findings.size() &&
         report.findings[backslash].message.find("backslash") == std::string::npos)
    ++backslash;
  CHECK(backslash < 10);
}

TEST_CASE("each kind of problem says what follows from it") {
  const auto record = on_wheel(wheel_file({{"pkg/__init__.py", ""}, {"pkg/a,b.py", ""}}));
  CHECK(finding_of(record, "CUD505").consequence == "RECORD is what uninstalling and auditing go by.");
  const auto malformed = on_wheel(archive_of(wheel_of({{.name = "pkg/__init__.py"}})).bytes);
  CHECK(finding_of(malformed, "CUD901").consequence == "Installers refuse the archive, or this member of it.");
  const auto unsafe = on_wheel(archive_of(wheel_of({{.name = "../../x"}})).bytes);
  CHECK(finding_of(unsafe, "CUD507").consequence ==
        "An extractor that trusts the archive writes where it should not, or fills the disk.");
}

TEST_CASE("a wheel whose folder has another name than its file is told, as installers treat it differently") {
  const std::string info = "other-1.0.dist-info/";
  const auto report = on_wheel(archive_of({{.name = info + "METADATA", .data = "Name: other\nVersion: 1.0\n"},
                                           {.name = info + "WHEEL", .data = "Wheel-Version: 1.0\nTag: py3-none-any\n"},
                                           {.name = info + "RECORD", .data = ""}})
                                   .bytes);
  CHECK(finding_of(report, "CUD506").consequence == "Installers treat such a wheel differently, or refuse it.");
}

TEST_CASE("of many damaged libraries of an archive some are told, and their count") {
  const int libraries = 70;
  std::vector<std::pair<std::string, std::string>> members{{"pkg/__init__.py", ""}};
  for (int i = 0; i < libraries; ++i)
    members.emplace_back("pkg/a" + std::to_string(i) + ".so", elf({.soname = "a" + std::to_string(i) + ".so"}));
  auto bytes = wheel_file(members);
  const std::string magic =
      "\x7f"
      "ELF";
  for (auto at = bytes.find(magic); at != std::string::npos; at = bytes.find(magic, at + 1)) bytes[at + 9] = '\x55';
  const auto report = on_wheel(bytes);
  std::size_t told = 0, counts = 0;
  for (const auto& finding : report.findings) {
    if (says(finding, "Installers stop at this member; what needs it does not find it.")) ++told;
    if (says(finding, "70 members of this archive cannot be unpacked")) ++counts;
  }
  CHECK(told == ZipProblems::most_kept_of_a_kind);
  CHECK(counts == 1);
}

TEST_CASE("a source whose checksum is wrong ends the installation, though the simulation could read it") {
  auto bytes = wheel_file({{"pkg/__init__.py", "import os  # one"}});
  CHECK(on_wheel(bytes).verdict == Verdict::loads);
  bytes[bytes.find("# one") + 2] = 'O';
  const auto report = on_wheel(bytes);
  const auto& finding = finding_of(report, "CUD901");
  CHECK(finding.level == Level::error);
  CHECK(finding.message.find("pkg/__init__.py cannot be unpacked: ") != std::string::npos);
  CHECK(report.verdict == Verdict::fails);
}

/// As in a zip archive (ISO 3309).
std::uint32_t checksum(const std::string& data) {
  std::uint32_t crc = ~0U;
  for (const char each : data) {
    crc ^= static_cast<unsigned char>(each);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

/// An archive of these members, whose checksums are right.
std::string sound_archive(const std::vector<ZipEntry>& entries) {
  auto archive = archive_of(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    archive.put(archive.local[i] + 14, n32(checksum(entries[i].data)));
    archive.put(archive.central[i] + 16, n32(checksum(entries[i].data)));
  }
  return archive.bytes;
}

TEST_CASE("rows of RECORD for a member that is not there, twice, of another size or without a hash are notes") {
  const std::string info = "pkg-1.0.dist-info/";
  const auto told = [&](const std::string& rows) {
    const std::string record =
        info + "METADATA,sha256=x,23\n" + info + "WHEEL,sha256=x,37\n" + info + "RECORD,,\n" + rows;
    std::string text;
    for (const auto& finding : on_wheel(sound_archive(wheel_of({{.name = "pkg/a.py"}}, record))).findings)
      if (finding.code != "CUD904")
        text += std::string(finding.code) + " " + std::string(to_string(finding.level)) + " " + finding.message +
                " | " + finding.evidence.at(0).text + " | " + finding.consequence + "\n";
    return text;
  };
  CHECK(told("pkg/a.py,sha256=x,4\n") == "");
  CHECK(told("pkg/a.py,sha256=x,4\npkg/gone.py,sha256=x,1\n") ==
        "CUD505 note pkg-1.0-py3-none-any.whl lists `pkg/gone.py` in RECORD, and does not hold it | "
        "record-lists-missing | RECORD is what uninstalling and auditing go by.\n");
  CHECK(told("pkg/a.py,sha256=x,4\npkg/a.py,sha256=x,4\n") ==
        "CUD505 note pkg-1.0-py3-none-any.whl lists `pkg/a.py` twice in RECORD | record-twice | RECORD is what "
        "uninstalling and auditing go by.\n");
  CHECK(told("pkg/a.py,sha256=x,5\n") ==
        "CUD505 note pkg-1.0-py3-none-any.whl!/pkg/a.py has 5 bytes by RECORD, and 4 in the archive | record-size | "
        "RECORD is what uninstalling and auditing go by.\n");
  CHECK(told("pkg/a.py,,4\n") ==
        "CUD505 note pkg-1.0-py3-none-any.whl!/pkg/a.py has no hash in RECORD | record-hash | RECORD is what "
        "uninstalling and auditing go by.\n");
  CHECK(told("") ==
        "CUD505 note pkg-1.0-py3-none-any.whl!/pkg/a.py is not listed in RECORD | record-lacks-member | RECORD is what "
        "uninstalling and auditing go by.\n");
}

TEST_CASE("a library that cannot be read for another reason than its bytes is told as that") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-any.whl";
  auto bytes = wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.so", elf({.soname = "a.so"})}});
  const auto at = bytes.find("PK\1\2", bytes.find("PK\1\2") + 4);  // of the second member, a.so
  REQUIRE(at != std::string::npos);
  auto encrypted = bytes;
  encrypted[at + 8] = '\1';
  world.files.add_file(path, encrypted);
  CHECK(in_full(world.explain({path})) == R"(CUD904 | error | /dist/pkg-1.0-py3-none-any.whl
  /dist/pkg-1.0-py3-none-any.whl: holds no shared library that could be judged
  = Nothing is claimed about it.
CUD507 | warning | pkg-1.0-py3-none-any.whl!/pkg/a.so
  pkg-1.0-py3-none-any.whl!/pkg/a.so is encrypted
  - encrypted at offset 0x35c | /dist/pkg-1.0-py3-none-any.whl | proven
  = An extractor that trusts the archive writes where it should not, or fills the disk.
CUD506 | warning | pkg-1.0-py3-none-any.whl!/pkg/a.so
  pkg-1.0-py3-none-any.whl!/pkg/a.so has the flags 0x0000 in its local header, 0x0001 in the directory
  - local-flags at offset 0x3d | /dist/pkg-1.0-py3-none-any.whl | proven
  = Two installers can unpack different files from it.
)");
}

TEST_CASE("of two packages with one library only that is told which is used") {
  TestWorld world;
  auto bytes = wheel_file({{"pkg/__init__.py", ""}, {"shared/a.so", elf({.soname = "a.so"})}});
  const auto at = bytes.find(
      "\x7f"
      "ELF");
  bytes[at + 9] = '\x55';
  world.files.add_file("/dist/pkg-1.0-py3-none-any.whl", bytes);
  world.files.add_file("/dist/dep-1.0-py3-none-any.whl",
                       wheel_file({{"dep/__init__.py", ""}, {"shared/a.so", elf({.soname = "a.so"})}}, "", "dep"));
  world.query.packages = {"/dist/dep-1.0-py3-none-any.whl"};
  const auto told = findings(world.explain({"/dist/pkg-1.0-py3-none-any.whl"}));
  world.query.packages = {};
  const auto alone = findings(world.explain({"/dist/pkg-1.0-py3-none-any.whl"}));
  CHECK(told == R"(CUD901 error pkg-1.0-py3-none-any.whl!/shared/a.so
CUD901 error /dist/pkg-1.0-py3-none-any.whl
)");
  CHECK(alone == R"(CUD901 error pkg-1.0-py3-none-any.whl!/shared/a.so
CUD901 error /dist/pkg-1.0-py3-none-any.whl
)");
}

TEST_CASE("claims of packages that are more than are read are told, with where that was") {
  TestWorld world;
  // Each says that it is larger than it is.
  for (int i = 10; i < 13; ++i)
    world.files.add_file("/conda/conda-meta/x" + std::to_string(i) + "-1-0.json", "{}",
                         {.claimed_size = std::uint64_t{30} << 20});
  world.add("/conda/lib/liba.so", {.soname = "liba.so"});
  CHECK(in_full(world.explain({"/conda/lib/liba.so"})) == R"(CUD902 | warning | /conda/conda-meta/x12-1-0.json
  /conda/conda-meta/x12-1-0.json: what packages claim as theirs was not read to its end: more than 134217728 )"
                                                          R"(bytes would be read for it
  - more than 134217728 bytes would be read for it | /conda/conda-meta/x12-1-0.json | proven
  = For further files the owning package is not listed.
)");
}

TEST_CASE("what a member's problem is decides whether installers refuse it") {
  const auto level = [](const ZipEntry& member, const std::string& code) {
    const auto report = on_wheel(sound_archive(wheel_of({{.name = "pkg/__init__.py"}, member})));
    return finding_of(report, code).level;
  };
  CHECK(level({.name = "../x"}, "CUD507") == Level::warning);
  CHECK(level({.name = "pkg/a.py", .mode = 0120777}, "CUD507") == Level::warning);
}

}  // namespace
}  // namespace cudald
