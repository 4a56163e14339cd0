#include "machine/host_library.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "binary/elf/symbol_table.h"
#include "binary/known_image.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

const HostMachine usual_of_rows{EM_X86_64, Format::elf64, ByteOrder::little};

/// A library as most are, so that its row is its path alone.
HostLibrary plain_library() {
  HostLibrary library;
  library.paths = {"/lib/a.so"};
  auto image =
      known_image(ImageSource::description, usual_of_rows.machine, usual_of_rows.format, usual_of_rows.order, "");
  image->soname.reset();
  image->elf.executable_stack = false;
  library.image = image;
  return library;
}

/// Written, as text, read, and written once more.
HostLibrary passed_on(const HostLibrary& library) {
  const auto row = library_row(library, usual_of_rows);
  const auto read = read_library_row(nlohmann::json::parse(row.dump()), usual_of_rows);
  REQUIRE(read.has_value());
  CHECK(library_row(*read, usual_of_rows).dump() == row.dump());
  return *read;
}

HostLibrary read_row(const std::string& text) {
  const auto library = read_library_row(nlohmann::json::parse(text), usual_of_rows);
  REQUIRE(library.has_value());
  return *library;
}

TEST_CASE("the usual machine is that of the platform, else the first that is known") {
  CHECK(usual_machine("linux-x86_64") == usual_of_rows);
  CHECK(usual_machine("linux-aarch64") == HostMachine{EM_AARCH64, Format::elf64, ByteOrder::little});
  CHECK(usual_machine("linux-none") == usual_of_rows);
  CHECK(usual_machine("x86_64") == usual_of_rows);
}

TEST_CASE("the row of a library as most are is its paths") {
  auto library = plain_library();
  CHECK(library_row(library, usual_of_rows).dump() == R"({"path":"/lib/a.so"})");
  library.paths = {"/lib/a.so", "/lib/b.so", "/lib/c.so"};
  CHECK(library_row(library, usual_of_rows).dump() == R"({"path":"/lib/a.so","also":["/lib/b.so","/lib/c.so"]})");
  CHECK(passed_on(library).paths == library.paths);
  const auto read = passed_on(plain_library());
  CHECK_FALSE(read.set_user_id);
  CHECK(read.start == "");
  CHECK(read.texts.texts.empty());
  CHECK(read.texts.complete);
  CHECK(read.gpu == nullptr);
  CHECK(read.cuda == nullptr);
  CHECK(read.symbols == nullptr);
}

TEST_CASE("a row whose paths are not absolute is none") {
  for (const auto* text :
       {"{}", R"({"path":"a"})", R"({"path":""})", R"({"path":5})", R"({"path":"/a","also":["b"]})"}) {
    const auto library = read_library_row(nlohmann::json::parse(text), usual_of_rows);
    REQUIRE_FALSE(library.has_value());
    CHECK(library.error().code == ErrorCode::usage);
    CHECK(library.error().message == "one of its libraries has no path");
  }
}

TEST_CASE("what a library opens by name, and with which function, is passed on") {
  auto library = plain_library();
  library.set_user_id = true;
  library.start = "GROUP";
  library.texts.function = "dlopen";
  CHECK(library_row(library, usual_of_rows).dump() == R"({"path":"/lib/a.so","set_user_id":true,"text":"GROUP"})");
  library.texts.texts = {{"libx.so", 7}, {"liby.so", 9}};
  library.texts.complete = false;
  CHECK(library_row(library, usual_of_rows)["opens"].dump() ==
        R"({"by":"dlopen","names":[["libx.so",7],["liby.so",9]],"incomplete":true})");
  const auto read = passed_on(library);
  CHECK(read.set_user_id);
  CHECK(read.start == "GROUP");
  CHECK(read.texts.function == "dlopen");
  REQUIRE(read.texts.texts.size() == 2);
  CHECK(read.texts.texts[1].name == "liby.so");
  CHECK(read.texts.texts[1].offset == 9);
  CHECK_FALSE(read.texts.complete);
  library.texts.texts.clear();
  CHECK(library_row(library, usual_of_rows)["opens"].dump() == R"({"by":"dlopen","incomplete":true})");
  const auto odd = read_row(R"({"path":"/a","opens":{"by":"f","names":[["a"],["b",1,2],"c",["d",5]]}})");
  REQUIRE(odd.texts.texts.size() == 1);
  CHECK(odd.texts.texts[0].name == "d");
}

TEST_CASE("code for GPUs is passed on") {
  auto library = plain_library();
  GpuCode code;
  code.sass[GpuArchitecture{90, 'a'}] = 3;
  code.sass[GpuArchitecture{75}] = 1;
  code.ptx[GpuArchitecture{120}] = 2;
  code.registered = true;
  code.entries = 6;
  code.defects = {{"odd", 64, true}};
  library.gpu = std::make_shared<GpuCode>(code);
  CHECK(library_row(library, usual_of_rows)["gpu"].dump() ==
        R"({"sass":{"sm_75":1,"sm_90a":3},"ptx":{"sm_120":2},"registered":true,)"
        R"("entries":6,"defects":[["odd",true,64]]})");
  const auto read = passed_on(library);
  REQUIRE(read.gpu);
  CHECK(read.gpu->sass == code.sass);
  CHECK(read.gpu->ptx == code.ptx);
  CHECK(read.gpu->registered);
  CHECK(read.gpu->entries == 6);
  CHECK(read.gpu->defects.size() == 1);
  library.gpu = std::make_shared<GpuCode>();
  CHECK(library_row(library, usual_of_rows)["gpu"].dump() == R"({"entries":0})");
  CHECK_FALSE(passed_on(library).gpu->registered);
}

TEST_CASE("of architectures in a row those count that can be read") {
  const auto sass = [](const std::string& entries) {
    return read_row(R"({"path":"/a","gpu":{"sass":)" + entries + R"(,"entries":1}})").gpu->sass;
  };
  CHECK(sass(R"({"sm_90":1})").at(GpuArchitecture{90}) == 1);
  CHECK(sass(R"({"sm_90f":2})").at(GpuArchitecture{90, 'f'}) == 2);
  for (const auto* entries :
       {R"({"sm_":1})", R"({"sm_x":1})", R"({"sm_90ab":1})", R"({"90":1})", R"({"xsm_90":1})", "[]", "5"})
    CHECK_MESSAGE(sass(entries).empty(), entries);
}

TEST_CASE("what a library is of CUDA is passed on, of every kind") {
  auto library = plain_library();
  for (int kind = 0; kind <= static_cast<int>(CudaKind::driver); ++kind) {
    CudaLibrary cuda;
    cuda.kind = static_cast<CudaKind>(kind);
    library.cuda = std::make_shared<CudaLibrary>(cuda);
    CHECK(library_row(library, usual_of_rows)["cuda"].dump() ==
          R"({"kind":")" + std::string(to_string(cuda.kind)) + R"("})");
    const auto read = passed_on(library);
    REQUIRE(read.cuda);
    CHECK(read.cuda->kind == cuda.kind);
    CHECK_FALSE(read.cuda->stub);
    CHECK_FALSE(read.cuda->is_static);
  }
  CudaLibrary cuda;
  cuda.kind = CudaKind::driver;
  cuda.part = "part";
  cuda.version = "1.2";
  cuda.release = "9.9";
  cuda.major = 12;
  cuda.built_for_cuda = "9.8";
  cuda.stub = true;
  cuda.is_static = true;
  cuda.evidence = {"one", "two"};
  library.cuda = std::make_shared<CudaLibrary>(cuda);
  CHECK(library_row(library, usual_of_rows)["cuda"].dump() ==
        R"({"kind":")" + std::string(to_string(cuda.kind)) +
            R"(","part":"part","version":"1.2","release":"9.9","major":12,"built_for_cuda":"9.8",)"
            R"("stub":true,"static":true,"evidence":["one","two"]})");
  const auto read = passed_on(library);
  CHECK(read.cuda->part == "part");
  CHECK(read.cuda->version == "1.2");
  CHECK(read.cuda->release == "9.9");
  CHECK(read.cuda->major == 12);
  CHECK(read.cuda->built_for_cuda == "9.8");
  CHECK(read.cuda->stub);
  CHECK(read.cuda->is_static);
  CHECK(read.cuda->evidence == cuda.evidence);
  CHECK(read_row(R"({"path":"/a","cuda":{"kind":"none such"}})").cuda == nullptr);
  CHECK(read_row(R"({"path":"/a","cuda":5})").cuda == nullptr);
}

TEST_CASE("defects are passed on with their place, if they have one, and whether they are a limit") {
  const std::vector<Defect> defects{{"first", 7, false}, {"second", std::nullopt, true}};
  const auto row = defects_row(defects);
  CHECK(row.dump() == R"([["first",false,7],["second",true,null]])");
  const auto read = read_defects_row(nlohmann::json::parse(row.dump()));
  REQUIRE(read.size() == 2);
  CHECK(read[0].message == "first");
  CHECK(read[0].offset == 7);
  CHECK_FALSE(read[0].limit);
  CHECK(read[1].message == "second");
  CHECK_FALSE(read[1].offset);
  CHECK(read[1].limit);
  CHECK(read_defects_row(nlohmann::json::parse(R"([["a",true],["b",true,1,2],"c",5])")).empty());
  CHECK(read_defects_row(nlohmann::json::parse(R"({"a":1})")).empty());
}

TEST_CASE("names that a library opens are complete unless it is said") {
  auto library = plain_library();
  library.texts.function = "dlopen";
  library.texts.texts = {{"libx.so", 7}};
  CHECK(library_row(library, usual_of_rows)["opens"].dump() == R"({"by":"dlopen","names":[["libx.so",7]]})");
  CHECK(passed_on(library).texts.complete);
  CHECK(passed_on(library).texts.texts.at(0).name == "libx.so");
}

TEST_CASE("facts of CUDA that are of another kind are none") {
  const auto read = read_row(R"({"path":"/a","cuda":{"kind":"cudart","part":5,"major":"x","stub":1,"static":"true",
    "evidence":["one",5]}})");
  REQUIRE(read.cuda);
  CHECK(read.cuda->kind == CudaKind::cudart);
  CHECK(read.cuda->part == "");
  CHECK(read.cuda->major == 0);
  CHECK_FALSE(read.cuda->stub);
  CHECK_FALSE(read.cuda->is_static);
  CHECK(read.cuda->evidence == std::vector<std::string>{"one"});
  CHECK(read_row(R"({"path":"/a","gpu":5})").gpu == nullptr);
  CHECK(read_row(R"({"path":"/a","symbols":5})").symbols == nullptr);
  CHECK(read_row(R"({"path":"/a","symbols":{}})").symbols != nullptr);
  CHECK(read_row(R"({"path":"/a","also":["/b"]})").paths == std::vector<std::string>{"/a", "/b"});
}

TEST_CASE("numbers above what a place holds count as none") {
  CHECK(read_row(R"({"path":"/a","gpu":{"sass":{"sm_75":-1},"entries":7}})").gpu->entries == 7);
  CHECK(read_row(R"({"path":"/a","cuda":{"kind":"cudart","major":2147483647}})").cuda->major == 2147483647);
  CHECK(read_row(R"({"path":"/a","cuda":{"kind":"cudart","major":2147483648}})").cuda->major == 0);
}

TEST_CASE("what the file says of itself stands in its row") {
  auto library = plain_library();
  auto image = std::make_shared<Image>(*library.image);
  image->soname = "a.so.1";
  image->elf.runpath = "/r";
  library.image = image;
  CHECK(library_row(library, usual_of_rows).dump() == R"({"path":"/lib/a.so","soname":"a.so.1","runpath":"/r"})");
  CHECK(passed_on(library).image->soname == "a.so.1");
  CHECK(passed_on(library).image->elf.runpath == "/r");
}

TEST_CASE("the symbols of a library stand in its row if they are known") {
  auto library = plain_library();
  library.symbols = SymbolTable::of({.has_versions = true}, library.image);
  CHECK(library_row(library, usual_of_rows).dump() == R"({"path":"/lib/a.so","symbols":{"versions":true}})");
  const auto read = passed_on(library);
  REQUIRE(read.symbols);
  CHECK(read.symbols->has_versions());
  CHECK(read.symbols->complete());
}

}  // namespace
}  // namespace cudald
