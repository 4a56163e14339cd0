#include "pyimport/compiled/library_requests.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "binary/constants/mapped_bytes.h"
#include "common/code_file.h"
#include "common/memory_file_system.h"

using namespace cudald;
using namespace cudald::python;

namespace {

struct ListedRequests {
  std::string libraries, modules;
};

/// As lists for people, where something has imported json.
std::optional<ListedRequests> requests_of(const std::string& bytes, CostLimits limits = {}, RequestKinds kinds = {}) {
  Budget budget, of_code(limits);
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto opened = files.open("/file");
  const auto image = read_image(**opened, budget);
  if (!image) return std::nullopt;
  const auto found = library_requests(MappedBytes(bytes), **image, kinds, of_code);
  if (!found) return std::nullopt;
  return ListedRequests{found->listed_libraries(),
                        found->listed_modules([](std::string_view name) { return name == "json"; })};
}

}  // namespace

TEST_CASE("what a library opens: names that stand in its code, and that there are others") {
  CodeFile file({"dlopen"});
  file.function();
  file.address(CodeFile::rdi, file.text("libgpu.so.1")).call("dlopen");
  const auto named = requests_of(file.bytes());
  REQUIRE(named);
  CHECK(named->libraries == "libgpu.so.1");
  CHECK(named->modules.empty());
  file.function();
  file.load(CodeFile::rdi, CodeFile::variables).call_by_slot("dlopen");
  CHECK(requests_of(file.bytes())->libraries == "libgpu.so.1, (its code computes a name)");
}

TEST_CASE("that it asks for the program itself is no request") {
  CodeFile file({"dlopen"});
  file.function();
  file.copy(0, 0).copy(0, 0).copy(0, 0).copy(0, 0).raw({'\x31', '\xff'}).call("dlopen");
  CHECK(requests_of(file.bytes())->libraries.empty());
}

TEST_CASE("what a library imports, but what is imported anyway, and that it runs Python code") {
  CodeFile file({"PyImport_ImportModule", "PyEval_EvalCode"});
  file.function();
  file.address(CodeFile::rdi, file.text("json")).call("PyImport_ImportModule");
  file.address(CodeFile::rdi, file.text("uuid")).call("PyImport_ImportModule").call("PyEval_EvalCode");
  const auto found = requests_of(file.bytes());
  REQUIRE(found);
  CHECK(found->modules == "uuid, (it runs Python code of its own)");
  CHECK(found->libraries.empty());
}

TEST_CASE("only what is asked is told, though one function does both") {
  CodeFile file({"dlopen", "PyImport_ImportModule"});
  file.function();
  file.address(CodeFile::rdi, file.text("libgpu.so.1")).call("dlopen");
  file.address(CodeFile::rdi, file.text("uuid")).call("PyImport_ImportModule");
  const auto libraries = requests_of(file.bytes(), {}, {.libraries = true, .modules = false});
  REQUIRE(libraries);
  CHECK(libraries->libraries == "libgpu.so.1");
  CHECK(libraries->modules.empty());
  const auto modules = requests_of(file.bytes(), {}, {.libraries = false, .modules = true});
  REQUIRE(modules);
  CHECK(modules->libraries.empty());
  CHECK(modules->modules == "uuid");
}

TEST_CASE("a file is worth asking if it uses such a function, and nothing is told beyond the budget") {
  const auto opens = may_request(std::string_view("\0puts\0dlopen\0", 13));
  CHECK(opens.libraries);
  CHECK_FALSE(opens.modules);
  const auto runs = may_request(std::string_view("\0PyRun_StringFlags\0", 19));
  CHECK(runs.modules);
  CHECK_FALSE(runs.libraries);
  CHECK_FALSE(may_request(std::string_view("\0my_dlopen\0PyLong_FromLong\0dlopen2\0", 35)).any());
  CodeFile file({"dlopen"});
  file.function();
  file.address(CodeFile::rdi, file.text("libgpu.so.1")).call("dlopen");
  CHECK_FALSE(requests_of(file.bytes(), {.steps = 100}));
  CHECK_FALSE(requests_of(elf({.machine = EM_AARCH64})));
}

TEST_CASE("each name is told once, twenty of them, and only what may be a library") {
  CodeFile file({"dlopen", "dlmopen"});
  file.function();
  std::string wanted;
  for (int i = 0; i < 21; ++i) {
    const auto name = "lib" + std::to_string(i) + ".so";
    file.address(CodeFile::rdi, file.text(name)).call("dlopen");
    file.address(CodeFile::rdi, file.text(name)).call("dlmopen");
    if (i < 20) wanted += (i == 0 ? "" : ", ") + name;
  }
  file.address(CodeFile::rdi, file.text("text")).call("dlopen");
  CHECK(requests_of(file.bytes())->libraries == wanted);
}

TEST_CASE("of modules twenty are told that nothing has imported, of a hundred that are kept") {
  CodeFile file({"PyImport_ImportModule"});
  for (int i = 0; i < 101; ++i) {
    if (i % 50 == 0) file.function();
    file.address(CodeFile::rdi, file.text("m" + std::to_string(i))).call("PyImport_ImportModule");
  }
  Budget budget, of_code;
  MemoryFileSystem files;
  files.add_file("/file", file.bytes());
  const auto image = read_image(**files.open("/file"), budget);
  const auto found = library_requests(MappedBytes(file.bytes()), **image, {}, of_code);
  REQUIRE(found);
  CHECK(found->modules.size() == 100);
  const auto list = found->listed_modules([&](std::string_view name) { return name == "m0"; });
  CHECK(list.starts_with("m1, m2, "));
  CHECK(list.ends_with(", m20"));
}

TEST_CASE("either way of clearing the first argument asks for the program itself") {
  for (const char code : {'\x31', '\x33'}) {
    CodeFile file({"dlopen"});
    file.function();
    file.copy(0, 0).copy(0, 0).copy(0, 0).copy(0, 0).raw({code, '\xff'}).call("dlopen");
    CHECK(requests_of(file.bytes())->libraries.empty());
  }
}

TEST_CASE("a module whose name is computed is told, and each way of importing is one") {
  for (const std::string function : {"PyImport_ImportModule", "PyImport_ImportModuleNoBlock", "PyImport_Import",
                                     "PyImport_ImportModuleLevel", "PyImport_ImportModuleLevelObject"}) {
    CAPTURE(function);
    CodeFile file({function});
    file.function();
    file.load(CodeFile::rdi, CodeFile::variables).call_by_slot(function);
    file.address(CodeFile::rdi, file.text("uuid")).call(function);
    CHECK(requests_of(file.bytes())->modules == "uuid, (its code computes a name)");
    const auto kinds = may_request(function);
    CHECK(kinds.modules);
    CHECK_FALSE(kinds.libraries);
    CHECK(kinds.any());
  }
  for (const std::string function :
       {"PyEval_EvalCode", "PyImport_ExecCodeModule", "PyRun_StringFlags", "PyRun_SimpleStringFlags"}) {
    CAPTURE(function);
    CodeFile file({function});
    file.function();
    file.call(function);
    CHECK(requests_of(file.bytes())->modules == "(it runs Python code of its own)");
    CHECK(may_request(function).modules);
  }
  CHECK(may_request("dlmopen").libraries);
  CHECK_FALSE(may_request("").any());
  const RequestKinds kinds;
  CHECK(kinds.libraries);
  CHECK(kinds.modules);
}

TEST_CASE("the first argument is cleared at most fourteen bytes before the call") {
  const auto opened = [](const std::string& between) {
    CodeFile file({"dlopen"});
    file.function();
    file.copy(0, 0).copy(0, 0).raw("\x31\xff").raw(between).call("dlopen");
    return requests_of(file.bytes())->libraries;
  };
  CHECK(opened("") == "");
  CHECK(opened(std::string(12, '\x90')) == "");
  CHECK(opened(std::string(13, '\x90')) == "(its code computes a name)");
}
