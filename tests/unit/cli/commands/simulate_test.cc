#include "cli/commands/simulate.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/refusals.h"
#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

TEST_CASE("what a run writes as its baseline is no finding of the next") {
  const Tree tree;
  const auto baseline = tree.root / "baseline";
  const std::string told =
      "FAILS  bad does not load: libx.so.1 is not found in any directory the loader searches\n"
      "no findings (1 file).\n";
  for (const auto* option : {"--write-baseline", "--baseline"}) {
    const auto answer = tree.ask("check", {option, baseline, "/bin/bad"});
    CHECK(answer.status == 0);
    CHECK(answer.answer == told);
    CHECK(answer.complaints.empty());
  }
  CHECK(text_of(baseline).find("\n  \"CUD101:bad:libx.so.1\"\n") != std::string::npos);
  const auto none = tree.ask("check", {"--write-baseline", tree.root / "none/x", "/bin/bad"});
  CHECK(none.status == 2);
  CHECK(none.answer.empty());
  CHECK(
      none.complaints.starts_with("cudald: cannot write " + (tree.root / "none/x") + ": No such file or directory\n"));
}

TEST_CASE("a suppression that no target needed is told once, with the last answer") {
  const Tree tree;
  tree.root.add_file("a.toml",
                     "ignore = [{code = \"CUD101\", object = \"bad\", reason = \"known\"}, {code = \"CUD102\", reason "
                     "= \"never\"}]\n");
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--separately", "--config", tree.root / "a.toml"});
    return tree.ask("check", words).answer;
  };
  const auto both = ask({"/bin/bad", "/bin/app"});
  const auto at = both.find("CUD903");
  CHECK(at > both.find("FAILS     bad"));
  CHECK(at < both.find("LOADS  app"));
  CHECK(both.find("CUD903", at + 1) > both.find("2 targets: "));  // in the sum alone
}

TEST_CASE("answers about several targets are summed up, with what took longest where more is asked for") {
  const Tree tree;
  const auto brief = tree.ask("check", {"--separately", "/bin/bad", "/bin/app"});
  CHECK(brief.status == 1);
  CHECK(brief.answer.ends_with("\n2 targets: 1 FAILS, 1 LOADS.\n  error[CUD101] library-not-found: 1 in 1 target\n"));
  const auto more = tree.ask("check", {"--separately", "-v", "/bin/bad", "/bin/app"}).answer;
  CHECK(more.ends_with("\n  largest: /bin/bad (1 kB)\n"));
  CHECK(tree.ask("check", {"/bin/bad"}).answer.find("1 targets") == std::string::npos);
}

TEST_CASE("files are told of one after another; what cannot be read is complained of and makes the answer incomplete") {
  const Tree tree;
  const std::string app = "/bin/app\n  format      elf64 x86_64 program (position-independent), ";
  const auto beside = tree.ask("show", {"/bin/none", "/bin/app"});
  CHECK(beside.status == 3);
  CHECK(beside.answer.starts_with(app));
  CHECK(beside.complaints ==
        "cudald: /bin/none: No such file or directory; paths are those inside " + tree.root.path() + "\n");
  const auto allowed = tree.ask("show", {"--allow-incomplete", "/bin/none"});
  CHECK(allowed.status == 0);
  CHECK(allowed.complaints == beside.complaints);
  const auto documents = tree.ask("show", {"-f", "ndjson", "/bin/app", "/bin/bad"});
  CHECK(documents.status == 0);
  CHECK(documents.answer.starts_with(R"({"schema":"cudald/image",)"));
  CHECK(documents.answer.find("}\n{\"schema\":\"cudald/image\",") != std::string::npos);
}

TEST_CASE("of wheels it is told what they promise; one that is not whole leaves the answer incomplete") {
  const Tree tree;
  const std::string name = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  const auto bytes = wheel_file({{"good/__init__.py", ""}, {"good/m.so", elf({})}}, "", "good");
  tree.root.add_file("w/" + name, bytes);
  const auto whole = tree.ask("show", {"/w/" + name, "/bin/app"});
  CHECK(whole.status == 0);
  CHECK(whole.answer.starts_with(name + "\n"));
  CHECK(whole.answer.find("\n\n/bin/app\n") != std::string::npos);
  tree.root.add_file("w/cut/" + name, bytes.substr(0, 300));
  const auto cut = tree.ask("show", {"/w/cut/" + name});
  CHECK(cut.status == 3);
  CHECK(cut.complaints.starts_with("cudald: /w/cut/" + name + ": begins like a zip archive, and has no end record"));
}

TEST_CASE("where nothing can be told but complaints, nothing is written") {
  const Tree tree;
  for (const std::string command : {"explain", "tree"}) {
    CAPTURE(command);
    const auto answer = tree.ask(command, {"/none.so", "/bin/none"});
    CHECK(answer.status == 3);
    CHECK(answer.answer.empty());
    CHECK(answer.complaints.starts_with("cudald: /none.so: "));
    CHECK(answer.complaints.find("\ncudald: /bin/none: ") != std::string::npos);
  }
  const auto folder = tree.ask("tree", {"/bin"});
  CHECK(folder.status == 3);
  CHECK(folder.complaints == "cudald: /bin: no packages or libraries found in this directory\n");
  // A document of all answers tells of it.
  const auto document = tree.ask("check", {"-f", "junit", "--separately", "/bin/none", "/bin/app"});
  CHECK(document.status == 3);
  CHECK(document.complaints.empty());
  CHECK(document.answer.find("UNKNOWN  /bin/none: No such file or directory") != std::string::npos);
}

TEST_CASE("of several documents that cannot be finished the first is complained of, and the answer is incomplete") {
  const Tree tree;
  const auto full = tree.ask("check", {"-o", "json=/dev/full", "/bin/app"});
  CHECK(full.status == 3);
  CHECK(full.complaints == "cudald: cannot write /dev/full: No space left on device\n");
  CHECK(full.answer.starts_with("LOADS  app loads"));
  const auto json = tree.root / "json";
  const auto beside = tree.ask("check", {"-o", "json=/dev/full", "-o", "sarif=" + json, "/bin/app"});
  CHECK(beside.status == 3);
  CHECK(beside.complaints == full.complaints);
  CHECK(text_of(json).starts_with("{"));
}

TEST_CASE("paths of files that are shown are of the current folder, or of the tree") {
  const Tree tree;
  const auto here = answer_to({"show", "app"}, "", tree.root / "bin");
  CHECK(here.status == 0);
  CHECK(here.answer.starts_with("app\n  format "));
  CHECK(tree.ask("show", {"bin/app"}).answer.starts_with("bin/app\n  format "));
  const auto none = tree.ask("show", {"-"}, "\n");
  CHECK(none.status == 2);
  CHECK(none.complaints == "cudald: standard input names no target\nTry `cudald show --help`.\n");
  const auto nowhere = answer_to({"show", "--sysroot", tree.root / "none", "a"});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.complaints.starts_with("cudald: --sysroot " + (tree.root / "none") + ": No such file or directory\n"));
}

TEST_CASE("a file that was meant for a command, but is no library, is told as what it is") {
  const Tree tree;
  tree.root.add_file("exlpain", "text");
  const auto answer = tree.ask("exlpain", {});
  CHECK(answer.status == 3);
  CHECK(answer.complaints == "cudald: exlpain: not an ELF file (it does not start with \\x7fELF)\n");
  CHECK(tree.ask("why", {"/bin/none", "libx.so"}).answer.empty());
}

TEST_CASE("a baseline that cannot be read is a fault, and documents of several answers stay unwritten") {
  const Tree tree;
  const auto none = tree.ask("check", {"--baseline", tree.root / "none", "/bin/bad"});
  CHECK(none.status == 2);
  CHECK(none.answer.empty());
  CHECK(none.complaints.starts_with("cudald: --baseline " + (tree.root / "none") + ": No such file or directory\n"));
  const auto json = tree.root / "json";
  const auto two = tree.ask("check", {"--separately", "-o", "json=" + json, "/bin/bad", "/bin/app"});
  CHECK(two.status == 1);
  CHECK(std::filesystem::exists(json));
  const auto second =
      tree.ask("check", {"-o", "sarif=" + (tree.root / "sarif"), "-o", "json=" + (tree.root / "none/x"), "/bin/bad"});
  CHECK(second.status == 2);
  CHECK_FALSE(std::filesystem::exists(tree.root / "sarif"));
  const auto full = tree.ask("check", {"-o", "json=/dev/full", "-o", "junit=/dev/full", "/bin/app"});
  CHECK(full.status == 3);
  CHECK(full.complaints == "cudald: cannot write /dev/full: No space left on device\n");
}

TEST_CASE("of a wheel of which a file cannot be read no tag is told, and the answer is incomplete") {
  const Tree tree;
  const std::string name = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  auto bytes = wheel_file({{"a.so", elf({})}}, "", "good");
  const auto directory = bytes.find("PK\1\2");
  REQUIRE(directory != std::string::npos);
  bytes.replace(directory + 42, 4, "\xff\xff\xff\x7f");  // where the member should lie
  tree.root.add_file(name, bytes);
  const auto shown = tree.ask("show", {name});
  CHECK(shown.status == 3);
  CHECK(shown.complaints.empty());
  CHECK(shown.answer.starts_with(name + "\n"));
  const auto allowed = tree.ask("show", {"--allow-incomplete", name});
  CHECK(allowed.status == 0);
  CHECK(allowed.answer == shown.answer);
}

TEST_CASE("whoever may not read a file is told who may, unless it cannot be read at all") {
  MemoryFileSystem files;
  FileTraits closed, broken;
  closed.readable = false;
  broken.broken_disk = true;
  files.add_file("/bin/closed", elf(program({})), closed);
  files.add_file("/bin/broken", elf(program({})), broken);
  const auto complaint = [&](const std::string& path) {
    const ScratchFolder folder;
    auto options = *parse_options({"tree", path});
    options.resolved.table = built_in_knowledge();
    std::istringstream input;
    std::ostringstream complaints;
    Environment environment;
    environment.cwd = "/";
    const auto output = std::move(*Output::open(folder / "told"));
    const Refusals refusals;
    const auto status = simulate(options, {}, {environment, {}, input, complaints}, *output, &files);
    refusals.take();  // the log is that of the process: other tests have nothing to do with them
    REQUIRE(status);
    CHECK(*status == 3);
    return complaints.str();
  };
  CHECK(complaint("/bin/closed") == "cudald: /bin/closed: Permission denied; run cudald as a user who may read it\n");
  CHECK(complaint("/bin/broken").starts_with("cudald: /bin/broken: "));
  CHECK(complaint("/bin/broken").find("as a user") == std::string::npos);
  CHECK(complaint("/bin/none") == "cudald: /bin/none: No such file or directory\n");
}

TEST_CASE("a document tells of what is only complained of beside it, and each file has a style of its own") {
  const Tree tree;
  const auto json = tree.root / "json";
  const auto none = tree.ask("explain", {"/bin/none", "-o", "json=" + json});
  CHECK(none.status == 3);
  CHECK(none.answer.empty());
  CHECK(none.complaints.starts_with("cudald: /bin/none: "));
  CHECK(text_of(json).find("\"/bin/none\"") != std::string::npos);
  for (const auto* name : {"full1", "full2"}) tree.root.add_symlink(name, "/dev/full");
  const auto full =
      tree.ask("check", {"-o", "json=" + (tree.root / "full1"), "-o", "junit=" + (tree.root / "full2"), "/bin/app"});
  CHECK(full.complaints == "cudald: cannot write " + (tree.root / "full1") + ": No space left on device\n");
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = "/";
  environment.cpu = x86_64_cpu(1);
  Terminal terminal;
  terminal.output_is_terminal = true;
  const std::vector<std::string> words{
      "explain", "--no-pager", "--sysroot", tree.root.path(), "-o", "text=" + (tree.root / "text"), "/bin/bad"};
  const auto shown = said_by([&] { return run(words, {environment, terminal, input, complaints}); }, tree.root);
  CHECK(shown.status == 1);
  CHECK(shown.answer.find("\x1b[") != std::string::npos);
  const auto text = text_of(tree.root / "text");
  CHECK(text.starts_with("FAILS  bad does not load"));
  CHECK(text.find("\x1b[") == std::string::npos);
}

/// Checks that an answer is JSON with this schema, in one line where that is asked for.
void check_forms(const Tree& tree, const std::string& command, const std::vector<std::string>& words,
                 const std::string& schema) {
  for (const std::string format : {"json", "ndjson"}) {
    auto all = words;
    all.insert(all.end(), {"-f", format});
    const auto answer = tree.ask(command, all).answer;
    CAPTURE(answer);
    CHECK(answer.starts_with(format == "json" ? "{\n  \"schema\": \"" + schema + "\",\n"
                                              : "{\"schema\":\"" + schema + "\","));
    CHECK((std::count(answer.begin(), answer.end(), '\n') == 1) == (format == "ndjson"));
  }
}

TEST_CASE("what is told of a file, a wheel and a tree is JSON as well, in one line or in many") {
  const Tree tree;
  const std::string name = "good-1.0-py3-none-any.whl";
  tree.root.add_file(name, wheel_file({{"good/__init__.py", ""}}, "", "good"));
  check_forms(tree, "show", {"/bin/app"}, "cudald/image");
  check_forms(tree, "show", {"/" + name}, "cudald/wheel");
  check_forms(tree, "env", {}, "cudald/env");
  CHECK(tree.ask("env", {"-f", "json"}).answer.find("\"sysroot\": \"" + tree.root.path() + "\"") != std::string::npos);
}

TEST_CASE("what was read of a wheel is kept in the cache, unless none is wanted") {
  const ScratchFolder folder;
  const std::string name = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  folder.add_file(name, wheel_file({{"good/__init__.py", ""}, {"good/m.so", elf({})}}, "", "good"));
  wait_for_clock();
  const std::map<std::string, std::string> variables = {{"XDG_CACHE_HOME", folder / "cache"}};
  const auto none = said_to({"show", "--no-cache", name}, folder, variables);
  CHECK(none.status == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "cache"));
  const auto kept = said_to({"show", name}, folder, variables);
  CHECK(kept.answer == none.answer);
  const auto place = folder / "cache/cudald/facts-1";
  CHECK(std::filesystem::exists(place + "/.trimmed"));
  CHECK(std::distance(std::filesystem::directory_iterator(place), {}) > 1);
  CHECK(said_to({"show", name}, folder, variables).answer == none.answer);
}

}  // namespace
}  // namespace cudald
