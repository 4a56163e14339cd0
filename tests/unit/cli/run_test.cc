#include "cli/run.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/message.h>
#include <cudald/writers.h>

#include "check/findings/checks.h"
#include "cli/commands/completion.h"
#include "cli/commands/help.h"
#include "cli/options/option_table.h"
#include "cli/options/schemas.h"
#include "cli/settings/knowledge_option.h"
#include "common/example_report.h"
#include "unit/archive/tar_builder.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

TEST_CASE("what cannot be read is complained of once, and leaves the answer incomplete unless that is allowed") {
  const Tree tree;
  const auto none = tree.ask("explain", {"/bin/none"});
  CHECK(none.status == 3);
  CHECK(none.answer.empty());
  CHECK(none.complaints ==
        "cudald: /bin/none: No such file or directory; paths are those inside " + tree.root.path() + "\n");
  const auto allowed = tree.ask("explain", {"/bin/none", "--allow-incomplete"});
  CHECK(allowed.status == 0);
  CHECK(allowed.complaints == none.complaints);
  // Formats that tell all do so themselves.
  const auto json = tree.ask("explain", {"/bin/none", "-f", "json"});
  CHECK(json.status == 3);
  CHECK(json.complaints.empty());
  CHECK(json.answer.find("/bin/none") != std::string::npos);
  const auto beside = tree.ask("check", {"--separately", "/bin/none", "/bin/app"});
  CHECK(beside.status == 3);
  CHECK(beside.complaints == none.complaints);
  CHECK(beside.answer.find("LOADS     app") != std::string::npos);
}

TEST_CASE("standard input gives the targets, a line each, where a dash stands for it") {
  const Tree tree;
  const auto both = tree.ask("check", {"--separately", "-", "/bin/bad"}, "\n/bin/app\n\n");
  CHECK(both.status == 1);
  CHECK(both.answer.starts_with("FAILS     bad does not load"));  // the worst first
  CHECK(both.answer.find("\nLOADS     app loads and needs no other file\n") != std::string::npos);
  CHECK(both.answer.find("\n2 targets: 1 FAILS, 1 LOADS.\n") != std::string::npos);
  CHECK(both.complaints.empty());
  CHECK(tree.ask("tree", {"/bin/app"}, "/bin/bad\n").answer == "/bin/app\n");
  CHECK(tree.ask("tree", {"-"}, "/bin/app\n").answer == "/bin/app\n");
  const auto nothing = tree.ask("tree", {"-"}, "\n\n");
  CHECK(nothing.status == 2);
  CHECK(nothing.complaints.starts_with("cudald: standard input names no target\n"));
}

TEST_CASE("several answers are separate, and an array in JSON") {
  const Tree tree;
  const auto apart = tree.ask("explain", {"--separately", "/bin/app", "/bin/app"});
  const auto alone = tree.ask("explain", {"/bin/app"});
  CHECK(alone.answer.starts_with("LOADS  app loads"));
  CHECK(apart.answer == alone.answer + "\n" + alone.answer);
  CHECK(tree.ask("explain", {"-q", "--separately", "/bin/app", "/bin/app"}).answer.find("\n\n") == std::string::npos);
  const auto array = tree.ask("explain", {"-f", "json", "--separately", "/bin/app", "/bin/app"}).answer;
  const auto one = tree.ask("explain", {"-f", "json", "/bin/app"}).answer;
  CHECK(array == "[\n" + one + ",\n" + one + "]\n");
  const auto file = tree.ask("show", {"-f", "json", "/bin/app"});
  CHECK(file.status == 0);
  CHECK(tree.ask("show", {"-f", "json", "/bin/app", "/bin/app"}).answer ==
        "[\n" + file.answer + ",\n" + file.answer + "]\n");
  const auto shown = tree.ask("show", {"/bin/app", "/bin/bad"});
  CHECK(shown.answer.starts_with("/bin/app\n"));
  CHECK(shown.answer.find("\n\n/bin/bad\n") != std::string::npos);
}

TEST_CASE("a first word that is no file may be a command that was mistyped") {
  const Tree tree;
  const auto mistyped = tree.ask("exlpain", {});
  CHECK(mistyped.status == 2);
  CHECK(mistyped.answer.empty());
  CHECK(mistyped.complaints.starts_with(
      "cudald: `exlpain` is neither a command nor a file or library here; did you mean `explain`?\n"));
  tree.root.add_file("exlpain", elf(program({})));
  CHECK(tree.ask("exlpain", {}).answer.starts_with("LOADS  exlpain loads"));
}

TEST_CASE("a pasted message names the library that is told of; one that nobody knows is said to be so") {
  const Tree tree;
  const std::string message = "libx.so.1: cannot open shared object file: No such file or directory";
  const auto told = tree.ask("explain", {"--error", message, "/bin/bad"});
  CHECK(told.status == 1);
  CHECK(told.complaints.empty());
  CHECK(told.answer.find("\nthe message   " + message + "\n") != std::string::npos);
  CHECK(told.answer.find("\n  libx.so.1  needed by bad\n      fix: ") != std::string::npos);
  CHECK(tree.ask("explain", {"--error", "-", "/bin/bad"}, message).answer == told.answer);
  const auto other = tree.ask("explain", {"--error", message, "--lib", "liby.so", "/bin/bad"});
  CHECK(other.status == 1);
  CHECK(other.complaints.empty());
  CHECK(other.answer.find("\nthe message   " + message + "\n") != std::string::npos);
  CHECK(other.answer.find("request for libx.so.1") == std::string::npos);
  const auto unknown = tree.ask("explain", {"--separately", "--error", "what is this", "/bin/app", "/bin/app"});
  CHECK(unknown.status == 0);
  CHECK(unknown.complaints == "cudald: cudald does not recognise this message; here is what the files show\n");
  CHECK(tree.ask("explain", {"--error", "what is this", "-f", "json", "/bin/app"}).complaints.empty());
  const auto alone = answer_to({"explain", "--error", "what is this"});
  CHECK(alone.status == 2);
  CHECK(alone.complaints.starts_with("cudald: cudald does not recognise this message; name the program or module"));
}

TEST_CASE("provides tells packages of the table by their name and release, and libraries by theirs") {
  const auto is_package = [](const std::string& word) {
    const auto answer = answer_to({"provides", word});
    CHECK(answer.status == (answer.answer.find("unknown") == std::string::npos ? 0 : 1));
    return answer.answer.starts_with("nvidia-cublas-cu12  package\n  carries     libcublas.so.12, libcublasLt.so.12");
  };
  for (const auto* word : {"nvidia-cublas-cu12", "NVIDIA_cublas.cu12", "nvidia-cublas-cu12==12.8.4.1"})
    CHECK_MESSAGE(is_package(word), word);
  for (const auto* word : {"nvidia-cublas-cu12==1.0", "nvidia-cublas-cu12==99", "a/nvidia-cublas-cu12", "torch", "==1",
                           "nvidia-cublas-cu12=12.8.4.1"})
    CHECK_MESSAGE(!is_package(word), word);
  CHECK(answer_to({"provides", "libcudart.so.12"}).answer.starts_with("libcudart.so.12  CUDA runtime of CUDA 12"));
  CHECK(answer_to({"provides", "no-such-package", "libcudart.so.12"}).status == 1);
}

TEST_CASE("descriptions of machines are compared by all that they say") {
  const ScratchFolder folder;
  folder.add_file("a.json", R"({"schema":"cudald/host","schema_version":"1","gpu":"80","empty":[],
    "libraries":[{"path":"/a.so"},"/b.so",7],"features":{"x":"1","same":"2","n":3}})");
  folder.add_file("b.json", R"({"schema":"cudald/host","schema_version":"2","gpu":"90",
    "libraries":[{"path":"/a.so"}],"features":{"x":"2","same":"2"}})");
  const auto a = folder / "a.json", b = folder / "b.json";
  const auto differ = answer_to({"diff", a, b});
  CHECK(differ.status == 1);
  CHECK(differ.answer ==
        "3 differences: " + a + " and " + b +
            "\n  features\n    - x=1\n    + x=2\n  gpu\n    - 80\n    + 90\n  libraries\n    - /b.so\n");
  CHECK(answer_to({"diff", a, a}).status == 0);
}

/// The answer about an image with these files, which is configured so.
CommandAnswer about_image(const std::vector<TarEntry>& files, const std::string& config,
                          std::vector<std::string> words = {}) {
  const ScratchFolder folder;
  const std::string manifest = R"([{"Config":"config.json","Layers":["0.tar"]}])";
  folder.add_file("image.tar", tar_of({{.name = "0.tar", .data = tar_of(files)},
                                       {.name = "config.json", .data = config},
                                       {.name = "manifest.json", .data = manifest}}));
  words.insert(words.begin(), {"tree", folder / "image.tar"});
  auto answer = answer_to(words);
  for (auto at = answer.complaints.find(folder.path()); at != std::string::npos;
       at = answer.complaints.find(folder.path()))
    answer.complaints.erase(at, folder.path().size() + 1);
  return answer;
}

TEST_CASE("of an image the program is asked about that it starts, as execvp and the first lines of scripts find it") {
  const auto app = elf(program({}));
  const std::vector<TarEntry> system{{.name = "lib64/ld-linux-x86-64.so.2", .data = glibc_loader()},
                                     {.name = "bin/python", .data = app, .mode = 0755},
                                     {.name = "bin/sh", .data = app, .mode = 0755}};
  const auto program_of = [&](const std::string& script, const std::string& command = "run") {
    auto files = system;
    files.push_back({.name = "none/run", .data = app});  // it may not be executed
    files.push_back({.name = "srv/tools/run", .data = script, .mode = 0755});
    files.push_back({.name = "bin/run", .data = app, .mode = 0755});
    const auto answer = about_image(files, R"({"config":{"Entrypoint":[")" + command +
                                               R"(","x"],"Env":["PATH=/none:tools:/bin"],"WorkingDir":"/srv"}})");
    return answer.answer.empty() ? answer.complaints : answer.answer;
  };
  CHECK(program_of(app) == "/srv/tools/run\n");
  CHECK(program_of(app, "/bin/run") == "/bin/run\n");
  CHECK(program_of(app, "tools/run") == "/srv/tools/run\n");
  CHECK(program_of("#!/bin/sh -e\n") == "/bin/sh\n");
  CHECK(program_of("#! \t/bin/sh\n") == "/bin/sh\n");
  CHECK(program_of("#!/bin/sh") == "/bin/sh\n");
  CHECK(program_of("#!/usr/bin/env python\n") == "/bin/python\n");
  CHECK(program_of("#!/usr/bin/env -S X=1 python -u\n") == "/bin/python\n");
  CHECK(program_of("#!/usr/bin/python3\n") ==
        "cudald: /usr/bin/python3: No such file or directory; paths are those inside image.tar\n");
  const std::string unusable = "cudald: /srv/tools/run: not an ELF file (it does not start with \\x7fELF)\n";
  for (const auto* script : {"#!\n", "no script"}) CHECK_MESSAGE(program_of(script) == unusable, script);
  for (const auto* script : {"#!/usr/bin/env\n", "#!/usr/bin/env -i A=b\n"})
    CHECK_MESSAGE(program_of(script) ==
                      "cudald: /srv/tools/run: a script whose first line names /usr/bin/env, which is missing\n",
                  script);
}

TEST_CASE("an image that starts nothing, or stands beside other targets, is refused with what to type instead") {
  const auto app = elf(program({}));
  const std::string instead = "`cudald --sysroot image.tar /usr/bin/PROGRAM`\nTry `cudald tree --help`.\n";
  const auto idle = about_image({{.name = "bin/run", .data = app}}, "{}");
  CHECK(idle.status == 2);
  CHECK(idle.complaints == "cudald: image.tar: its config names no program; name one: " + instead);
  const auto beside = about_image({{.name = "bin/run", .data = app}}, "{}", {"/bin/ls"});
  CHECK(beside.status == 2);
  CHECK(beside.complaints ==
        "cudald: image.tar is an image with a root of its own; for a program in it: "
        "`cudald --sysroot image.tar /bin/ls`\nTry `cudald tree --help`.\n");
  const ScratchFolder folder;
  folder.add_file("root.tar", tar_of({{.name = "a", .data = app}, {.name = "../b"}, {.name = "../c"}}));
  const auto path = folder / "root.tar";
  const std::string left_out = "cudald: " + path +
                               ": left out what is outside of the tree or not below a directory: ../b, "
                               "and 1 more\n";
  CHECK(answer_to({"tree", path})
            .complaints.starts_with(left_out + "cudald: " + path +
                                    ": a root file system has no program of its own; name one: "));
  const auto inside = answer_to({"tree", "--sysroot", path, "/a"});
  CHECK(inside.answer.starts_with("/a\n"));
  CHECK(inside.complaints == left_out);
  const auto none = answer_to({"tree", "--sysroot", folder / "none", "/a"});
  CHECK(none.status == 2);
  CHECK(none.complaints.starts_with("cudald: --sysroot " + (folder / "none") + ": No such file or directory\n"));
}

TEST_CASE("two libraries are compared by their functions as well, where that is asked for") {
  const ScratchFolder folder;
  folder.add_file("a.so", elf({.defines = {{"f"}}, .uses = {{"g"}}}));
  folder.add_file("b.so", elf({.defines = {{"h"}}, .uses = {{"g"}, {"i"}}}));
  const auto a = folder / "a.so", b = folder / "b.so";
  const auto with = answer_to({"diff", "--symbols", "all", a, b});
  CHECK(with.status == 1);
  CHECK(with.answer.find("  symbols exported\n    - f\n    + h\n") != std::string::npos);
  CHECK(with.answer.find("  symbols imported\n    + i\n") != std::string::npos);
  CHECK(answer_to({"diff", a, b}).answer.find("symbols exported") == std::string::npos);
  folder.add_file("text", "text");
  const auto text = answer_to({"diff", a, folder / "text"});
  CHECK(text.status == 3);
  CHECK(text.complaints ==
        "cudald: " + (folder / "text") + ": neither ELF nor PE, nor a wheel, directory or saved host\n");
}

TEST_CASE("answers go to a file for each format, and a file that cannot be made is told before anything is judged") {
  const Tree tree;
  const auto text = tree.root / "text", json = tree.root / "json", xml = tree.root / "xml";
  const auto both = tree.ask("check", {"--separately", "-o", "json=" + json, "-o", "junit=" + xml, "/bin/bad"});
  CHECK(both.status == 1);
  CHECK(both.answer.find("\nFAILS  bad does not load") != std::string::npos);
  std::ifstream file(json), of_junit(xml);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  CHECK(written.starts_with("{"));
  CHECK(written.find("CUD101") != std::string::npos);
  CHECK(std::string{std::istreambuf_iterator<char>(of_junit), {}}.starts_with("<?xml"));
  const auto none = tree.ask("check", {"-o", "json=" + (tree.root / "none/x"), "/bin/bad"});
  CHECK(none.status == 2);
  CHECK(none.answer.empty());
  CHECK(
      none.complaints.starts_with("cudald: cannot write " + (tree.root / "none/x") + ": No such file or directory\n"));
}

std::string answer_of_run(const std::vector<std::string>& words,
                          const std::map<std::string, std::string>& variables = {}) {
  const ScratchFolder folder;
  const auto answer = said_to(words, folder, variables);
  CHECK(answer.status == 0);
  CHECK(answer.complaints.empty());
  return answer.answer;
}

/// What the function that writes it for the program writes of help.
std::string help_of(std::optional<Command> command, bool in_full) {
  TextStyle style;
  style.ascii = true;
  return written([&](std::ostream& out) { write_help(command, in_full, style, out); });
}

TEST_CASE("help is of the program or of a command, short or in full") {
  CHECK(answer_of_run({"-h"}) == help_of(std::nullopt, false));
  CHECK(answer_of_run({"--help"}) == help_of(std::nullopt, true));
  CHECK(answer_of_run({"help"}) == help_of(std::nullopt, true));
  CHECK(answer_of_run({"explain", "-h"}) == help_of(Command::explain, false));
  CHECK(answer_of_run({"tree", "-h"}) == help_of(Command::tree, false));
  CHECK(answer_of_run({"tree", "--help"}) == help_of(Command::tree, true));
  CHECK(answer_of_run({"help", "tree"}) == help_of(Command::tree, true));
  CHECK(answer_of_run({"help", "explain"}) == help_of(Command::explain, true));
  for (const auto* command : {"provides", "cache", "config", "rule"})
    CHECK(answer_of_run({command, "-h"}) == help_of(find_command(command)->command, false));
  CHECK(answer_of_run({"help", "man"}) == written([](std::ostream& out) { write_man_page(out); }));
  const ScratchFolder folder;
  const auto nothing = said_to({}, folder);
  CHECK(nothing.status == 2);
  CHECK(nothing.answer.empty());
  CHECK(nothing.complaints == help_of(std::nullopt, false));
}

TEST_CASE("the version is a line, and on request the days of the tables") {
  const std::string line = "cudald " CUDALD_VERSION "\n";
  CHECK(answer_of_run({"--version"}) == line);
  const ScratchFolder folder;
  std::ostringstream complaints;
  const auto alone = said_by([&] { return tell_version(complaints); }, folder);
  CHECK(alone.status == 0);
  CHECK(alone.answer == line);
  CHECK(complaints.str().empty());
  CHECK(answer_of_run({"-V"}) == line);
  CHECK(answer_of_run({"tree", "-V"}) == line);
  CHECK(answer_of_run({"provides", "-V"}) == line);
  CHECK(answer_of_run({"-V", "-v"}) ==
        line + written([](std::ostream& out) { write_table_days(*built_in_knowledge(), out); }));
  CHECK(answer_of_run({"-V", "-v"})
            .starts_with(line + "built-in data, last verified\n  "
                                "changed-names           2026-"));
}

TEST_CASE("pages of findings, schemas and scripts are written as they are") {
  TextStyle style;
  style.ascii = true;
  const auto page = [&](const char* code) {
    return written([&](std::ostream& out) { write_rule(code == nullptr ? nullptr : find_rule(code), style, out); });
  };
  CHECK(answer_of_run({"rule"}) == page(nullptr));
  CHECK(answer_of_run({"rule", "CUD101"}) == page("CUD101"));
  CHECK(answer_of_run({"rule", "CUD301", "CUD101"}) == page("CUD301") + "\n" + page("CUD101"));
  CHECK(answer_of_run({"--explain", "CUD101"}) == page("CUD101"));
  const auto json = [](const std::vector<const FindingRule*>& rules, bool compact) {
    return written([&](std::ostream& out) { write_rules_json(rules, compact, out); });
  };
  CHECK(answer_of_run({"rule", "-f", "json", "CUD301", "CUD101"}) ==
        json({find_rule("CUD301"), find_rule("CUD101")}, false));
  CHECK(answer_of_run({"rule", "-f", "ndjson", "CUD101"}) == json({find_rule("CUD101")}, true));
  std::vector<const FindingRule*> all;
  for (const auto& rule : finding_catalogue()) all.push_back(&rule);
  CHECK(answer_of_run({"rule", "-f", "json"}) == json(all, false));
  for (const auto name : schema_names()) CHECK(answer_of_run({"schema", std::string(name)}) == *schema_of(name));
  CHECK_FALSE(schema_of("none"));
  CHECK(answer_of_run({"completion", "fish"}) == written([](std::ostream& out) { write_completion("fish", out); }));
}

TEST_CASE("the cache is told with its folder, and taken away") {
  const ScratchFolder folder;
  folder.add_file("cudald/facts-1/" + std::string(64, 'a'), std::string(1'250'000, 'x'));
  folder.add_file("cudald/facts-1/" + std::string(64, 'b'), "x");
  folder.add_file("cudald/facts-1/not-ours", "x");
  const std::map<std::string, std::string> variables = {{"XDG_CACHE_HOME", folder.path()}};
  const auto place = folder / "cudald/facts-1";
  CHECK(answer_of_run({"cache", "show"}, variables) == place + ": 2 files, 1.3 MB\n");
  CHECK(answer_of_run({"cache", "clear"}, variables) == place + ": 0 files, 0.0 MB\n");
  CHECK(std::filesystem::exists(place + "/not-ours"));
  CHECK(answer_of_run({"config", "show"}, {{"CUDALD_FAIL_ON", "note"}})
            .ends_with("fail-on = \"note\"  # CUDALD_FAIL_ON\n"));
}

TEST_CASE("help is given whatever the configuration is like, and nothing else is") {
  const ScratchFolder folder;
  folder.add_file("cudald.toml", "x = 1\n");
  const auto words = [&](const std::vector<std::string>& line) { return said_to(line, folder); };
  for (const std::vector<std::string>& line : {std::vector<std::string>{"-h"},
                                               {"tree", "-V"},
                                               {"provides", "-V"},
                                               {"config", "-V"},
                                               {"rule", "CUD101"},
                                               {"schema", "env"},
                                               {"completion", "bash"},
                                               {"help"}})
    CHECK(words(line).status == 0);
  for (const std::string command : {"provides", "config"}) {
    const auto help = words({command, "--help"});
    CHECK(help.status == 0);
    CHECK(help.answer.find("cudald " + command) != std::string::npos);
    CHECK(help.complaints.empty());
  }
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"config", "show"}, {"provides", "libcudart.so.12"}, {"tree", "x"}, {"explain", "x"}}) {
    const auto answer = words(line);
    CHECK(answer.status == 2);
    CHECK(answer.answer.empty());
    CHECK(answer.complaints ==
          "cudald: " + (folder / "cudald.toml") + ":1: unknown key `x`\nTry `cudald " + line.front() + " --help`.\n");
  }
}

TEST_CASE("faults of tables and descriptions are told, with the command whose help has more") {
  const ScratchFolder folder;
  folder.add_file("x", "no table");
  folder.add_file("empty", "");
  const auto fault = [&](const std::vector<std::string>& line) {
    const auto answer = said_to(line, folder);
    CHECK(answer.status == 2);
    CHECK(answer.answer.empty());
    return answer.complaints;
  };
  CHECK(fault({"--knowledge", "none", "y"}) ==
        "cudald: --knowledge none: No such file or directory\nTry `cudald explain --help`.\n");
  CHECK(fault({"check", "--knowledge", "x", "y"}).starts_with("cudald: --knowledge x: "));
  CHECK(fault({"check", "--host", "none", "y"}) ==
        "cudald: --host none: No such file or directory\nTry `cudald check --help`.\n");
  CHECK(fault({"--no-such-option"}).ends_with("\nTry `cudald explain --help`.\n"));
}

TEST_CASE("an answer that cannot be written to the end is told, and is incomplete") {
  const Tree tree;
  std::istringstream input;
  std::ostringstream complaints;
  Environment environment;
  environment.cwd = "/";
  environment.cpu = x86_64_cpu(1);
  environment.variables = {{"CUDALD_CACHE", "off"}};
  const Host host{environment, {}, input, complaints};
  const auto full = [&](const std::string& target) {
    complaints.str("");
    return run({"tree", "--sysroot", tree.root.path(), target, "-o", "/dev/full"}, host);
  };
  CHECK(full("/bin/app") == 3);
  CHECK(complaints.str() == "cudald: cannot write /dev/full: No space left on device\n");
  complaints.str("");
  CHECK(run({"tree", "--sysroot", tree.root.path(), "/bin/app", "-o", tree.root / "none/x"}, host) == 2);
  CHECK(complaints.str() == "cudald: cannot write " + (tree.root / "none/x") + ": No such file or directory\n");
}

TEST_CASE("of an image for several machines that one is taken which is stated, else this one's") {
  const auto manifest_of = [](const std::string& name) {
    return R"({"config":{"digest":"sha256:c"},"layers":[{"digest":"sha256:l)" + name + R"("}]})";
  };
  std::string entries;
  std::vector<TarEntry> tar = {{.name = "oci-layout", .data = "{}"}, {.name = "blobs/sha256/c", .data = "{}"}};
  for (const std::string name : {"386", "amd64", "arm64", "ppc64le", "s390x", "riscv64"}) {
    entries += std::string(entries.empty() ? "" : ",") + R"({"digest":"sha256:m)" + name +
               R"(","platform":{"os":"linux","architecture":")" + name + "\"}}";
    tar.push_back({.name = "blobs/sha256/m" + name, .data = manifest_of(name)});
    tar.push_back({.name = "blobs/sha256/l" + name, .data = tar_of({{.name = "is-" + name, .data = elf({})}})});
  }
  tar.push_back({.name = "index.json", .data = R"({"manifests":[)" + entries + "]}"});
  const ScratchFolder folder;
  folder.add_file("image.tar", tar_of(tar));
  const std::vector<std::pair<std::string, std::string>> rows = {{"i386", "386"},      {"x86_64", "amd64"},
                                                                 {"aarch64", "arm64"}, {"ppc64", "ppc64le"},
                                                                 {"s390", "s390x"},    {"riscv", "riscv64"}};
  for (const auto& asked : rows)
    for (const auto& other : rows) {
      const auto answer = answer_to(
          {"tree", "--sysroot", folder / "image.tar", "--platform", "linux-" + asked.first, "/is-" + other.second});
      CAPTURE(asked.first);
      CAPTURE(answer.complaints);
      CAPTURE(other.second);
      CHECK((answer.complaints.find("/is-" + other.second + ": No such file or directory") == std::string::npos) ==
            (asked == other));
      CHECK(answer.complaints.find("--help") == std::string::npos);
    }
}

TEST_CASE("an image sets its variables and folder as docker run would, unless the command line does") {
  const auto app = elf(program({}));
  const std::vector<TarEntry> files = {{.name = "lib64/ld-linux-x86-64.so.2", .data = glibc_loader()},
                                       {.name = "a/run", .data = app, .mode = 0755},
                                       {.name = "b/run", .data = app, .mode = 0755}};
  const auto started = [&](const std::string& config, const std::vector<std::string>& words = {}) {
    const auto answer = about_image(files, R"({"config":{"Entrypoint":[)" + config + "}}", words);
    return answer.answer.empty() ? answer.complaints : answer.answer;
  };
  const std::string path = R"("run"],"Env":["PATH=/a"])";
  CHECK(started(path) == "/a/run\n");
  CHECK(started(path, {"--env", "PATH=/b"}) == "/b/run\n");
  CHECK(started(R"("run"],"Env":["PATH=/a","XPATH=/b"])") == "/a/run\n");
  const std::string absent = ": not found: no file, library or module of that name";
  CHECK(started(path, {"--clear-env"}).starts_with("cudald: run" + absent));
  CHECK(started(R"("run"])").starts_with("cudald: run" + absent));
  CHECK(started(R"("run"],"Env":["PATH=/none"])").starts_with("cudald: run" + absent));
  CHECK(started(R"("./run"],"WorkingDir":"/a")") == "/a/run\n");
  CHECK(started(R"("./run"],"WorkingDir":"/a")", {"--cwd", "/b"}) == "/b/run\n");
  CHECK(started(R"("a/run"])") == "/a/run\n");
}

TEST_CASE("of scripts that start scripts four interpreters are followed, as the kernel does") {
  std::vector<TarEntry> files = {{.name = "lib64/ld-linux-x86-64.so.2", .data = glibc_loader()},
                                 {.name = "bin/folder/x", .data = ""},
                                 {.name = "end", .data = elf(program({})), .mode = 0755}};
  for (int i = 0; i < 5; ++i)
    files.push_back({.name = "s" + std::to_string(i),
                     .data = "#!/" + (i == 0 ? "end" : "s" + std::to_string(i - 1)) + "\n",
                     .mode = 0755});
  const auto started = [&](const std::string& program) {
    const auto answer = about_image(files, R"({"config":{"Entrypoint":[")" + program + R"("],"Env":["PATH=/bin"]}})");
    return answer.answer.empty() ? answer.complaints : answer.answer;
  };
  CHECK(started("/s3") == "/end\n");
  CHECK(started("/s4").starts_with("cudald: /s0: a script, which "));
  CHECK(started("folder").starts_with("cudald: folder: "));  // a folder on PATH is no program
  CHECK(started("/bin/folder").starts_with("cudald: /bin/folder: "));
}

TEST_CASE("tars that are no images are told, and packages of conda are none") {
  const ScratchFolder folder;
  folder.add_file("a.tar", "text");
  folder.add_file("pkg-1-0.tar.bz2", "text");
  folder.add_file("one.tar", tar_of({{.name = "a", .data = elf({})}, {.name = "../b"}}));
  const auto complaints = [&](const std::vector<std::string>& words) {
    const auto answer = answer_to(words, "", folder.path());
    CHECK(answer.answer.empty());
    return answer.complaints.substr(0, answer.complaints.find('\n'));
  };
  CHECK(complaints({"tree", "a.tar"}) == "cudald: a.tar: not a directory, nor a tar that can be read");
  CHECK(complaints({"tree", "--sysroot", "a.tar", "/x"}) ==
        "cudald: --sysroot " + (folder / "a.tar") + ": not a directory, nor a tar that can be read");
  CHECK(complaints({"tree", "pkg-1-0.tar.bz2"}).starts_with("cudald: pkg-1-0.tar.bz2: "));
  CHECK(complaints({"tree", "pkg-1-0.tar.bz2"}).find("no conda package (no info/index.json") != std::string::npos);
  CHECK(complaints({"tree", "one.tar"}) ==
        "cudald: " + (folder / "one.tar") + ": left out what is outside of the tree or not below a directory: ../b");
  // Only a file is an image: of none it is told as of any other target.
  CHECK(complaints({"tree", "none.tar"})
            .starts_with("cudald: none.tar: not found: no file, library or module of that name"));
}

TEST_CASE("a message that is known is told of by itself, where nobody is named who printed it") {
  const std::string message = "libx.so.1: cannot open shared object file: No such file or directory";
  const auto reading = read_message(message, *built_in_knowledge());
  REQUIRE(reading);
  TextStyle style;
  style.ascii = true;
  const auto text = answer_to({"explain", "--error", message});
  CHECK(text.status == 0);
  CHECK(text.complaints.empty());
  CHECK(text.answer == written([&](std::ostream& out) { write_message(*reading, style, out); }));
  const auto json = answer_to({"explain", "-f", "json", "--error", message});
  CHECK(json.answer == written([&](std::ostream& out) { write_message_json(*reading, false, out); }));
}

TEST_CASE("old tables are told of with answers about files, and where nothing was done no file is left") {
  const ScratchFolder folder;
  folder.add_file("x.so", elf({}));
  const std::map<std::string, std::string> late = {{"SOURCE_DATE_EPOCH", "4102444800"}};
  const std::string old = "cudald: built-in data older than 180 days: ";
  CHECK(said_to({"show", "-v", "x.so"}, folder, late).complaints.starts_with(old));
  CHECK(said_to({"show", "x.so"}, folder, late).complaints.empty());
  CHECK(said_to({"-V", "-v"}, folder, late).complaints.empty());
  const auto none = said_to({"tree", "--sysroot", folder / "none", "x", "-o", "written"}, folder);
  CHECK(none.status == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "written"));
}

TEST_CASE("what is told of packages and messages is JSON as well, in one line or in many") {
  const std::string message = "libx.so.1: cannot open shared object file: No such file or directory";
  for (const auto& [words, key] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"provides", "libcudart.so.12"}, "schema"}, {{"explain", "--error", message}, "text"}}) {
    const auto& seen_key = key;
    CAPTURE(seen_key);
    auto line = words;
    line.insert(line.end(), {"-f", "json"});
    CHECK(answer_to(line).answer.starts_with("{\n  \"" + key + "\": \""));
    line.back() = "ndjson";
    const auto compact = answer_to(line).answer;
    CHECK(compact.starts_with("{\"" + key + "\":\""));
    CHECK(compact.find('\n') + 1 == compact.size());
  }
}

TEST_CASE("a package carries other libraries for Windows, where that is the platform") {
  const auto carried = [](const std::vector<std::string>& platform) {
    std::vector<std::string> words{"provides", "nvidia-cublas-cu12"};
    words.insert(words.end(), platform.begin(), platform.end());
    return answer_to(words).answer;
  };
  CHECK(carried({}).find("libcublas.so.12") != std::string::npos);
  CHECK(carried({}).find("cublas64_12.dll") == std::string::npos);
  CHECK(carried({"--platform", "windows-x86_64"}).find("cublas64_12.dll") != std::string::npos);
  CHECK(carried({"--platform", "windows-x86_64"}).find("libcublas.so.12") == std::string::npos);
  CHECK(carried({"--platform", "linux-aarch64"}) == carried({}));
}

}  // namespace
}  // namespace cudald
