#include <functional>
#include <map>

#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

const std::map<std::string, std::string> others = {
    {"base/more.txt", "-r deeper.txt\nsix==1.16\n"},
    {"base/deeper.txt", "idna==3.10\n"},
    {"ring.txt", "-r ring.txt\n"},
    {"pins.txt", "numpy==2.1.0\nunused==1\n"},
};

Result<LockFile> read_requirements(std::string_view text) {
  return read_lock(LockKind::requirements, text, [](const std::string& path) -> Result<std::string> {
    const auto found = others.find(path);
    if (found == others.end()) return Error{ErrorCode::absent, "No such file", path, std::nullopt, 0};
    return found->second;
  });
}

/// "torch 2.9.1, six 1.16".
std::string pins(const Result<LockFile>& lock) {
  if (!lock) return lock.error().message;
  std::string text;
  for (const auto& package : lock->packages) text += (text.empty() ? "" : ", ") + package.name + " " + package.version;
  return text;
}

/// "https://a https://b", and "alone" if those of the settings do not count.
std::string indexes(std::string_view options) {
  const auto lock = read_requirements(std::string(options) + "\nsix==1\n");
  if (!lock) return lock.error().message;
  std::string text;
  for (const auto& url : lock->indexes.urls) text += url + " ";
  return text + (lock->indexes.alone ? "alone" : "");
}

TEST_CASE("a requirements file is told as one, and is no graph of what needs what") {
  const auto lock = read_requirements("six==1\n");
  REQUIRE(lock);
  CHECK(lock->kind == LockKind::requirements);
  CHECK_FALSE(lock->is_graph);
}

TEST_CASE("the indexes that a file names are read as pip reads them, one option after the other") {
  CHECK(indexes("").empty());
  CHECK(indexes("--extra-index-url https://b.example/whl") == "https://b.example/whl ");
  CHECK(indexes("--index-url=https://a.example/simple\n--extra-index-url=https://b.example/whl") ==
        "https://a.example/simple https://b.example/whl alone");
  CHECK(indexes("-i https://a.example --extra-index-url https://b.example --trusted-host b.example") ==
        "https://a.example https://b.example alone");
  CHECK(indexes("--extra-index-url https://b.example\n-i https://a.example") == "https://a.example alone");
  CHECK(indexes("--extra-index-url https://b.example\n--no-index") == "alone");
  CHECK(indexes("--extra-index-url https://me:${TOKEN}@b.example/?x=1") == "https://me:${TOKEN}@b.example/?x=1 ");
  CHECK(indexes("-i").empty() == false);
}

TEST_CASE("pins, with what pip allows around them") {
  CHECK(pins(read_requirements("torch==2.9.1\n# comment\n\nSix_X == 1.16 # why\n")) == "torch 2.9.1, six-x 1.16");
  CHECK(pins(read_requirements("torch[opt]===2.9.1+cu128 ; python_version > '3.8'\r\n")) == "torch 2.9.1+cu128");
  const std::string hash(64, 'a');
  const auto lock = read_requirements("torch==2.9.1 \\\n    --hash=sha256:" + hash + " \\\n    --hash=md5:1\nsix==1\n");
  REQUIRE(lock);
  CHECK(pins(lock) == "torch 2.9.1, six 1");
  CHECK(lock->packages[0].hashes == std::vector<std::string>{hash});
  CHECK(lock->packages[1].line == 4);
  CHECK(pins(read_requirements("--index-url https://index.example/simple\n--require-hashes\nsix==1\n")) == "six 1");
}

TEST_CASE("files that it names are read from the folder of the file that names them") {
  CHECK(pins(read_requirements("-r base/more.txt\n")) == "idna 3.10, six 1.16");
  CHECK(pins(read_requirements("--requirement=base/deeper.txt")) == "idna 3.10");
  CHECK(pins(read_requirements("a==1\n-r gone.txt\n")) == "line 2: gone.txt: No such file");
  CHECK(pins(read_requirements("-r ring.txt\n")).find("more files than any such file") != std::string::npos);
}

TEST_CASE("a constraint pins what is required, and brings nothing of itself") {
  CHECK(pins(read_requirements("-c pins.txt\nnumpy\n")) == "numpy 2.1.0");
  CHECK(pins(read_requirements("numpy>=2\n-c pins.txt\n")) == "numpy 2.1.0");
}

TEST_CASE("wheels by path or address are pinned by their names") {
  const auto lock =
      read_requirements("./w/six-1.16-py2.py3-none-any.whl\nx @ https://files.example/x-2-py3-none-any.whl#sha256=" +
                        std::string(64, 'b') + "\n");
  REQUIRE(lock);
  CHECK(pins(lock) == "six 1.16, x 2");
  CHECK(lock->packages[0].wheels.at(0).path == "./w/six-1.16-py2.py3-none-any.whl");
  CHECK(lock->packages[1].wheels.at(0).url == "https://files.example/x-2-py3-none-any.whl");
  CHECK(lock->packages[1].wheels.at(0).sha256 == std::string(64, 'b'));
}

TEST_CASE("what is not pinned is an error with its line and the command that pins it") {
  for (const auto* line :
       {"torch>=2", "torch", "torch==2.*", "torch==2,<3", "-e .", "--editable .", "--editable=.", "./folder"}) {
    const auto lock = read_requirements(std::string("six==1\n") + line + "\n");
    REQUIRE_FALSE(lock);
    CHECK(lock.error().code == ErrorCode::usage);
    CHECK(lock.error().message.starts_with("line 2: "));
    CHECK(lock.error().message.find("pip-compile") != std::string::npos);
  }
  CHECK(read_requirements("!!!\n").error().code == ErrorCode::malformed);
}

TEST_CASE("comments of the tools tell who requires a package, and for which Python it was locked") {
  const auto lock = read_requirements(
      "# This file is autogenerated by pip-compile with Python 3.11\n#    pip-compile\nsix==1\n    # via torch\n"
      "torch==2\n    # via -r requirements.in\nidna==3 # via six\n    #   torch\n");
  REQUIRE(lock);
  CHECK(lock->python == "3.11");
  const auto needs = [&](std::size_t i) {
    std::string names;
    for (const auto& need : lock->packages[i].needs) names += need.name + " ";
    return names;
  };
  CHECK(needs(0) == "idna ");
  CHECK(needs(1) == "six idna ");
  CHECK(needs(2) == "");
  CHECK(read_requirements("# uv pip compile x --python-version 3.12.1\nsix==1\n")->python == "3.12");
  CHECK(read_requirements("six==1\n")->python == "");
}

TEST_CASE("what a line requires, row by row: name, version, marker, hashes, place, source") {
  struct Row {
    std::string line, name, version, marker, place;
    bool from_source = false;
    std::size_t hashes = 0;
  };
  const std::string hash(64, 'a');
  const std::string wheel = "torch-2.9.1-cp311-cp311-linux_x86_64.whl";
  for (const auto& row : {
           Row{"six==1.16", "six", "1.16", "", ""},
           Row{"six===1.16", "six", "1.16", "", ""},
           Row{"Six_X == 1.16 ;python_version < '4'", "six-x", "1.16", "python_version < '4'", ""},
           Row{"six[a,b]==1.16", "six", "1.16", "", ""},
           Row{"six==1.16 --hash=sha256:" + hash + " --hash=sha256:" + hash, "six", "1.16", "", "", false, 2},
           Row{"six==1.16 --hash=md5:abc", "six", "1.16", "", ""},
           Row{"torch @ https://x/" + wheel, "torch", "2.9.1", "", "https://x/" + wheel},
           Row{"Torch[x] @ https://x/" + wheel, "torch", "2.9.1", "", "https://x/" + wheel},
           Row{"torch @ https://x/" + wheel + " ; os_name == 'posix'", "torch", "2.9.1", "os_name == 'posix'",
               "https://x/" + wheel},
           Row{"https://x/" + wheel, "torch", "2.9.1", "", "https://x/" + wheel},
           Row{"./dir/" + wheel, "torch", "2.9.1", "", "./dir/" + wheel},
           Row{"/dir/" + wheel + " ; os_name == 'nt'", "torch", "2.9.1", "os_name == 'nt'", "/dir/" + wheel},
           Row{"mine @ git+https://x/mine.git", "mine", "", "", "", true},
           Row{"mine @ https://x/mine-1.tar.gz ; os_name == 'nt'", "mine", "", "os_name == 'nt'", "", true},
       }) {
    CAPTURE(row.line);
    const auto lock = read_requirements(row.line + "\n");
    REQUIRE(lock);
    REQUIRE(lock->packages.size() == 1);
    const auto& package = lock->packages[0];
    CHECK(package.name == row.name);
    CHECK(package.version == row.version);
    CHECK(package.marker == row.marker);
    CHECK(package.from_source == row.from_source);
    CHECK(package.hashes.size() == row.hashes);
    CHECK(package.line == 1);
    REQUIRE(package.wheels.size() == (row.place.empty() ? 0 : 1));
    if (!row.place.empty()) CHECK(package.wheels[0].url + package.wheels[0].path == row.place);
  }
}

TEST_CASE("a wheel's hash may stand in its address, and where else to look is said by options") {
  const std::string hash(64, 'b');
  const auto lock = read_requirements("https://x/a-1-py3-none-any.whl#sha256=" + hash +
                                      "\n--find-links wheels\n-f /abs\n--find-links=https://page\n-r base/more.txt\n");
  REQUIRE(lock);
  CHECK(lock->packages[0].wheels[0].sha256 == hash);
  CHECK(lock->packages[0].wheels[0].url == "https://x/a-1-py3-none-any.whl");
  CHECK(lock->find_links == std::vector<std::string>{"wheels", "/abs"});
}

TEST_CASE("the Python that a file was made for stands in the comments at its top") {
  const auto python = [](const std::string& text) { return read_requirements(text + "six==1\n")->python; };
  CHECK(python("# by pip-compile with Python 3.11\n") == "3.11");
  CHECK(python("# one\n# uv pip compile --python-version 3.12 x.in\n") == "3.12");
  CHECK(python("# uv pip compile --python-version=3.9.18 x.in\n") == "3.9");
  CHECK(python("# with Python 2.7\n").empty());
  CHECK(python("# with Python 3\n").empty());
  CHECK(python("six2==1\n# with Python 3.11\n").empty());
  CHECK(python("# one\n\n# with Python 3.11\n").empty());
}

TEST_CASE("who requires a package is told by comments beside it and below it, files are nobody") {
  const auto needs = [](const std::string& text) {
    const auto lock = read_requirements(text);
    REQUIRE(lock);
    std::string all;
    for (const auto& package : lock->packages)
      for (const auto& need : package.needs) all += package.name + ">" + need.name + " ";
    return all;
  };
  CHECK(needs("a==1\nb==1  # via a\n") == "a>b ");
  CHECK(needs("a==1\nb==1\n    # via a\n") == "a>b ");
  CHECK(needs("a==1\nc==1\nb==1\n    # via\n    #   a\n    #   c\n") == "a>b c>b ");
  CHECK(needs("a==1\nb==1  # via -r requirements.in\n").empty());
  CHECK(needs("a==1\nb==1  # via -r a\n").empty());
  CHECK(needs("a==1\nb==1  # via a.in, a.toml, x/a\n").empty());
}

/// The pins of a file that names others, each of which is made when it is asked for.
std::string pins_of_named(std::string_view text, const std::function<std::string(const std::string&)>& other) {
  return pins(read_lock(LockKind::requirements, text,
                        [&](const std::string& path) -> Result<std::string> { return other(path); }));
}

TEST_CASE("a file may name a hundred others, twenty deep, and twenty indexes") {
  const auto beside = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "-r empty.txt\n";
    return pins_of_named(text + "six==1\n", [](const std::string&) { return ""; });
  };
  const auto deep = [](int count) {
    return pins_of_named("-r 1", [&](const std::string& path) {
      const int number = std::stoi(path);
      return number < count ? "-r " + std::to_string(number + 1) : std::string("six==1");
    });
  };
  CHECK(beside(100) == "six 1");
  CHECK(beside(101) == "line 101: names more files than any such file does");
  CHECK(deep(20) == "six 1");
  CHECK(deep(21).ends_with("20: line 1: names more files than any such file does"));
  std::string options;
  for (int i = 0; i < 21; ++i) options += "--extra-index-url https://x\n";
  const auto lock = read_requirements(options);
  REQUIRE(lock);
  CHECK(lock->indexes.urls.size() == 20);
}

TEST_CASE("a fault in a file that is named says which, and the way there") {
  const auto other = [](const std::string& path) {
    return path == "a/one.txt" ? std::string("six==1\n-r two.txt\n") : std::string("\n!!!\n");
  };
  CHECK(pins_of_named("-r a/one.txt\n", other) == "a/one.txt: a/two.txt: line 2: not a requirement");
  CHECK(pins(read_lock(LockKind::requirements, "-r one.txt\n", nullptr)) == "line 1: one.txt: not read");
}

TEST_CASE("the text of a file that another one names stands in no message") {
  for (const std::string secret :
       {"root:x:0:0:hunter2", "hunter2", "hunter2 is secret", "/root/hunter2", "hunter2://x"}) {
    CAPTURE(secret);
    const auto other = [&](const std::string&) { return secret + "\n"; };
    for (const std::string option : {"-r", "-c", "--requirement=", "--constraint "})
      CHECK(pins_of_named(option + " /etc/passwd\nx\n", other).find("hunter2") == std::string::npos);
  }
}

TEST_CASE("lines are joined and end as pip says: by a backslash, not by one in a comment, and never past a comment") {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"a==1.25\r\nb==1.75 # why\r\n", "a 1.25, b 1.75"},
           {"a==1.25\\\n ; python_version > '3'\nb==1\n", "a 1.25, b 1"},
           {"a==1 \\\n# nothing\nb==2\n", "a 1, b 2"},
           {"a==1 # \\\nb==2\n", "a 1, b 2"},
           {"  # via x\na==1\n", "a 1"},
           {"a==1#b\n", "a 1#b"},
       }) {
    const auto& seen_text = text;
    CAPTURE(seen_text);
    CHECK(pins(read_requirements(text)) == expected);
  }
}

TEST_CASE("who requires it stands in its own comment and in indented ones below, be there blanks or not") {
  const auto asked = [](const std::string& comments) {
    const auto lock = read_requirements("six==1" + comments + "\ntorch==1\nbase==1\n");
    REQUIRE(lock);
    std::string names;
    for (const auto& package : lock->packages) {
      CHECK(package.needs_known == (comments.find("via") != std::string::npos && !comments.starts_with("\n#")));
      for (const auto& need : package.needs) names += package.name + " needs " + need.name + " ";
    }
    return names;
  };
  CHECK(asked("") == "");
  CHECK(asked(" #via torch") == "torch needs six ");
  CHECK(asked("\n    #via torch") == "torch needs six ");
  CHECK(asked("\n# via torch") == "");  // at the left it is about the file
  CHECK(asked("\n    # via\n    #   torch\n    #   base") == "torch needs six base needs six ");
  CHECK(asked(" # via -r  base, torch") == "torch needs six ");
  CHECK(asked(" # via torch (pyproject.toml)") == "torch needs six ");
  CHECK(asked(" # via x/base, base.in, base.toml") == "");
}

TEST_CASE("a Python that is no version of 3 is none, and options of a wheel by its address are told apart") {
  for (const auto* comment : {"# --python-version 3", "# --python-version 3.", "# with Python 2.7", "# with Python x"})
    CHECK_MESSAGE(read_requirements(std::string(comment) + "\nsix==1\n")->python.empty(), comment);
  CHECK(read_requirements("# --python-version=3.13\nsix==1\n")->python == "3.13");
  CHECK(read_requirements("six==1\n# with Python 3.11\n")->python.empty());
  const auto lock = read_requirements("x @ https://x/x-2-py3-none-any.whl ;os_name == 'nt'\n");
  REQUIRE(lock);
  CHECK(lock->packages[0].marker == "os_name == 'nt'");
  CHECK(lock->packages[0].line == 1);
  CHECK(pins(read_requirements("--constraint pins.txt\nnumpy\n")) == "numpy 2.1.0");
  CHECK(pins(read_requirements("--constraint=pins.txt\nnumpy\n")) == "numpy 2.1.0");
  CHECK(pins(read_requirements("torch>=2 --hash=sha256:1\n")) ==
        "line 1: torch>=2 is not pinned to one version; `uv pip compile requirements.in -o requirements.txt` or "
        "`pip-compile` writes a file in which all are");
}

TEST_CASE("a backslash before a comment joins nothing, and what has no name is no requirement") {
  const auto apart = read_requirements("six==1 \\ # why\nb==1\n");
  REQUIRE(apart);
  REQUIRE(apart->packages.size() == 2);
  CHECK(apart->packages[1].name == "b");
  for (const auto* text : {"==1\n", "[x]==1\n", ";os_name == 'nt'\n"}) {
    CAPTURE(text);
    const auto lock = read_requirements(text);
    REQUIRE_FALSE(lock);
    CHECK(lock.error().code == ErrorCode::malformed);
    CHECK(lock.error().message.ends_with("` is not a requirement"));
  }
}

TEST_CASE("paths of files are below the folder of the file that names them, unless they begin at the root") {
  std::vector<std::string> asked;
  const auto other = [&](const std::string& path) {
    asked.push_back(path);
    return path == "a/one.txt" ? std::string("-r /root.txt\n-r two.txt\n-f wheels\n-f /w\n") : std::string("six==1\n");
  };
  CHECK(pins_of_named("-r a/one.txt\n", other) == "six 1, six 1");
  CHECK(asked == std::vector<std::string>{"a/one.txt", "/root.txt", "a/two.txt"});
  CHECK(pins_of_named("-r/x.txt\n", other) == "six 1");
  CHECK(asked.back() == "/x.txt");
  CHECK(pins_of_named("-r=y.txt\n", other) == "six 1");
  CHECK(asked.back() == "y.txt");
}

TEST_CASE("what a file of constraints names is a constraint, and one without a version pins nothing") {
  const auto other = [](const std::string& path) {
    return path == "c.txt" ? std::string("-r d.txt\nnumpy>=1\n") : std::string("numpy==2.5\nextra==1\n");
  };
  CHECK(pins_of_named("-c c.txt\nnumpy\n", other) == "numpy 2.5");
  CHECK(pins_of_named("-c c.txt\nsix==1\n", other) == "six 1");
  CHECK(pins_of_named("-c c.txt\nother\n", other).starts_with("line 2: other is not pinned to one version; "));
}

TEST_CASE("blanks between options of indexes are none of their values, and an extra may hold a mark") {
  CHECK(indexes("-i   https://a.example \t --extra-index-url\thttps://b.example") ==
        "https://a.example https://b.example alone");
  CHECK(pins(read_requirements("x[a@b] @ https://x/x-2-py3-none-any.whl\n")) == "x 2");
  CHECK(pins(read_requirements("x==1; platform_node == 'a@b'\n")) == "x 1");
}

TEST_CASE("of those who require packages two hundred thousand are taken") {
  std::string comment(" # via");
  for (int i = 0; i < 200'000; ++i) comment += " a";
  const auto needs = [&](const std::string& text) {
    const auto lock = read_requirements(text + "\na==1\n");
    REQUIRE(lock);
    CHECK(lock->packages.back().name == "a");
    return lock->packages.back().needs.size();
  };
  CHECK(needs("b==1" + comment) == 200'000);
  CHECK(needs("b==1" + comment + " a") == 200'000);
}

TEST_CASE("a comment that ends in the word for who requires it names nobody") {
  const auto lock = read_requirements("six==1 # via\nvia==1\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 2);
  for (const auto& package : lock->packages) {
    CHECK(package.needs.empty());
    CHECK(package.needs_known);
  }
}

TEST_CASE("a wheel has its address or its path, without what stands behind its name") {
  const std::string hash(64, 'c');
  const auto lock =
      read_requirements("./w/six-1.16-py3-none-any.whl#sha256=" + hash + "\nhttps://x/a_b-2-py3-none-any.whl#egg=a\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 2);
  const auto& local = lock->packages[0].wheels.at(0);
  CHECK(local.path == "./w/six-1.16-py3-none-any.whl");
  CHECK(local.url.empty());
  CHECK(local.name == "six-1.16-py3-none-any.whl");
  CHECK(local.sha256 == hash);
  const auto& remote = lock->packages[1].wheels.at(0);
  CHECK(remote.url == "https://x/a_b-2-py3-none-any.whl");
  CHECK(remote.path.empty());
  CHECK(remote.sha256.empty());
  CHECK(lock->packages[1].name == "a-b");
  CHECK(lock->packages[1].line == 2);
  CHECK_FALSE(lock->packages[1].from_source);
}

TEST_CASE("faults of a file of requirements have their kind, wherever they stand") {
  const auto code = [](const std::string& text, const std::string& named = "") {
    const auto lock = read_lock(LockKind::requirements, text, [&](const std::string& path) -> Result<std::string> {
      return path == "gone" ? Result<std::string>(Error{ErrorCode::absent, "gone"}) : Result<std::string>(named);
    });
    REQUIRE_FALSE(lock);
    return lock.error().code;
  };
  CHECK(code("-r ring\n", "-r ring\n") == ErrorCode::limit);
  CHECK(code("-r gone\n") == ErrorCode::usage);
  CHECK(code("-r x\n", "!!\n") == ErrorCode::malformed);
  CHECK(code("-r x\n", "-e .\n") == ErrorCode::usage);
  CHECK(code("-r x\n", "./folder\n") == ErrorCode::usage);
  CHECK(code("-r x\n", "six\n") == ErrorCode::usage);
  CHECK(code("-c x\nsix\n", "six>1\n") == ErrorCode::usage);
  CHECK(code("-r x\n", std::string(500'001, '\n')) == ErrorCode::limit);
}

}  // namespace
}  // namespace cudald
