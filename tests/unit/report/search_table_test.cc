#include "report/search_table.h"

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

Probe probe(std::string path, ProbeResult result, std::string detail = "") {
  Probe made;
  made.path = std::move(path);
  made.rule = SearchRule::runpath;
  made.of = 0;
  made.result = result;
  made.detail = std::move(detail);
  return made;
}

std::vector<SearchRow> rows_of(Search search, bool every_probe = false) {
  Edge edge;
  edge.search = std::move(search);
  return search_rows(healthy_report().resolution, 0, edge, every_probe);
}

TEST_CASE("a probe's result is told in words") {
  struct Row {
    ProbeResult result;
    const char *detail, *words;
  };
  for (const Row& row : {Row{ProbeResult::found, "", "found"}, Row{ProbeResult::absent, "", "not there"},
                         Row{ProbeResult::absent, "No such file or directory", "not there"},
                         Row{ProbeResult::absent, "no such folder", "no such folder"},
                         Row{ProbeResult::wrong_class, "", "32 and 64 bit do not mix"},
                         Row{ProbeResult::wrong_machine, "aarch64", "for another machine: aarch64"},
                         Row{ProbeResult::not_elf, "invalid ELF header", "no ELF file: invalid ELF header"},
                         Row{ProbeResult::unreadable, "Permission denied", "cannot be read: Permission denied"},
                         Row{ProbeResult::isa_too_new, "x86-64-v4", "wants a newer processor: x86-64-v4"},
                         Row{ProbeResult::malformed, "file too short", "refused: file too short"}}) {
    CAPTURE(row.words);
    CHECK(result_words(probe("/a/x", row.result, row.detail)) == row.words);
  }
}

TEST_CASE("what ends a search or a list is said") {
  Probe fatal = probe("/a/x", ProbeResult::not_elf, "invalid ELF header");
  fatal.ends_search = true;
  Probe looping = probe("/b/x", ProbeResult::unreadable, "Too many levels of symbolic links");
  looping.ends_list = true;
  const auto rows = rows_of({{looping, fatal}, {}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].result == "cannot be read: Too many levels of symbolic links; the rest of this list is passed over");
  CHECK(rows[1].result == "no ELF file: invalid ELF header; the loader gives up here");
}

TEST_CASE("rules are numbered, those passed over in their place") {
  const auto rows = rows_of({{probe("/a/x", ProbeResult::absent), probe("/b/x", ProbeResult::absent)},
                             {{SearchRule::ld_library_path, std::nullopt, "", "not set", 0},
                              {SearchRule::cache, std::nullopt, "", "there is none", 1},
                              {SearchRule::default_folder, std::nullopt, "", "forbidden", 2}}});
  REQUIRE(rows.size() == 5);
  const std::vector<std::string> rules = {"LD_LIBRARY_PATH", "DT_RUNPATH", "/etc/ld.so.cache", "DT_RUNPATH",
                                          "system folders"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].number == i + 1);
    CHECK(rows[i].rule == rules[i]);
  }
}

TEST_CASE("a list of the same name from another object is a rule of its own") {
  Probe inherited = probe("/b/x", ProbeResult::absent);
  inherited.of = 1;
  const auto rows = rows_of({{probe("/a/x", ProbeResult::absent), inherited}, {}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rule == "DT_RUNPATH");
  CHECK(rows[1].rule == "DT_RUNPATH of libfoo.so.1.2");
}

TEST_CASE("many folders without a hit are folded, a hit never is") {
  std::vector<Probe> probes;
  for (const char* folder : {"/a", "/b", "/c", "/d", "/e", "/f"})
    probes.push_back(probe(std::string(folder) + "/x", ProbeResult::absent));
  probes.push_back(probe("/g/x", ProbeResult::found));
  const auto rows = rows_of({probes, {}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].place == "/a ... /f");
  CHECK(rows[0].result == "6 folders, not there");
  CHECK(rows[1].place == "/g");
  CHECK(rows[1].number == 0);
  CHECK(rows_of({probes, {}}, true).size() == 7);
}

TEST_CASE("a listed folder below another listed one is not folded away") {
  const auto rows = rows_of({{probe("/a/b/x", ProbeResult::absent), probe("/a/x", ProbeResult::absent)}, {}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].place == "/a/b");
}

TEST_CASE("a folder below that holds something is not folded away") {
  const auto rows = rows_of(
      {{probe("/a/glibc-hwcaps/x86-64-v3/x", ProbeResult::wrong_machine), probe("/a/x", ProbeResult::absent)}, {}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].place == "/a/glibc-hwcaps/x86-64-v3");
}

TEST_CASE("a path too long for its column keeps its line") {
  const std::string folder = "/" + std::string(120, 'a');
  const auto rows = rows_of({{probe(folder + "/x", ProbeResult::absent)}, {}});
  const std::string text = written([&](std::ostream& out) {
    const TextStyle style = plain_style();
    TextWriter writer(style, out);
    write_search_table(rows, writer);
  });
  CHECK(text ==
        "searched, in this order   result\n  1 DT_RUNPATH  " + folder + "\n                          not there\n");
}

TEST_CASE("results stand in one column, which a place of up to three fifths of the width pushes back") {
  const auto table = [](std::size_t length) {
    const auto rows = rows_of({{probe("/" + std::string(length - 1, 'a') + "/x", ProbeResult::absent)}, {}});
    return written([&](std::ostream& out) {
      const TextStyle style = plain_style();
      TextWriter writer(style, out);
      write_search_table(rows, writer);
    });
  };
  const std::string title = "searched, in this order", row = "  1 DT_RUNPATH  /";
  CHECK(table(44) == title + std::string(40, ' ') + "result\n" + row + std::string(43, 'a') + "   not there\n");
  CHECK(table(45) == title + "   result\n" + row + std::string(44, 'a') + "\n" + std::string(26, ' ') + "not there\n");
  CHECK(table(7) == title + "   result\n" + row + std::string(6, 'a') + "   not there\n");
  CHECK(table(4) == title + "   result\n" + row + "aaa      not there\n");
}

}  // namespace
}  // namespace cudald
