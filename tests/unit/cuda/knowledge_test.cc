#include "cuda/knowledge.h"

#include <doctest/doctest.h>

#include <set>

#include <cudald/cuda_library.h>

#include "base/json.h"
#include "embedded.h"

namespace cudald {
namespace {

constexpr auto on_linux = CudaPlatform::linux;
constexpr auto on_windows = CudaPlatform::windows;

std::string driver(std::string_view cuda, CudaPlatform platform) {
  const auto need = built_in_knowledge()->driver_of(cuda, platform);
  return need ? need->version : "-";
}

std::string releases(std::string_view library) {
  std::string text;
  for (const auto& each : built_in_knowledge()->releases_of(library))
    text += (text.empty() ? "" : ", ") + std::string(to_string(each.kind)) + " " + each.first + "-" + each.last;
  return text;
}

TEST_CASE("each section and row of the table has what the schema asks for") {
  const auto table = parse_json(embedded_cuda());
  CHECK(table.at("schema") == "cudald/cuda");
  CHECK(table.at("version") == 1);
  const std::set<std::string> sections = {"driver",       "driver_floor", "libraries", "architectures",
                                          "shared_names", "cudnn",        "builds",    "frameworks"};
  for (const auto& name : sections) {
    CAPTURE(name);
    const auto& section = table.at(name);
    CHECK(section.at("source").get<std::string>().size() > 10);
    CHECK(section.at("about").get<std::string>().size() > 10);
    const auto checked = section.at("checked").get<std::string>();
    CHECK(checked.size() == 10);
    CHECK(checked.starts_with("20"));
    CHECK(section.at("rows").size() > 2);
    std::set<std::string> seen;
    for (const auto& row : section.at("rows")) {
      CAPTURE(row.dump());
      CHECK(seen.insert(row.dump()).second);
      for (const auto& [key, value] : row.items()) {
        const bool is_flag = key == "verified", is_number = key == "cuda_major";
        CHECK((is_flag     ? value.is_boolean()
               : is_number ? value.is_number_unsigned()
                           : value.is_string() || value.is_null()));
        const std::set<std::string> versions = {"cuda", "first", "last", "since", "until", "cudnn", "built_for"};
        if (versions.contains(key) && value.is_string())
          CHECK(value.get<std::string>().find_first_not_of("0123456789.post") == std::string::npos);
      }
    }
  }
}

TEST_CASE("a release runs from a driver on, and a library tells its major by its version") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.least_driver("11.8", CudaPlatform::linux)->version == "450.80.02");
  CHECK(knowledge.least_driver("10.2", CudaPlatform::linux)->version == "440.33");
  CHECK_FALSE(knowledge.least_driver("99.0", CudaPlatform::linux));
  CHECK(knowledge.major_of(CudaKind::curand, "10.3.0") == 11);
  CHECK(knowledge.major_of(CudaKind::curand, "10.3.9") == 12);
  CHECK(knowledge.major_of(CudaKind::curand, "10.4.5") == 13);
  CHECK_FALSE(knowledge.major_of(CudaKind::cudart, "12.8"));
}

TEST_CASE("a release asks for a driver, a major is content with an older one") {
  CHECK(driver("11.8", on_linux) == "520.61.05");
  CHECK(driver("11.8", on_windows) == "522.06");
  CHECK(driver("12.8.1", on_linux) == "570.26");
  CHECK(driver("13.0", on_windows) == "-");
  CHECK(driver("12.7", on_linux) == "-");
  CHECK(built_in_knowledge()->driver_floor(11, on_linux)->version == "450.80.02");
  CHECK(built_in_knowledge()->driver_floor(12, on_windows)->version == "528.33");
  CHECK_FALSE(built_in_knowledge()->driver_floor(10, on_linux));
  CHECK(built_in_knowledge()->newest_cuda_of("535.104.05", on_linux) == "12.2");
  CHECK(built_in_knowledge()->newest_cuda_of("535.54.03", on_linux) == "12.2");
  CHECK(built_in_knowledge()->newest_cuda_of("535.54.02", on_linux) == "12.1");
  CHECK(built_in_knowledge()->newest_cuda_of("100.1", on_linux) == "");
}

TEST_CASE("a name belongs to releases") {
  CHECK(releases("libcudart.so.11.0") == "cudart 11.0-11.8");
  CHECK(releases("CUDART64_110.DLL") == "cudart 11.0-11.8");
  CHECK(releases("libcudart.so.13") == "cudart 13.0-");
  CHECK(releases("libcurand.so.10") == "curand 10.0-10.2, curand 11.0-11.8, curand 12.0-12.9, curand 13.0-");
  CHECK(releases("libcudart.so.14") == "");
  CHECK(built_in_knowledge()->name_of(CudaKind::cudart, "11.3.1", on_windows)->name == "cudart64_110.dll");
  CHECK(built_in_knowledge()->name_of(CudaKind::cufft, "12.4", on_linux)->name == "libcufft.so.11");
  CHECK_FALSE(built_in_knowledge()->name_of(CudaKind::nccl, "12.4", on_linux));
  CHECK_FALSE(built_in_knowledge()->releases_of("libnvrtc.so.11.0").front().source.verified);
}

TEST_CASE("architectures, cuDNN and frameworks") {
  CHECK(built_in_knowledge()->toolkits_for("sm_35")->until == "12.0");
  CHECK(built_in_knowledge()->toolkits_for("sm_120")->since == "12.8");
  CHECK_FALSE(built_in_knowledge()->toolkits_for("sm_1"));
  CHECK(built_in_knowledge()->cuda_of_cudnn("9.10.2", 12) == "12.9");
  CHECK(built_in_knowledge()->cuda_of_cudnn("9.10.2", 11) == "11.8");
  CHECK(built_in_knowledge()->cuda_of_cudnn("8.9.6", 11) == "");
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudnn, "114b774d335490c21aa955d7e18032c61d0a73ff") ==
        "8.8.0.121 to 8.9.2.26");
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudart, "114b774d335490c21aa955d7e18032c61d0a73ff") == "");
  const auto tensorflow = built_in_knowledge()->framework("tensorflow", "2.6.0", on_linux);
  REQUIRE(tensorflow);
  CHECK(tensorflow->cuda == "11.2");
  CHECK(tensorflow->cudnn == "8");
  CHECK(tensorflow->source.text.starts_with("tensorflow/python/platform/build_info.py in the wheels, 20"));
  CHECK(built_in_knowledge()->framework("tensorflow", "2.12.0", on_windows)->cuda == "");
  CHECK(built_in_knowledge()->framework("torch", "2.10.0", on_linux)->cuda == "12.8");
  CHECK_FALSE(built_in_knowledge()->framework("onnxruntime-gpu", "1.16.3", on_linux)->source.verified);
  CHECK_FALSE(built_in_knowledge()->framework("torch", "0.4.1", on_linux));
}

TEST_CASE("another table is read if it is one, and the one built in stays as it is") {
  for (const auto* text : {"{", "[]", R"({"schema": "cudald/windows"})"}) {
    const auto none = read_knowledge(text);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::usage);
  }
  auto table = parse_json(embedded_cuda());
  for (auto& row : table["driver"]["rows"])
    if (row["cuda"] == "11.8") row["linux"] = "1.2";
  const auto other = read_knowledge(table.dump());
  REQUIRE(other);
  CHECK((*other)->driver_of("11.8", on_linux)->version == "1.2");
  CHECK(driver("11.8", on_linux) == "520.61.05");
  for (auto& row : table["libraries"]["rows"]) row["kind"] = "libc";
  CHECK_FALSE(read_knowledge(table.dump()));
}

}  // namespace
}  // namespace cudald
