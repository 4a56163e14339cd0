// What check says of a lock and of an environment.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/sha256.h"
#include "common/wheel_file.h"
#include "unit/cli/command_line.h"
#include "unit/cli/index_server.h"

namespace cudald {
namespace {

/// A folder with a lock, and with wheels: `good` has a library, `bad` one that lacks another.
struct LockFolder {
  LockFolder() {
    const auto wheel = [&](const std::string& name, const ElfSpec& library) {
      root.add_file(
          "wheels/" + name + "-1.0-cp311-cp311-manylinux_2_17_x86_64.whl",
          wheel_file({{name + "/__init__.py", "from . import m\n"}, {name + "/m.abi3.so", elf(library)}}, "", name));
    };
    wheel("good", {.executable_stack = false});
    wheel("bad", {.needed = {"libx.so.1"}, .executable_stack = false});
    root.add_file("requirements.txt", "good==1.0\nbad==1.0\n");
    root.add_file("good.txt", "good==1.0\n");
  }

  CommandAnswer ask(std::vector<std::string> words, const std::string& typed = "") const {
    words.insert(words.begin(), "check");
    return answer_to(words, typed, root.path());
  }

  ScratchFolder root;
};

TEST_CASE("each package of a lock is judged alone, and all of them together, which gives the status") {
  const LockFolder folder;
  const auto fails = folder.ask({"requirements.txt", "--wheels", "wheels"});
  CHECK(fails.status == 1);
  CHECK(fails.complaints.empty());
  CHECK(fails.answer.starts_with("error[CUD501] requirement-undeclared: libx.so.1 is not part of "));
  CHECK(fails.answer.find("\nLock          requirements.txt (requirements file): 2 packages for Python 3.11 on "
                          "linux-x86_64; 2\n              read\n"
                          "Per package   good 1.0  LOADS\n              bad 1.0   FAILS\n") != std::string::npos);
  CHECK(fails.answer.find("\nFAILS  bad-1.0-cp311-cp311-manylinux_2_17_x86_64.whl does not load: ") !=
        std::string::npos);
  const auto loads = folder.ask({"good.txt", "--wheels", "wheels"});
  CHECK(loads.status == 0);
  CHECK(loads.answer.find("\nLOADS  good.txt: ") != std::string::npos);
  CHECK(loads.answer.ends_with("\nno findings (2 files).\n"));
  // Whoever types a lock may give it as a path or by standard input.
  CHECK(folder.ask({folder.root / "good.txt", "--wheels", folder.root / "wheels"}).status == 0);
  const auto typed = folder.ask({"-", "--wheels", "wheels"}, "good==1.0\n");
  CHECK(typed.status == 0);
  CHECK(typed.answer.starts_with("Lock          standard input (requirements file): 1 package for "));
}

TEST_CASE("a lock is alone, for a machine that is no tree, with folders of wheels that are there") {
  const LockFolder folder;
  const auto refusal = [&](std::vector<std::string> words, const std::string& lock = "good.txt") {
    words.insert(words.begin(), lock);
    const auto answer = folder.ask(words);
    CHECK(answer.status == 2);
    CHECK(answer.answer.empty());
    return answer.complaints.substr(0, answer.complaints.find('\n'));
  };
  CHECK(refusal({"requirements.txt"}) == "cudald: requirements.txt is a lock as well; one is judged at a time");
  CHECK(refusal({"/a.so"}) == "cudald: good.txt is a lock, and stands for all that it installs: name it alone");
  CHECK(refusal({"--sysroot", folder.root.path()}) ==
        "cudald: a lock is judged for a machine that --host describes, not in the tree of --sysroot");
  CHECK(refusal({"--wheels", "none"}) == "cudald: --wheels none: no such directory");
  CHECK(refusal({"--wheels", "good.txt"}) == "cudald: --wheels good.txt: no such directory");
  folder.root.add_file("marked.txt", "good==1.0 ; python_version < '3'\n");
  CHECK(refusal({"--wheels", "wheels"}, "marked.txt")
            .starts_with("cudald: marked.txt: it pins no package for Python 3."));
}

TEST_CASE("what is not at hand for the Python is not known") {
  const LockFolder folder;
  const auto answer = folder.ask({"good.txt", "--wheels", "wheels", "--python", "3.9"});
  CHECK(answer.status == 3);
  CHECK(answer.answer.find(
            "\nUNKNOWN  good.txt: good 1.0 is not available locally: it cannot be judged without the wheels\n") !=
        std::string::npos);
}

TEST_CASE("with --verify-hashes each wheel that is read has the bytes that the lock states") {
  const LockFolder folder;
  const std::string wheel = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl", zeros(64, '0');
  const auto right = sha256(text_of(folder.root / ("wheels/" + wheel)));
  const auto asked_for = [&](const std::string& hashes) {
    folder.root.add_file("hashed.txt", "good==1.0" + hashes + "\n");
    return folder.ask({"hashed.txt", "--wheels", "wheels", "--verify-hashes"});
  };
  CHECK(asked_for(" --hash=sha256:" + right).status == 0);
  CHECK(asked_for(" --hash=sha256:" + zeros + " --hash=sha256:" + right).status == 0);
  const auto wrong = asked_for(" --hash=sha256:" + zeros);
  CHECK(wrong.status == 2);
  CHECK(wrong.complaints.starts_with("cudald: --verify-hashes: " + wheel + ": "));
  const auto none = asked_for("");
  CHECK(none.status == 2);
  CHECK(none.complaints.starts_with("cudald: --verify-hashes: the lock states no SHA-256 of " + wheel + "\n"));
  // Of what is not at hand nothing can be compared.
  const auto beside = asked_for(" --hash=sha256:" + right + "\nabsent==2.0");
  CHECK(beside.status == 3);
  CHECK(beside.complaints.empty());
  CHECK(folder.ask({"good.txt", "--wheels", "wheels"}).status == 0);
}

TEST_CASE("a lock's answer goes to a file for each format, with a document of all its reports") {
  const LockFolder folder;
  const auto json = folder.root / "json", xml = folder.root / "xml";
  const auto answer =
      folder.ask({"requirements.txt", "--wheels", "wheels", "-o", "json=" + json, "-o", "junit=" + xml});
  CHECK(answer.status == 1);
  CHECK(answer.answer.find("\nFAILS  bad-1.0-") != std::string::npos);
  const auto written = text_of(json), of_junit = text_of(xml);
  CHECK(written.starts_with("{\n  \"schema\": \"cudald/deployment\","));
  for (const auto* name : {"good-1.0-cp311", "bad-1.0-cp311", "CUD501"}) {
    CHECK(written.find(name) != std::string::npos);
    CHECK(of_junit.find(name) != std::string::npos);
  }
  const auto none = folder.ask({"good.txt", "--wheels", "wheels", "-o", "json=" + (folder.root / "none/x")});
  CHECK(none.status == 2);
  CHECK(none.complaints.starts_with("cudald: cannot write " + (folder.root / "none/x") + ": "));
}

TEST_CASE("findings on a lock are left out where that is asked for, of each package and of all together") {
  const LockFolder folder;
  const std::vector<std::string> words{"requirements.txt", "--wheels", "wheels", "--ignore", "CUD501"};
  const auto answer = folder.ask(words);
  CHECK(answer.answer.find("CUD501") == std::string::npos);
  CHECK(answer.answer.find("\nFAILS  ") != std::string::npos);
}

/// Adds an environment of Python 3.11, with a package whose library lacks another one.
void add_environment(const ScratchFolder& root, const std::string& name, bool with_package) {
  root.add_file(name + "/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
  root.add_file(name + "/bin/python3.11", elf(program({})));
  const auto site = name + "/lib/python3.11/site-packages/";
  root.add_file(site + "README.txt", "");
  if (!with_package) return;
  root.add_file(site + "app/__init__.py", "from . import m\n");
  root.add_file(site + "app/m.abi3.so", elf({.needed = {"libnone.so.9"}}));
  root.add_file(site + "app-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: app\nVersion: 1.0\n");
  root.add_file(site + "app-1.0.dist-info/RECORD", "app/__init__.py,,\napp/m.abi3.so,,\n");
}

TEST_CASE("a folder that is an environment is judged by what is installed in it") {
  const ScratchFolder root;
  add_environment(root, "env", true);
  add_environment(root, "empty", false);
  root.add_file("broken/pyvenv.cfg", "");
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    return answer_to(words, "", root.path());
  };
  const auto answer = ask({"env"});
  CHECK(answer.status == 1);
  CHECK(answer.answer.find("\nEnvironment   env: 1 package for Python 3.11 on linux-x86_64; 1 read\n") !=
        std::string::npos);
  CHECK(answer.answer.find("\nPer package   app 1.0  FAILS\n") != std::string::npos);
  // The shortest command, with and without a slash, asks the same.
  for (const auto* given : {"env", "env/", "./env"})
    for (const auto* command : {"explain", "check"}) {
      CAPTURE(given);
      const auto same = answer_to({command, given}, "", root.path());
      CHECK(same.status == 1);
      CHECK(same.answer.find("\nPer package   app 1.0  FAILS\n") != std::string::npos);
    }
  const auto empty = ask({root / "empty"});
  CHECK(empty.status == 2);
  CHECK(
      empty.complaints.starts_with("cudald: " + (root / "empty") + ": no package is installed in this environment\n"));
  const auto broken = ask({"broken"});
  CHECK(broken.status == 2);
  CHECK(broken.complaints.starts_with("cudald: " + (root / "broken") + ": no Python is found in this environment\n"));
  // Beside others, in another tree or as a --prefix it is no environment that is asked about.
  for (const std::vector<std::string>& words : {std::vector<std::string>{"env", "/none.so"},
                                                {"env", "--prefix", "empty"},
                                                {"/env", "--sysroot", root.path()}}) {
    CAPTURE(words.back());
    CHECK(ask(words).answer.find("Per package") == std::string::npos);
  }
}

TEST_CASE("a lock that cannot be read, its baseline and what cannot be written are told") {
  const LockFolder folder;
  folder.root.add_file("broken.txt", "good==1.0\n-r none.txt\n");
  const auto broken = folder.ask({"broken.txt"});
  CHECK(broken.status == 2);
  CHECK(broken.answer.empty());
  CHECK(broken.complaints ==
        "cudald: broken.txt: line 2: none.txt: No such file or directory\nTry `cudald check --help`.\n");
  folder.root.add_file("more.txt", "bad==1.0\n");
  folder.root.add_file("whole.txt", "good==1.0\n-r more.txt\n");
  const auto whole = folder.ask({"whole.txt", "--wheels", "wheels"});
  CHECK(whole.status == 1);
  CHECK(whole.answer.find("whole.txt (requirements file): 2 packages for Python 3.11 ") != std::string::npos);
  const auto baseline = folder.ask({"good.txt", "--wheels", "wheels", "--baseline", "none"});
  CHECK(baseline.status == 2);
  CHECK(baseline.complaints.starts_with("cudald: --baseline none: No such file or directory\n"));
  const auto full = folder.ask({"good.txt", "--wheels", "wheels", "-o", "json=/dev/full"});
  CHECK(full.status == 3);
  CHECK(full.complaints == "cudald: cannot write /dev/full: No space left on device\n");
  CHECK(full.answer.find("\nLOADS  good.txt: ") != std::string::npos);
  folder.root.add_file("notes.txt", "See the manual: it tells all, and more.\n");
  CHECK(folder.ask({"notes.txt"}).complaints ==
        "cudald: notes.txt: not an ELF file (it does not start with \\x7fELF)\n");
  // What it is called does not matter, what it says does.
  folder.root.add_file("wanted", "good==1.0\n");
  const auto wanted = folder.ask({"wanted", "--wheels", "wheels"});
  CHECK(wanted.complaints.empty());
  CHECK(wanted.answer.find("wanted (requirements file): 1 package for Python 3.11 ") != std::string::npos);
}

TEST_CASE("extras and groups of a lock are those that are asked for, and paths are of the folder in which it lies") {
  const LockFolder folder;
  folder.root.add_file("pylock.toml",
                       "lock-version = '1.0'\n[[packages]]\nname = 'good'\nversion = '1.0'\n"
                       "marker = \"'gpu' in extras\"\n[[packages]]\nname = 'bad'\nversion = '1.0'\n"
                       "marker = \"'dev' in dependency_groups\"\n");
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"pylock.toml", "--wheels", "wheels"});
    return folder.ask(words);
  };
  CHECK(told({}).complaints.starts_with("cudald: pylock.toml: it pins no package for Python 3."));
  const auto extra = told({"--extras", "gpu"}), group = told({"--groups", "dev"});
  CHECK(extra.status == 0);
  CHECK(extra.answer.find("good 1.0  LOADS") != std::string::npos);
  CHECK(extra.answer.find("bad 1.0") == std::string::npos);
  CHECK(group.status == 1);
  CHECK(group.answer.find("bad 1.0  FAILS") != std::string::npos);
  CHECK(group.answer.find("good 1.0") == std::string::npos);
  folder.root.add_file("sub/requirements.txt",
                       "../wheels/good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl\n-r more.txt\n");
  folder.root.add_file("sub/more.txt", "absent==1.0\n");
  const auto below = folder.ask({"sub/requirements.txt"});
  CHECK(below.status == 3);
  CHECK(below.answer.find("sub/requirements.txt (requirements file): 2 packages for ") != std::string::npos);
  CHECK(below.answer.find("\nPer package   good 1.0    ") != std::string::npos);
  CHECK(below.answer.find("good 1.0    not read") == std::string::npos);
  CHECK(below.answer.find("absent 1.0  not read") != std::string::npos);
}

TEST_CASE("a suppression that nothing in a lock needed is told once, and a lock is JSON in one line or in many") {
  const LockFolder folder;
  folder.root.add_file("a.toml", "ignore = [{code = \"CUD102\", reason = \"never\"}]\n");
  const std::vector<std::string> words{"requirements.txt", "--wheels", "wheels", "--config", "a.toml", "-f", "ndjson"};
  const auto line = folder.ask(words).answer;
  CHECK(line.starts_with("{\"schema\":\"cudald/deployment\","));
  CHECK(line.find('\n') + 1 == line.size());
  const std::string told = "the entry that ignores CUD102 ignored nothing in this run";
  const auto first = line.find(told);
  REQUIRE(first != std::string::npos);
  CHECK(line.find(told, first + 1) == std::string::npos);
  CHECK(
      folder.ask({"good.txt", "--wheels", "wheels", "-f", "json"}).answer.starts_with("{\n  \"schema\": \"cudald/dep"));
}

TEST_CASE("with --online the wheels of a lock are read from an index, and how much that was is told") {
  const ScratchFolder root;
  IndexServer server;
  const std::string wheel = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  const auto bytes =
      wheel_file({{"good/__init__.py", std::string(5'000, '\n')}, {"good/m.abi3.so", elf({.executable_stack = false})}},
                 "", "good");
  server.add("/files/" + wheel, {bytes, ""});
  server.add_project("good", {wheel + "#sha256=" + sha256(bytes)});
  root.add_file("requirements.txt", "good==1.0\n");
  root.add_file("hashed.txt", "good==1.0 --hash=sha256:" + sha256(bytes) + "\n");
  const auto ask = [&](const std::string& lock, const std::vector<std::string>& words) {
    std::vector<std::string> all{"check", lock, "--no-pager"};
    all.insert(all.end(), words.begin(), words.end());
    return said_to(all, root, {{"PIP_INDEX_URL", server.url("/simple")}, {"NETRC", "/dev/null"}});
  };
  const std::string read = "read from servers: " + std::to_string(bytes.size() / 1000) + " kB in 1 request\n";
  const auto answer = ask("requirements.txt", {"--online"});
  CHECK(answer.status == 0);
  CHECK(answer.complaints.empty());
  CHECK(answer.answer.find(read) != std::string::npos);
  // The index states the hash, where the lock does not.
  CHECK(ask("requirements.txt", {"--online", "--verify-hashes"}).status == 0);
  CHECK(ask("hashed.txt", {"--online", "--verify-hashes"}).status == 0);
  server.asked();
  const auto offline = ask("requirements.txt", {});
  CHECK(offline.status == 3);
  CHECK(offline.answer.find("read from servers") == std::string::npos);
  CHECK(server.asked().empty());
}

TEST_CASE("of a wheel that cannot be read from its server its METADATA tells what it needs") {
  const ScratchFolder root;
  IndexServer server;
  const std::string wheel = "good-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  server.add("/files/" + wheel + ".metadata",
             {"Metadata-Version: 2.1\nName: good\nVersion: 1.0\nRequires-Dist: absent\n", ""});
  server.add("/simple/good/", {"{\"files\": [{\"filename\": \"" + wheel + "\", \"url\": \"/files/" + wheel +
                                   "\", \"core-metadata\": true}]}",
                               ""});
  root.add_file("requirements.txt", "good==1.0\n");
  const auto answer = said_to({"check", "requirements.txt", "--online", "--no-pager"}, root,
                              {{"PIP_INDEX_URL", server.url("/simple")}, {"NETRC", "/dev/null"}});
  CHECK(answer.status == 3);
  CHECK(
      answer.answer.starts_with("warning[CUD512] lock-incomplete: good 1.0 requires absent, which the lock does not "));
  CHECK(answer.answer.find("\n              " + wheel + ": the server answers with status 404\n") != std::string::npos);
  CHECK(server.asked() ==
        std::vector<std::string>{"GET /files/" + wheel, "GET /files/" + wheel + ".metadata", "GET /simple/good/"});
}

}  // namespace
}  // namespace cudald
