#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cuda/knowledge.h"
#include "embedded.h"

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
  REQUIRE((*newer)->likely_framework("x", "1.5", for_linux));
  CHECK((*newer)->likely_framework("x", "1.5", for_linux)->guess().cuda == "12.8");
  const auto taken_back = read_knowledge(section(
      "driver", R"({"cuda": "12.8", "linux": "1.2", "windows": null, "proof": null})", R"("proof": "a test", )"));
  REQUIRE(taken_back);
  CHECK_FALSE((*taken_back)->driver_of("12.8", for_linux));
}

TEST_CASE("what is wrong with a table is told with its place") {
  CHECK(fault_of("{").find("line 1, column 2") != std::string::npos);
  CHECK(fault_of("[]").find("it is no object") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/windows"})").find("`schema` must be \"cudald/cuda\"") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "x": {}})").find("`x` is no section") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": {"rows": []}})").find("driver: `source` must be a text") !=
        std::string::npos);
  for (const auto* body : {"3", "[]", "{}", R"({"rows": 3})", R"({"rows": {}})", "null"})
    CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": )" + std::string(body) + "}")
              .find("driver: `rows` must be a list") != std::string::npos);
  CHECK(fault_of(R"({"schema": "cudald/cuda", "driver": {"rows": [], "source": "x", "checked": 1}})")
            .find("driver: `checked` must be a text") != std::string::npos);
  const auto row = [](const std::string& text) { return fault_of(section("driver", R"({"cuda": "1.0"},)" + text)); };
  CHECK(row("3").find("driver, row 2: is no object") != std::string::npos);
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

}  // namespace
}  // namespace cudald
