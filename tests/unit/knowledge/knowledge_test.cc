#include "knowledge/knowledge.h"

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
  CHECK(built_in_knowledge()->driver_floor(13, on_windows)->version == "580");
  CHECK(driver("13.4", on_linux) == "615.71.09");
}

TEST_CASE("a release needs no newer driver than its own, though its major's floor is newer") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.least_driver("11.0", on_linux)->version == "450.51.05");
  CHECK(knowledge.least_driver("11.0", on_windows)->version == "451.48");
  CHECK(knowledge.least_driver("12.0", on_windows)->version == "527.41");
  CHECK(knowledge.least_driver("12.1", on_windows)->version == "528.33");
}

TEST_CASE("what a driver has all of, and what runs on it by minor-version compatibility") {
  const auto& knowledge = *built_in_knowledge();
  const auto told = [&](std::string_view driver, CudaPlatform platform) {
    return knowledge.cuda_of_driver(driver, platform) + " " + knowledge.newest_cuda_on(driver, platform);
  };
  CHECK(told("535.104.05", on_linux) == "12.2 12.9");
  CHECK(told("535.54.03", on_linux) == "12.2 12.9");
  CHECK(told("535.54.02", on_linux) == "12.1 12.9");
  CHECK(told("470.256.02", on_linux) == "11.4 11.8");
  CHECK(told("440.33", on_linux) == "10.2 10.2");
  CHECK(told("580.65.06", on_linux) == "13.0 13.5");
  CHECK(told("579.0", on_windows) == "12.9 12.9");
  CHECK(told("100.1", on_linux) == " ");
}

TEST_CASE("a driver is older than a release if that follows from the drivers that are known") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.is_older_than_release("535.104.05", "12.8.90", on_linux));
  CHECK_FALSE(knowledge.is_older_than_release("570.26", "12.8", on_linux));
  // A release whose driver is not known needs one that is newer than those before it, and no more is known.
  CHECK(knowledge.is_older_than_release("580.65.06", "99.0", on_linux));
  CHECK_FALSE(knowledge.is_older_than_release("9999.1", "99.0", on_linux));
  CHECK(knowledge.is_older_than_release("572.61", "13.0", on_windows));
  CHECK_FALSE(knowledge.is_older_than_release("581.15", "13.0", on_windows));
}

TEST_CASE("a branch is its newest driver; on Windows it is called by its number on Linux, or by its own") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.cuda_of_driver("535", on_linux) == "12.2");
  CHECK(knowledge.cuda_of_driver("520", on_linux) == "11.8");
  CHECK(knowledge.cuda_of_driver("521", on_linux) == "11.8");
  CHECK(knowledge.cuda_of_driver("535", on_windows) == "12.2");
  CHECK(knowledge.cuda_of_driver("536", on_windows) == "12.2");
  CHECK(knowledge.cuda_of_driver("470", on_windows) == "11.4");
  CHECK(knowledge.newest_cuda_on("525", on_windows) == "12.0");
}

TEST_CASE("a name belongs to releases") {
  CHECK(releases("libcudart.so.11.0") == "cudart 11.0-11.8");
  CHECK(releases("CUDART64_110.DLL") == "cudart 11.0-11.8");
  CHECK(releases("libcudart.so.13") == "cudart 13.0-");
  CHECK(releases("libcurand.so.10") == "curand 10.1-10.2, curand 11.0-11.8, curand 12.0-12.9, curand 13.0-");
  CHECK(releases("libcudart.so.14") == "");
  CHECK(built_in_knowledge()->name_of(CudaKind::cudart, "11.3.1", on_windows)->name == "cudart64_110.dll");
  CHECK(built_in_knowledge()->name_of(CudaKind::cufft, "12.4", on_linux)->name == "libcufft.so.11");
  CHECK_FALSE(built_in_knowledge()->name_of(CudaKind::nccl, "12.4", on_linux));
  CHECK(releases("libcusolver.so.10") == "cusolver 10.1-10.2, cusolver 11.0-11.0");
  CHECK(releases("libcublas.so.10.0") == "cublas 10.0-10.0");
  CHECK(releases("libcublasLt.so.10") == "");  // no test repeats it
}

TEST_CASE("architectures, builds and frameworks") {
  CHECK(built_in_knowledge()->likely_toolkits_for("sm_35")->guess().until == "12.0");
  CHECK(built_in_knowledge()->toolkits_for("sm_120")->since == "12.8");
  CHECK_FALSE(built_in_knowledge()->toolkits_for("sm_1"));
  CHECK_FALSE(built_in_knowledge()->likely_toolkits_for("sm_1"));
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudnn, "114b774d335490c21aa955d7e18032c61d0a73ff") ==
        "8.8.0.121 to 8.9.2.26");
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudart, "114b774d335490c21aa955d7e18032c61d0a73ff") == "");
  const auto tensorflow = built_in_knowledge()->framework("tensorflow", "2.6.0", on_linux);
  REQUIRE(tensorflow);
  CHECK(tensorflow->cuda == "11.2");
  CHECK(tensorflow->cudnn == "8");
  CHECK(tensorflow->source().starts_with("tensorflow/python/platform/build_info.py in the wheels, 20"));
  CHECK(built_in_knowledge()->framework("tensorflow", "2.12.0", on_windows)->cuda == "");
  CHECK(built_in_knowledge()->framework("torch", "2.10.0", on_linux)->cuda == "12.8");
  CHECK(built_in_knowledge()->framework("torch", "2.9.1", on_windows)->cuda == "");
  CHECK_FALSE(built_in_knowledge()->framework("onnxruntime-gpu", "1.16.3", on_linux));
  CHECK(built_in_knowledge()->framework("onnxruntime-gpu", "1.16.3", on_windows)->cuda == "11.8");
  CHECK_FALSE(built_in_knowledge()->framework("torch", "0.4.1", on_linux));
}

/// Rows of one section laid over the tables; proven ones unless they say otherwise.
std::shared_ptr<const Knowledge> with_rows(const std::string& section, const std::string& rows) {
  const auto read =
      read_knowledge(R"({"schema": "cudald/cuda", ")" + section +
                     R"(": {"source": "s", "checked": "2030-01-02", "proof": "a test", "rows": [)" + rows + "]}}");
  CAPTURE(read ? "" : read.error().message);
  REQUIRE(read.has_value());
  return *read;
}

TEST_CASE("a driver that no document names for a system is needed by nothing there") {
  const auto known = with_rows("driver_floor", R"({"cuda_major": 90, "linux": null, "windows": "701.1"},
    {"cuda_major": 91, "linux": "702.1", "windows": null}, {"cuda_major": 92, "linux": "1.0", "proof": null})");
  CHECK_FALSE(known->driver_floor(90, on_linux).has_value());
  CHECK(known->driver_floor(90, on_windows)->version == "701.1");
  CHECK(known->driver_floor(91, on_linux)->version == "702.1");
  CHECK_FALSE(known->driver_floor(91, on_windows).has_value());
  CHECK_FALSE(known->driver_floor(92, on_linux).has_value());
  const auto drivers = with_rows("driver", R"({"cuda": "90.1", "linux": null, "windows": "901.1"})");
  CHECK_FALSE(drivers->driver_of("90.1", on_linux).has_value());
  CHECK(drivers->driver_of("90.1.7", on_windows)->version == "901.1");
  CHECK(drivers->driver_of("90.1.7.8", on_windows).has_value());
  CHECK_FALSE(drivers->driver_of("90", on_windows).has_value());
  CHECK(drivers->newest_cuda_on("9999.1", on_linux) == built_in_knowledge()->newest_cuda_on("9999.1", on_linux));
  CHECK(drivers->newest_cuda_on("9999.1", on_windows) == "90.1");
  CHECK(drivers->newest_cuda_on("901.0", on_windows) != "90.1");
  CHECK(drivers->newest_major() == 90);
}

TEST_CASE("a branch on Windows is called by the newest of its proven drivers there") {
  const auto known = with_rows("driver", R"({"cuda": "90.0", "linux": "700.10", "windows": "705.1"},
    {"cuda": "91.0", "linux": "700.20", "windows": "706.2"}, {"cuda": "92.0", "linux": "800.1", "windows": null},
    {"cuda": "93.0", "linux": "900.1", "windows": "905.1", "proof": null})");
  const auto is_older = [&](std::string_view driver, const std::string& needed, CudaPlatform platform) {
    return known->is_older_driver(driver, DriverNeed{needed}, platform);
  };
  CHECK_FALSE(is_older("700", "706.9", on_windows));
  CHECK(is_older("700", "707.1", on_windows));
  CHECK(is_older("700", "706.9", on_linux));
  CHECK_FALSE(is_older("700", "700.99", on_linux));
  CHECK_FALSE(is_older("800", "800.5", on_windows));
  CHECK(is_older("800", "801.0", on_windows));
  CHECK(is_older("900", "905.1", on_windows));
  CHECK(is_older("700.10", "700.11", on_linux));
  CHECK_FALSE(is_older("700.11", "700.11", on_linux));
  CHECK_FALSE(is_older("700.12", "700.11", on_windows));
}

TEST_CASE("what a major is content with counts only where it is older than the release's own driver") {
  const auto floors = with_rows("driver_floor", R"({"cuda_major": 90, "linux": "700.5", "windows": "700.5"})");
  CHECK(floors->least_driver("90.3", on_linux)->version == "700.5");
  const auto both = lay_over(*floors, R"({"schema": "cudald/cuda", "driver": {"source": "s", "checked": "2030-01-02",
    "proof": "a test", "rows": [{"cuda": "90.0", "linux": "700.4", "windows": "700.6"}]}})");
  REQUIRE(both.has_value());
  CHECK((*both)->least_driver("90.0", on_linux)->version == "700.4");
  CHECK((*both)->least_driver("90.0", on_windows)->version == "700.5");
  CHECK((*both)->cuda_of_driver("700.5", on_windows) != "90.0");
  CHECK((*both)->newest_cuda_on("700.5", on_windows) == "90.0");
  CHECK((*both)->is_older_than_release("700.5", "90.0.1", on_windows));
  CHECK_FALSE((*both)->is_older_than_release("700.6", "90.0.1", on_windows));
}

TEST_CASE("a build of one release has that, one of several the first and the last; without proof it has none") {
  const auto known = with_rows("builds", R"({"kind": "cudart", "build_id": "aa", "first": "1.2.3", "last": "1.2.3"},
    {"kind": "cudnn", "build_id": "aa", "first": "8.1", "last": "8.2"},
    {"kind": "cudnn", "build_id": "bb", "first": "8.1", "last": "8.2", "proof": null})");
  CHECK(known->release_of_build(CudaKind::cudart, "aa") == "1.2.3");
  CHECK(known->release_of_build(CudaKind::cudnn, "aa") == "8.1 to 8.2");
  CHECK(known->release_of_build(CudaKind::cudnn, "bb") == "");
  CHECK(known->release_of_build(CudaKind::nccl, "aa") == "");
}

TEST_CASE("a version tells its major by the last of the proven rows that it reaches") {
  const auto known = with_rows("shared_names", R"({"kind": "nccl", "since": "5.0", "cuda_major": 7},
    {"kind": "nccl", "since": "6.0", "cuda_major": 8},
    {"kind": "nccl", "since": "7.0", "cuda_major": 9, "proof": null})");
  CHECK_FALSE(known->major_of(CudaKind::nccl, "4.9").has_value());
  CHECK(known->major_of(CudaKind::nccl, "5.0") == 7);
  CHECK(known->major_of(CudaKind::nccl, "5.9") == 7);
  CHECK(known->major_of(CudaKind::nccl, "6.0") == 8);
  CHECK(known->major_of(CudaKind::nccl, "7.5") == 8);
}

TEST_CASE("a release of a framework lies between the first and the last, which both count") {
  const auto known = with_rows("frameworks", R"(
    {"project": "x", "platform": "linux", "first": "1.2", "last": "1.4", "cuda": "90.1", "cudnn": "8"},
    {"project": "x", "platform": "windows", "first": "1.2", "last": null, "cuda": "90.2"},
    {"project": "x", "platform": "linux", "first": "2.0", "last": null, "cuda": null, "cudnn": "9"},
    {"project": "y", "platform": "linux", "first": "1.0", "last": null, "cuda": "90.3"},
    {"project": "x", "platform": "linux", "first": "0.1", "last": "0.5", "cuda": "90.4", "proof": null},
    {"project": "x", "platform": "windows", "first": "0.1", "last": "0.5", "cuda": "90.5", "proof": null},
    {"project": "z", "platform": "linux", "first": "0.1", "last": "0.5", "cuda": "90.6", "proof": null})");
  const auto told = [&](std::string_view version, CudaPlatform platform) {
    const auto build = known->framework("x", version, platform);
    return build ? build->cuda + "/" + build->cudnn : "-";
  };
  CHECK(told("1.1", on_linux) == "-");
  CHECK(told("1.2", on_linux) == "90.1/8");
  CHECK(told("1.4", on_linux) == "90.1/8");
  CHECK(told("1.5", on_linux) == "-");
  CHECK(told("1.5", on_windows) == "90.2/");
  CHECK(told("2.0", on_linux) == "/9");
  CHECK(told("0.1", on_linux) == "-");
  CHECK(told("0.5", on_windows) == "-");
  CHECK(told("0.6", on_linux) == "-");
  std::string all;
  for (const auto& build : known->framework("x", on_linux)) all += build.project + build.first + "-" + build.last + " ";
  CHECK(all == "x1.2-1.4 x2.0- ");
  CHECK(known->framework("x", on_windows).size() == 1);
  CHECK(known->framework("none", on_linux).empty());
}

TEST_CASE("names of libraries are those of a system, kind and release") {
  const auto known = with_rows("libraries", R"(
    {"kind": "nccl", "first": "90.1", "last": "90.3", "linux": "libown.so.1", "windows": "Own64_1.dll"},
    {"kind": "nccl", "first": "91.0", "last": null, "linux": null, "windows": "own64_2.dll"},
    {"kind": "cufft", "first": "90.1", "last": null, "linux": "libown.so.1", "windows": null, "proof": null})");
  const auto releases_of = [&](std::string_view name) {
    std::string text;
    for (const auto& each : known->releases_of(name))
      text += std::string(to_string(each.kind)) + " " + each.first + "-" + each.last + " ";
    return text;
  };
  CHECK(releases_of("libown.so.1") == "nccl 90.1-90.3 ");
  CHECK(releases_of("LIBOWN.so.1") == "");
  CHECK(releases_of("OWN64_1.DLL") == "nccl 90.1-90.3 ");
  CHECK(releases_of("own64_2.dll") == "nccl 91.0- ");
  CHECK(releases_of("own64_22.dll") == "");
  CHECK(releases_of("") == "");
  const auto name_of = [&](std::string_view cuda, CudaPlatform platform) {
    const auto name = known->name_of(CudaKind::nccl, cuda, platform);
    return name ? name->name : "-";
  };
  CHECK(name_of("90.0", on_linux) == "-");
  CHECK(name_of("90.1", on_linux) == "libown.so.1");
  CHECK(name_of("90.3.9", on_windows) == "Own64_1.dll");
  CHECK(name_of("90.4", on_windows) == "-");
  CHECK(name_of("95.0", on_linux) == "-");
  CHECK(name_of("95.0", on_windows) == "own64_2.dll");
}

TEST_CASE("spans of architectures are facts or guesses") {
  const auto known = with_rows("architectures", R"({"sm": "sm_990", "since": "90.0", "until": "91.0"},
    {"sm": "sm_991", "since": "90.5", "proof": null})");
  CHECK(known->toolkits_for("sm_990")->since == "90.0");
  CHECK(known->toolkits_for("sm_990")->until == "91.0");
  CHECK(known->toolkits_for("sm_990")->source() == "s, 2030-01-02");
  CHECK_FALSE(known->likely_toolkits_for("sm_990").has_value());
  CHECK_FALSE(known->toolkits_for("sm_991").has_value());
  CHECK(known->likely_toolkits_for("sm_991")->guess().since == "90.5");
  CHECK(known->likely_toolkits_for("sm_991")->guess().until == "");
  CHECK(known->likely_toolkits_for("sm_991")->source() == "s, 2030-01-02");
}

}  // namespace
}  // namespace cudald
