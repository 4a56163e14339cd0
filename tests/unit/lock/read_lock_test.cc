#include <doctest/doctest.h>

#include "lock/lock_file.h"
#include "lock/readers.h"

namespace cudald {
namespace {

/// The kind that a file is taken for; "none".
std::string kind_of(std::string_view name, std::string_view text) {
  LockKind kind{};
  return recognise_lock(name, text, kind) ? std::string(name_of(kind)) : "none";
}

TEST_CASE("a lock is known by its first words, whatever it is called") {
  CHECK(kind_of("", "# by uv\nlock-version = \"1.0\"\n") == "pylock.toml");
  CHECK(kind_of("", "version = 1\n\n[[package]]\nname = \"x\"\n") == "uv.lock");
  CHECK(kind_of("", "{\n \"version\": \"1\",\n \"pip_version\": \"25\"}") == "pip report");
  CHECK(kind_of("", "# x\n@EXPLICIT\n") == "explicit conda list");
  CHECK(kind_of("", "version: 1\npackage:\n") == "conda-lock file");
  CHECK(kind_of("", "# c\nsix==1.16\n") == "requirements file");
  CHECK(kind_of("", "-r more.txt\nsix==1.16\n") == "requirements file");
}

TEST_CASE("its name counts where the words do not tell") {
  CHECK(kind_of("uv.lock", "") == "uv.lock");
  CHECK(kind_of("pylock.prod.toml", "") == "pylock.toml");
  CHECK(kind_of("requirements-dev.in", "torch>=2\n") == "requirements file");
}

TEST_CASE("lists of targets, other JSON and other TOML are no locks") {
  CHECK(kind_of("", "libx.so\n/usr/bin/app\n") == "none");
  CHECK(kind_of("", "") == "none");
  CHECK(kind_of("notes.txt", "torch\n") == "none");
  CHECK(kind_of("cudald.toml", "fail-on = \"never\"\n") == "none");
  CHECK(kind_of("prod.json", "{\"schema\": \"cudald/host\"}") == "none");
}

TEST_CASE("hashes and names of files are read out of what locks write") {
  CHECK(file_of_url("https://files.example/a/torch-2.9.1%2Bcpu-py3-none-any.whl#sha256=1") ==
        "torch-2.9.1+cpu-py3-none-any.whl");
  CHECK(file_of_url("a%2bb%2Bc%2bd.whl?x=/y") == "a+b+c+d.whl");
  CHECK(sha256_of("sha256:" + std::string(64, 'F')) == std::string(64, 'f'));
  CHECK(sha256_of("md5:0123") == "");
  CHECK(sha256_of(std::string(64, 'g')) == "");
}

TEST_CASE("a lock that is larger than any is refused unread") {
  const std::string large(std::size_t{32} << 20, ' ');
  CHECK(read_lock(LockKind::requirements, large, nullptr));
  CHECK(read_lock(LockKind::requirements, large + " ", nullptr).error().message == "larger than any lock file is");
  CHECK(read_lock(LockKind::requirements, large + " ", nullptr).error().code == ErrorCode::limit);
  CHECK_FALSE(has_too_many_lines(std::string(500'000, '\n')));
  const std::string lines(500'001, '\n');
  for (const auto kind : {LockKind::requirements, LockKind::conda_explicit, LockKind::conda_lock})
    CHECK(read_lock(kind, lines, nullptr).error().code == ErrorCode::limit);
  std::string many;
  for (std::size_t i = 0; i < most_locked_packages + 2; ++i) many += "a==1\n";
  CHECK(read_lock(LockKind::requirements, many, nullptr).error().code == ErrorCode::limit);
}

TEST_CASE("of packages a lock has ten thousand at most, in each form in which they are counted as they come") {
  const auto told = [](LockKind kind, const std::string& start, const std::string& package, int count,
                       const std::string& tail = "") {
    std::string text = start;
    for (int i = 0; i < count; ++i) text += package;
    const auto lock = read_lock(kind, text + tail, nullptr);
    if (lock) return std::to_string(lock->packages.size());
    CHECK(lock.error().code == ErrorCode::limit);
    return lock.error().message;
  };
  struct Row {
    LockKind kind;
    std::string head, package, tail, error;
  };
  for (const Row& row :
       {Row{LockKind::conda_explicit, "@EXPLICIT\n", "a-1-0.conda\n", "",
            "line 10002: more packages than any such list has"},
        Row{LockKind::conda_lock, "version: 1\npackage:\n", "- name: a\n  version: 1\n", "",
            "line 20003: more packages than any such file has"},
        Row{LockKind::pip_report, R"({"version": "1", "install": [)", R"({"metadata": {"name": "a", "version": "1"}},)",
            R"({"metadata": {"name": "a", "version": "1"}}]})", "more packages than any report has"}}) {
    CAPTURE(row.error);
    const int fits = row.tail.empty() ? 10'000 : 9'999;
    CHECK(told(row.kind, row.head, row.package, fits, row.tail) == "10000");
    CHECK(told(row.kind, row.head, row.package, fits + 1, row.tail) == row.error);
  }
}

TEST_CASE("two signs of one kind are needed where one alone is common") {
  CHECK(kind_of("", "[[package]]\nname = 'x'\n") == "none");
  CHECK(kind_of("", "version = 1\n") == "none");
  CHECK(kind_of("", "package:\n") == "none");
  CHECK(kind_of("", "version: 1\n") == "none");
  CHECK(kind_of("pylock.x", "") == "none");
  CHECK(kind_of("x.toml", "") == "none");
  CHECK(kind_of("", "{" + std::string(4082, ' ') + "\"pip_version\"}") == "pip report");
  CHECK(kind_of("", "{" + std::string(4083, ' ') + "\"pip_version\"}") == "none");
  CHECK(kind_of("", "[\"pip_version\"]") == "none");
  CHECK(kind_of("constraints.txt", "torch\n") == "requirements file");
}

TEST_CASE("each kind of lock has its name, is known by its file's name where that is one, and is read as that") {
  for (const auto& [kind, name] :
       {std::pair(LockKind::pylock, "pylock.toml"), std::pair(LockKind::uv_lock, "uv.lock"),
        std::pair(LockKind::requirements, "requirements file"), std::pair(LockKind::pip_report, "pip report"),
        std::pair(LockKind::conda_explicit, "explicit conda list"), std::pair(LockKind::conda_lock, "conda-lock file")})
    CHECK(name_of(kind) == name);
  CHECK(kind_of("pylock.toml", "") == "pylock.toml");
  CHECK(kind_of("xpylock.toml", "") == "none");
  CHECK(kind_of("uv.lock.txt", "") == "none");
  LockKind kind = LockKind::conda_lock;
  CHECK_FALSE(recognise_lock("notes", "words\n", kind));
  CHECK(kind == LockKind::conda_lock);
}

TEST_CASE("lines of requirements are known under any name, unless they are names alone") {
  CHECK(kind_of("req3.txt", "torch>=2.0\nnumpy\n") == "requirements file");
  CHECK(kind_of("", "numpy\ntorch>=2.0,<3 ; python_version > '3.8'  # why\n") == "requirements file");
  CHECK(kind_of("", "a[b]\n") == "requirements file");
  CHECK(kind_of("", "a @ https://example.org/a-1-py3-none-any.whl\nb\n") == "requirements file");
  CHECK(kind_of("", "six==1.16 \\\r\n    --hash=sha256:0\r\n") == "requirements file");
  CHECK(kind_of("", "-r base.txt\n# six==1\n") == "requirements file");
  for (const auto* text : {"a\nb\n", "a==1\ntwo words\n", "a = 1\n", "a==\n", "a==x\n", "a=>1\n", "f();\n", "a; b\n",
                           "a==1;\n", "a==1\n/usr/bin/app\n", "a==1\n- b\n"}) {
    CAPTURE(text);
    CHECK(kind_of("", text) == "none");
  }
  CHECK(requirement_lines("# c\n\nnumpy\n") == RequirementLines::names);
  CHECK(requirement_lines("# c\n\n") == RequirementLines::none);
}

TEST_CASE("a list of targets is told from pins by its lines") {
  CHECK(kind_of("", "  # c\n\t\r\n-r x\nsix==1 # why\n") == "requirements file");
  CHECK(kind_of("", "six===1\n") == "requirements file");
  CHECK(kind_of("", "six\n") == "none");
  CHECK(kind_of("", "  {\"pip_version\": 1}") == "pip report");
  CHECK(kind_of("", "x\nlock-version = '1.0'\n") == "pylock.toml");
  CHECK(kind_of("", "x lock-version\n") == "none");
}

TEST_CASE("a limit is told as what it is of, without a line where all of the file is meant") {
  const std::string lines(500'001, '\n');
  const auto told = [&](LockKind kind) { return read_lock(kind, lines, nullptr).error().message; };
  CHECK(told(LockKind::requirements) == "more lines than any such file has");
  CHECK(told(LockKind::conda_lock) == "more lines than any such file has");
  CHECK(told(LockKind::conda_explicit) == "more lines than any such list has");
  std::string many;
  for (std::size_t i = 0; i < most_locked_packages; ++i) many += "a==1\n";
  const auto all = read_lock(LockKind::requirements, many, nullptr);
  REQUIRE(all);
  CHECK(all->packages.size() == 10'000);
  const auto more = read_lock(LockKind::requirements, many + "a==1\n", nullptr);
  REQUIRE_FALSE(more);
  CHECK(more.error().message == "line 10001: more packages than any such file has");
  CHECK(read_lock(LockKind::requirements, many + "--index-url https://example.org/simple\n", nullptr));
}

TEST_CASE("a kind that is none has no name, and is no lock") {
  const auto none = static_cast<LockKind>(99);
  CHECK(name_of(none).empty());
  const auto lock = read_lock(none, "", nullptr);
  REQUIRE_FALSE(lock);
  CHECK(lock.error().code == ErrorCode::malformed);
  CHECK(lock.error().message == "no lock file");
}

TEST_CASE("a hash is 64 hexadecimal digits, with its algorithm or without, and an address ends before its query") {
  for (const auto& [hash, is_one] : std::vector<std::pair<std::string, bool>>{{std::string(64, '0'), true},
                                                                              {std::string(63, '0'), false},
                                                                              {std::string(65, '0'), false},
                                                                              {std::string(63, '0') + "f", true},
                                                                              {std::string(63, '0') + "g", false},
                                                                              {"sha256:" + std::string(63, '0'), false},
                                                                              {"sha512:" + std::string(64, '0'), false},
                                                                              {"", false}}) {
    const auto& seen_hash = hash;
    CAPTURE(seen_hash);
    CHECK(sha256_of(hash).empty() != is_one);
  }
  CHECK(file_of_url("a/b.whl?c#d") == "b.whl");
  CHECK(file_of_url("a/b.whl#c?d") == "b.whl");
  CHECK(file_of_url("b.whl") == "b.whl");
  CHECK(file_of_url("a/").empty());
  CHECK(file_of_url("").empty());
}

}  // namespace
}  // namespace cudald
