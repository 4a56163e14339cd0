#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

Result<LockFile> read_report(std::string_view text) { return read_lock(LockKind::pip_report, text, nullptr); }

TEST_CASE("what pip would install, who asked for it, and for which Python") {
  const auto lock = read_report(R"({"version": "1", "pip_version": "25", "install": [
    {"requested": true, "metadata": {"name": "Torch", "version": "2.9.1",
      "requires_dist": ["sympy>=1.13; extra == 'x'", "jinja2"]},
     "download_info": {"url": "https://files.example/torch-2.9.1-cp311-cp311-linux_x86_64.whl",
      "archive_info": {"hash": "sha256=abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"}}},
    {"metadata": {"name": "a", "version": "1"}, "download_info": {"url": "https://files.example/a-1.tar.gz"}}],
    "environment": {"python_version": "3.11"}})");
  REQUIRE(lock);
  CHECK(lock->python == "3.11");
  REQUIRE(lock->packages.size() == 2);
  CHECK(lock->packages[0].name == "torch");
  CHECK(lock->packages[0].requested);
  CHECK(lock->packages[0].needs.at(0).marker == " extra == 'x'");
  CHECK(lock->packages[0].wheels.at(0).sha256.starts_with("abcdef"));
  CHECK(lock->packages[1].from_source);
  CHECK_FALSE(lock->packages[1].requested);
}

TEST_CASE("other JSON is no report") {
  CHECK_FALSE(read_report("{}"));
  CHECK_FALSE(read_report("[1]"));
  CHECK_FALSE(read_report(R"({"version": "2", "install": []})"));
  CHECK_FALSE(read_report(R"({"version": "1", "install": [{"metadata": {"name": "a"}}]})"));
  CHECK_FALSE(read_report(R"({"version": "1", "install": [1]})"));
  CHECK_FALSE(read_report("{"));
}

TEST_CASE("an entry without a name or version is told, without a line, as JSON is one") {
  for (const auto* metadata : {R"({"name": "a"})", R"({"version": "1"})", "{}"}) {
    const auto lock = read_report(R"({"version": "1", "install": [{"metadata": )" + std::string(metadata) + "}]}");
    REQUIRE_FALSE(lock);
    CHECK(lock.error().code == ErrorCode::malformed);
    CHECK(lock.error().message == "an entry of `install` without a name or version");
  }
}

TEST_CASE("what a report is of, what it says of an entry, and what of it is refused") {
  const std::string hash(64, 'd');
  const auto entry = [](const std::string& archive, const std::string& needs) {
    return R"({"version": "1", "install": [{"requested": false, "metadata": {"name": "a", "version": "1",
               "requires_dist": )" +
           needs + R"(}, "download_info": {"url": "https://x/a-1-py3-none-any.whl", "archive_info": )" + archive +
           "}}]}";
  };
  const auto lock = read_report(
      entry(R"({"hashes": {"sha256": ")" + hash + R"("}, "hash": "sha256=)" + std::string(64, 'e') + R"("})",
            R"(["b", 7, "!!", "c>1"])"));
  REQUIRE(lock);
  CHECK(lock->kind == LockKind::pip_report);
  CHECK_FALSE(lock->is_graph);
  const auto& package = lock->packages.at(0);
  CHECK(package.needs_known);
  CHECK_FALSE(package.requested);
  CHECK_FALSE(package.from_source);
  CHECK(package.wheels.at(0).sha256 == hash);
  REQUIRE(package.needs.size() == 2);
  CHECK(package.needs[1].name == "c");
  CHECK(read_report(entry(R"({"hash": "md5=1"})", R"("b")"))->packages[0].needs.empty());
  const auto other = read_report("[1]");
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::malformed);
  CHECK(other.error().message == "no report of pip in version 1, which `pip install --report` writes");
}

TEST_CASE("a report without a list of installs is none, and of an entry with too many needs none is taken") {
  for (const auto* text : {R"({"version": "1", "install": {}})", R"({"version": "1"})", R"({"install": []})",
                           R"({"version": 1, "install": []})", R"({"version": "2", "install": []})"}) {
    CAPTURE(text);
    const auto lock = read_report(text);
    REQUIRE_FALSE(lock);
    CHECK(lock.error().code == ErrorCode::malformed);
    CHECK(lock.error().message == "no report of pip in version 1, which `pip install --report` writes");
  }
  CHECK(read_report(R"({"version": "1", "install": []})")->packages.empty());
  const auto needs = [](std::size_t count) {
    std::string lines = "\"b\"";
    for (std::size_t i = 1; i < count; ++i) lines += ",\"b\"";
    const auto lock = read_report(R"({"version": "1", "install": [{"metadata": {"name": "a", "version": "1",
        "requires_dist": [)" + lines +
                                  "]}}]}");
    REQUIRE(lock);
    return lock->packages.at(0).needs.size();
  };
  CHECK(needs(10'000) == 10'000);
  CHECK(needs(10'001) == 0);
}

TEST_CASE("the extras that a package is needed with are told, and its address") {
  const auto lock = read_report(R"({"version": "1", "install": [{"requested": 1, "metadata": {"name": "A_b",
      "version": "1", "requires_dist": ["c[x,y]; python_version > '3'"]},
      "download_info": {"url": "file:///w/a_b-1-py3-none-any.whl"}}]})");
  REQUIRE(lock);
  const auto& package = lock->packages.at(0);
  CHECK(package.name == "a-b");
  CHECK(package.version == "1");
  CHECK_FALSE(package.requested);
  CHECK(package.wheels.at(0).url == "file:///w/a_b-1-py3-none-any.whl");
  CHECK(package.wheels[0].name == "a_b-1-py3-none-any.whl");
  CHECK(package.wheels[0].sha256.empty());
  REQUIRE(package.needs.size() == 1);
  CHECK(package.needs[0].name == "c");
  CHECK(package.needs[0].extras == std::vector<std::string>{"x", "y"});
  CHECK(package.needs[0].marker == " python_version > '3'");
  CHECK(package.needs[0].version.empty());
}

}  // namespace
}  // namespace cudald
