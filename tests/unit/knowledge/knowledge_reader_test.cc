#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

constexpr auto for_linux = CudaPlatform::linux;

std::string fault_of(const std::string& text) {
  const auto read = read_knowledge(text);
  return read ? "" : read.error().message;
}

std::string section(const std::string& name, const std::string& rows, const std::string& more = "") {
  return R"({"schema": "cudald/cuda", ")" + name + R"(": {"source": "notes", "checked": "2030-01-02", )" + more +
         R"("rows": [)" + rows + "]}}";
}

TEST_CASE("newer rows lie over those that are built in, which stay as they are") {
  const auto newer = read_knowledge(section("driver", R"({"cuda": "11.8", "linux": "1.2", "windows": null},
      {"cuda": "14.0", "linux": "700.10", "windows": "701.1"})",
                                            R"("proof": "a test", )"));
  REQUIRE(newer);
  CHECK((*newer)->driver_of("11.8", for_linux)->version == "1.2");
  CHECK((*newer)->driver_of("14.0", CudaPlatform::windows)->version == "701.1");
  CHECK((*newer)->driver_of("14.0", for_linux)->source() == "notes, 2030-01-02");
  CHECK((*newer)->driver_of("12.0", for_linux)->version == "525.60.13");
  CHECK((*newer)->newest_major() == 14);
  CHECK(built_in_knowledge()->driver_of("11.8", for_linux)->version == "520.61.05");
  CHECK(built_in_knowledge()->newest_major() == 13);
}

TEST_CASE("a row that names no test is no fact") {
  const auto newer = read_knowledge(
      section("frameworks", R"({"project": "x", "platform": "linux", "first": "1", "last": null, "cuda": "12.8"})"));
  REQUIRE(newer);
  CHECK_FALSE((*newer)->framework("x", "1.5", for_linux));
  const auto taken_back = read_knowledge(section(
      "driver", R"({"cuda": "12.8", "linux": "1.2", "windows": null, "proof": null})", R"("proof": "a test", )"));
  REQUIRE(taken_back);
  CHECK_FALSE((*taken_back)->driver_of("12.8", for_linux));
}

TEST_CASE("what is wrong with a table is told with its place") {
  CHECK(fault_of("{").find("line 1: ") != std::string::npos);
  CHECK(fault_of("[]").find("it is not an object") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/windows"})").find("`schema` must be \"cudald/cuda\"") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "x": {}})").find("`x` is not a section") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": {"rows": []}})").find("driver: `source` must be a text") !=
        std::string::npos);
  for (const auto* body : {"3", "[]", "{}", R"({"rows": 3})", R"({"rows": {}})", "null"})
    CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": )" + std::string(body) + "}")
              .find("driver: `rows` must be a list") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": {"rows": [], "source": "x", "checked": 1}})")
            .find("driver: `checked` must be a text") != std::string::npos);
  const auto row = [](const std::string& text) { return fault_of(section("driver", R"({"cuda": "1.0"},)" + text)); };
  CHECK(row("3").find("driver, row 2: is not an object") != std::string::npos);
  CHECK(row("{}").find("driver, row 2: lacks `cuda`") != std::string::npos);
  CHECK(row(R"({"cuda": 12})").find("driver, row 2: `cuda` must be a version") != std::string::npos);
  CHECK(row(R"({"cuda": "12.8", "linux": "x"})").find("`linux` must be a version or null") != std::string::npos);
  CHECK(row(R"({"cuda": "12.8", "lunix": "1"})").find("`lunix` is not known") != std::string::npos);
  const auto kind = R"({"kind": "libc", "first": "1", "last": null, "linux": "a", "windows": "b"})";
  CHECK(fault_of(section("libraries", kind)).find("a kind of library that cudald knows") != std::string::npos);
  CHECK(fault_of(std::string(100, '[')).find("too deep") != std::string::npos);
}

TEST_CASE("the table that is built in has the form that newer ones are held to") {
  CHECK(fault_of(parse_table(embedded_cuda()).dump()) == "");
}

TEST_CASE("a fault of a table is of the question, and told in one form") {
  const auto read = read_knowledge(section("driver", "3"));
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == ErrorCode::usage);
  CHECK(read.error().message == "no table of knowledge: driver, row 1: is not an object");
  CHECK(fault_of(section("driver", R"({"cuda": "1.0", "proof": 5})")) ==
        "no table of knowledge: driver, row 1: `proof` must be a text or null");
  CHECK(fault_of(section("driver", R"({"cuda": "1.0", "proof": ["a"]})")) ==
        "no table of knowledge: driver, row 1: `proof` must be a text or null");
  CHECK(fault_of(section("driver", R"({"cuda": "1.0"})", R"("proof": ["a"], )")) ==
        "no table of knowledge: driver, row 1: `proof` must be a text or null");
  CHECK(fault_of(section("driver", R"({"cuda": "1.0", "proof": null})", R"("proof": ["a"], )")) == "");
  CHECK(fault_of(R"({"schema": "cudald/cuda", "version": 5, "how_to_read": [], "driver": {"rows": [], "source": "s",
    "checked": "2030-01-02"}})") == "");
  CHECK(fault_of(R"({"schema": "cudald/cuda", "versions": 5})") ==
        "no table of knowledge: `versions` is not a section");
  CHECK(fault_of("3") == "no table of knowledge: it is not an object");
  CHECK(fault_of("{}") == "no table of knowledge: `schema` must be \"cudald/cuda\"");
}

TEST_CASE("the error about what is no JSON names its line, and does not repeat its text") {
  CHECK(fault_of("{\n\"a\xff\x1b\"}") == "no table of knowledge: line 2: is not valid JSON");
  CHECK(fault_of("") == "no table of knowledge: line 1: is not valid JSON");
  CHECK(fault_of("{\n\n") == "no table of knowledge: line 3: is not valid JSON");
}

TEST_CASE("values may lie ten deep in one another") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(fault_of(nested(10)) == "no table of knowledge: it is not an object");
  CHECK(fault_of(nested(11)) == "no table of knowledge: its values are nested too deep");
}

TEST_CASE("a table has no more than a million values") {
  std::string many = "[";
  for (int i = 0; i < 1'000'000; ++i) many += "0,";
  CHECK(fault_of(many + "0]") == "no table of knowledge: it has more values than any");
}

TEST_CASE("each section has its own form") {
  const std::pair<std::string, std::string> rows[] = {
      {"driver", "driver, row 1: lacks `cuda`"},
      {"driver_floor", "driver_floor, row 1: lacks `cuda_major`"},
      {"libraries", "libraries, row 1: lacks `kind`"},
      {"architectures", "architectures, row 1: lacks `sm`"},
      {"shared_names", "shared_names, row 1: lacks `kind`"},
      {"builds", "builds, row 1: lacks `kind`"},
      {"frameworks", "frameworks, row 1: lacks `project`"},
  };
  for (const auto& [name, message] : rows) CHECK(fault_of(section(name, "{}")) == "no table of knowledge: " + message);
}

TEST_CASE("a row says itself where it is from, or its section does; those that were there keep theirs") {
  const auto newer = read_knowledge(section("driver", R"({"cuda": "90.0", "linux": "1.1", "source": "own",
      "checked": "2029-09-09", "proof": "its own"}, {"cuda": "91.0", "linux": "1.2", "proof": "its own"})"));
  REQUIRE(newer.has_value());
  CHECK((*newer)->driver_of("90.0", for_linux)->source() == "own, 2029-09-09");
  CHECK((*newer)->driver_of("91.0", for_linux)->source() == "notes, 2030-01-02");
  CHECK((*newer)->driver_of("12.0", for_linux)->source() ==
        built_in_knowledge()->driver_of("12.0", for_linux)->source());
  std::string day, other;
  for (const auto& [name, checked] : (*newer)->days()) (name == "driver" ? day : other) = checked;
  CHECK(day == "2030-01-02");
  CHECK(other != "2030-01-02");
  std::string names;
  for (const auto& [name, checked] : built_in_knowledge()->days()) names += name + " ";
  CHECK(names == "architectures builds driver driver_floor frameworks libraries shared_names ");
}

TEST_CASE("of tables that are laid over one another the last counts, and stands first") {
  const auto one = read_knowledge(section("frameworks", R"({"project": "x", "platform": "linux", "first": "1.0",
      "cuda": "1.1"}, {"project": "x", "platform": "linux", "first": "2.0", "cuda": "1.2"})",
                                          R"("proof": "a test", )"));
  REQUIRE(one.has_value());
  const auto two = lay_over(**one, section("frameworks", R"({"project": "x", "platform": "linux", "first": "1.0",
      "cuda": "1.3"})",
                                           R"("proof": "a test", )"));
  REQUIRE(two.has_value());
  std::string all;
  for (const auto& build : (*two)->framework("x", for_linux)) all += build.first + ": " + build.cuda + " ";
  CHECK(all == "1.0: 1.3 2.0: 1.2 ");
}

}  // namespace
}  // namespace cudald
