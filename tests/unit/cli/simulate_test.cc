#include "cli/simulate.h"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

TEST_CASE("what a run writes as its baseline is no finding of the next") {
  const Tree tree;
  const auto baseline = tree.root / "baseline";
  const std::string told =
      "FAILS  bad does not load: libx.so.1 is in no folder that the loader searches\n"
      "no findings in 1 object.\n";
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
  CHECK(at > both.find("FAILS  bad"));
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
  CHECK(folder.complaints == "cudald: /bin: a folder in which no package and no library lies\n");
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
  CHECK(two.status == 2);
  CHECK(two.answer.empty());
  CHECK(two.complaints.starts_with("cudald: `-f json` writes one document, and this would be 2; use `-f ndjson`\n"));
  CHECK_FALSE(std::filesystem::exists(json));
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

}  // namespace
}  // namespace cudald
