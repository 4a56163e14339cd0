#include "report/text/search_table.h"

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
                         Row{ProbeResult::absent, "no such directory", "no such directory"},
                         Row{ProbeResult::wrong_class, "", "32 and 64 bit do not mix"},
                         Row{ProbeResult::wrong_machine, "aarch64", "for another machine: aarch64"},
                         Row{ProbeResult::not_elf, "invalid ELF header", "not an ELF file: invalid ELF header"},
                         Row{ProbeResult::unreadable, "Permission denied", "cannot be read: Permission denied"},
                         Row{ProbeResult::isa_too_new, "x86-64-v4", "needs a newer processor: x86-64-v4"},
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
  CHECK(rows[1].result == "not an ELF file: invalid ELF header; the loader gives up here");
}

TEST_CASE("rules are numbered, those passed over in their place") {
  const auto rows = rows_of({{probe("/a/x", ProbeResult::absent), probe("/b/x", ProbeResult::absent)},
                             {{SearchRule::ld_library_path, std::nullopt, "", "not set", 0},
                              {SearchRule::cache, std::nullopt, "", "there is none", 1},
                              {SearchRule::default_folder, std::nullopt, "", "forbidden", 2}}});
  REQUIRE(rows.size() == 5);
  const std::vector<std::string> rules = {"LD_LIBRARY_PATH", "DT_RUNPATH", "/etc/ld.so.cache", "DT_RUNPATH",
                                          "system directories"};
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
  CHECK(rows[0].result == "6 directories, not there");
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

TEST_CASE("each result has its words, and what the loader says behind them") {
  for (const auto& [result, words] :
       {std::pair(ProbeResult::wrong_class, "32 and 64 bit do not mix"),
        std::pair(ProbeResult::wrong_machine, "for another machine"),
        std::pair(ProbeResult::not_elf, "not an ELF file"), std::pair(ProbeResult::not_pe, "not a PE file"),
        std::pair(ProbeResult::unreadable, "cannot be read"),
        std::pair(ProbeResult::abi_too_new, "needs a newer kernel"),
        std::pair(ProbeResult::isa_too_new, "needs a newer processor"), std::pair(ProbeResult::malformed, "refused"),
        std::pair(ProbeResult::refused, "not opened")}) {
    CHECK(result_words(probe("/a/x", result)) == words);
    CHECK(result_words(probe("/a/x", result, "why\n")) == std::string(words) + ": why\\x0a");
  }
  CHECK(result_words(probe("/a/x", ProbeResult::found, "why")) == "found");
}

TEST_CASE("each rule has a name for a table and one for brackets") {
  struct Row {
    SearchRule rule;
    const char *name, *brackets;
  };
  for (const auto& row :
       {Row{SearchRule::path, "path as given", "[path]"},
        Row{SearchRule::already_loaded, "already loaded", "[already loaded]"},
        Row{SearchRule::rpath, "DT_RPATH", "[rpath]"},
        Row{SearchRule::ld_library_path, "LD_LIBRARY_PATH", "[LD_LIBRARY_PATH]"},
        Row{SearchRule::runpath, "DT_RUNPATH", "[runpath]"},
        Row{SearchRule::cache, "/etc/ld.so.cache", "[ld.so.cache]"},
        Row{SearchRule::default_folder, "system directories", "[system directory]"},
        Row{SearchRule::preload, "preload", "[preload]"},
        Row{SearchRule::manifest, "manifest", "[manifest]"},
        Row{SearchRule::loaded_module, "already loaded", "[already loaded]"},
        Row{SearchRule::known_dll, "known DLL", "[known DLL]"},
        Row{SearchRule::api_set, "API set", "[API set]"},
        Row{SearchRule::application_folder, "application directory", "[application directory]"},
        Row{SearchRule::dll_load_folder, "directory of the loaded file", "[directory of the loaded file]"},
        Row{SearchRule::user_folder, "added DLL directory", "[added DLL directory]"},
        Row{SearchRule::system_folder, "system directory", "[system directory]"},
        Row{SearchRule::system16_folder, "16-bit system directory", "[16-bit system directory]"},
        Row{SearchRule::windows_folder, "Windows directory", "[Windows directory]"},
        Row{SearchRule::current_folder, "current directory", "[current directory]"},
        Row{SearchRule::path_variable, "PATH", "[PATH]"}}) {
    CHECK(spoken(row.rule) == row.name);
    CHECK(bracketed(row.rule) == row.brackets);
  }
}

TEST_CASE("a place is the folder, or the file where a rule names that") {
  const auto place = [](const std::string& path, SearchRule rule = SearchRule::runpath) {
    auto made = probe(path, ProbeResult::found);
    made.rule = rule;
    return rows_of({{made}, {}})[0].place;
  };
  CHECK(place("/a/b/x") == "/a/b");
  CHECK(place("/x") == "/");
  CHECK(place("x") == "current directory");
  CHECK(place("./x") == "current directory");
  CHECK(place("../x") == "..");
  CHECK(place(R"(C:\a\x.dll)") == R"(C:\a)");
  CHECK(place(R"(C:\x.dll)") == R"(C:\)");
  CHECK(place("/a/x", SearchRule::path) == "/a/x");
  CHECK(place("/a/x", SearchRule::cache) == "/a/x");
  CHECK(place("/a/x", SearchRule::preload) == "/a");
}

TEST_CASE("what was found is good, what ends the search is bad, and what is passed over is neither") {
  const auto tone = [](ProbeResult result, bool ends_search) {
    auto made = probe("/a/x", result);
    made.ends_search = ends_search;
    return rows_of({{made}, {}})[0].tone;
  };
  CHECK(tone(ProbeResult::found, false) == Tone::good);
  CHECK(tone(ProbeResult::absent, false) == Tone::plain);
  CHECK(tone(ProbeResult::absent, true) == Tone::plain);
  CHECK(tone(ProbeResult::not_elf, false) == Tone::caution);
  CHECK(tone(ProbeResult::not_elf, true) == Tone::bad);
}

/// Places and results of probes in folders /0, /1, ..., of which one may be changed.
std::vector<std::string> places_of(std::size_t count, SearchRule rule, void (*change)(Probe&) = nullptr) {
  std::vector<Probe> probes;
  for (std::size_t i = 0; i < count; ++i) {
    probes.push_back(probe("/" + std::to_string(i) + "/x", ProbeResult::absent));
    probes.back().rule = rule;
  }
  if (change != nullptr) change(probes[2]);
  std::vector<std::string> places;
  for (const auto& row : rows_of({probes, {}})) places.push_back(row.place + ": " + row.result);
  return places;
}

TEST_CASE("four folders that miss are listed, of the system's one, and more are folded if they are alike") {
  using Places = std::vector<std::string>;
  CHECK(places_of(4, SearchRule::runpath) ==
        Places{"/0: not there", "/1: not there", "/2: not there", "/3: not there"});
  CHECK(places_of(5, SearchRule::runpath) == Places{"/0 ... /4: 5 directories, not there"});
  CHECK(places_of(1, SearchRule::default_folder) == Places{"/0: not there"});
  CHECK(places_of(2, SearchRule::default_folder) == Places{"/0 ... /1: 2 directories, not there"});
  CHECK(places_of(5, SearchRule::default_folder, [](Probe& each) { each.detail = "no directory"; }) ==
        Places{"/0 ... /1: 2 directories, not there", "/2: no directory", "/3 ... /4: 2 directories, not there"});
  CHECK(places_of(5, SearchRule::default_folder, [](Probe& each) { each.ends_search = true; }) ==
        Places{"/0 ... /1: 2 directories, not there", "/2: not there; the loader gives up here",
               "/3 ... /4: 2 directories, not there"});
  CHECK(places_of(5, SearchRule::default_folder, [](Probe& each) { each.ends_list = true; }) ==
        Places{"/0 ... /1: 2 directories, not there", "/2: not there; the rest of this list is passed over",
               "/3 ... /4: 2 directories, not there"});
}

TEST_CASE("folders that the loader derives by itself are folded into theirs, each of their names") {
  const auto place = [](const std::vector<std::string>& folders) {
    std::vector<Probe> probes;
    for (const auto& folder : folders) probes.push_back(probe("/a/" + folder + "x", ProbeResult::absent));
    const auto rows = rows_of({probes, {}});
    return std::to_string(rows.size()) + " " + rows.back().place;
  };
  for (const auto* name : {"glibc-hwcaps", "tls", "x86_64", "haswell", "xeon_phi", "avx512_1"}) {
    CAPTURE(name);
    CHECK(place({std::string(name) + "/", ""}) == "1 /a  and 1 directory below it");
  }
  CHECK(place({"tls/haswell/", "tls/", "haswell/", ""}) == "1 /a  and 3 directories below it");
  CHECK(place({"other/", ""}) == "2 /a");
  CHECK(place({"tls", ""}) == "2 /a");
  // A folder that holds something is told, and so is what lies above it.
  auto below = probe("/a/tls/x", ProbeResult::absent);
  CHECK(rows_of({{below, probe("/a/x", ProbeResult::found)}, {}}).size() == 2);
  below.ends_list = true;
  CHECK(rows_of({{below, probe("/a/x", ProbeResult::absent)}, {}}).size() == 2);
}

TEST_CASE("rules that one list goes through one after another are told apart, and passed over ones at their place") {
  auto cached = probe("/c/x", ProbeResult::absent);
  cached.rule = SearchRule::cache;
  cached.of.reset();
  const std::vector<SkippedRule> skipped = {{SearchRule::preload, std::nullopt, "v", "first", 0},
                                            {SearchRule::rpath, 1, "/r", "in between", 1},
                                            {SearchRule::default_folder, std::nullopt, "", "last", 9}};
  const auto told = rows_of({{probe("/a/x", ProbeResult::absent), probe("/b/x", ProbeResult::found), cached}, skipped});
  std::string text;
  for (const auto& row : told)
    text += std::to_string(row.number) + "|" + row.rule + "|" + row.place + "|" + row.result + "\n";
  CHECK(text ==
        "1|preload|v|first\n"
        "2|DT_RUNPATH|/a|not there\n"
        "3|DT_RPATH of libfoo.so.1.2|/r|in between\n"
        "4|DT_RUNPATH|/b|found\n"
        "5|/etc/ld.so.cache|/c/x|not there\n"
        "6|system directories||last\n");
}

std::string table_of(const std::vector<SearchRow>& rows, std::size_t width = 100) {
  return written([&](std::ostream& out) {
    auto style = plain_style();
    style.width = width;
    TextWriter writer(style, out);
    write_search_table(rows, writer);
  });
}

TEST_CASE("behind a rule of up to twenty-four characters stands its place, below a longer one") {
  const std::string most(24, 'r');
  CHECK(table_of({{1, most, "/a", "one", Tone::plain}, {0, "", "/b", "two", Tone::plain}}) ==
        "searched, in this order            result\n"
        "  1 " +
            most + "  /a   one\n" + std::string(30, ' ') + "/b   two\n");
  CHECK(table_of({{12, most + "r", "/a", "one", Tone::plain}, {0, "", "/b", "two", Tone::plain}}) ==
        "searched, in this order         result\n"
        " 12 " +
            most + "r\n      /a" + std::string(24, ' ') + "one\n      /b" + std::string(24, ' ') + "two\n");
  CHECK(table_of({{1, most + "r", "", "one", Tone::plain}}) ==
        "searched, in this order         result\n  1 " + most + "r   one\n");
}

TEST_CASE("what was passed over or folded has no tone, and what stands above the table is a label") {
  std::vector<Probe> probes(5, probe("/a/x", ProbeResult::absent));
  for (const auto& row : rows_of({probes, {{SearchRule::rpath, 0, "/r", "not used", 0}}}))
    CHECK(row.tone == Tone::plain);
  const auto text = written([](std::ostream& out) {
    auto style = plain_style();
    style.colour = true;
    TextWriter writer(style, out);
    write_search_table({{1, "PATH", "/a", "found", Tone::good}, {2, "PATH", "/b", "not there", Tone::plain}}, writer);
  });
  CHECK(text ==
        "\x1b[36msearched, in this order\x1b[0m   \x1b[36mresult\x1b[0m\n"
        "  1 PATH  /a              \x1b[1;32mfound\x1b[0m\n"
        "  2 PATH  /b              not there\n");
}

TEST_CASE("results are wrapped in what room is left, and never below twenty columns") {
  const std::string ten(10, 'r'), nine(9, 's');
  const std::string head = "searched, in this order   result\n", row = "  1 DT_RPATH              ";
  const std::string below = "\n" + std::string(26, ' ');
  CHECK(table_of({{1, "DT_RPATH", "", ten + " " + ten, Tone::plain}}, 47) == head + row + ten + " " + ten + "\n");
  CHECK(table_of({{1, "DT_RPATH", "", ten + " " + ten, Tone::plain}}, 46) == head + row + ten + below + ten + "\n");
  CHECK(table_of({{1, "DT_RPATH", "", ten + " " + nine, Tone::plain}}, 10) == head + row + ten + " " + nine + "\n");
  CHECK(table_of({{1, "DT_RPATH", "", ten + " " + ten, Tone::plain}}, 26) == head + row + ten + below + ten + "\n");
}

}  // namespace
}  // namespace cudald
