#include "python/module_initialisation.h"

#include <algorithm>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/code_file.h"
#include "common/memory_file_system.h"
#include "image/readers.h"
#include "python/compiled_imports.h"

using namespace cudald;
using namespace cudald::python;

namespace {

std::optional<ModuleInitialisation> follow(const std::string& bytes) {
  Budget budget;
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file, budget);
  return image ? module_initialisation(bytes, **image, budget) : std::nullopt;
}

using Views = std::vector<std::string_view>;

}  // namespace

TEST_CASE("what the code that PyInit reaches gives to the import, and nothing of other functions") {
  CodeFile file({"PyImport_ImportModule", "PyCapsule_Import"});
  const auto json = file.text("json"), uuid = file.text("uuid"), date = file.text("datetime.datetime_CAPI"),
             typing = file.text("typing");
  file.function();
  const auto helper = CodeFile::base + 0x40, importer = CodeFile::base + 0x80;
  file.address(CodeFile::rdi, date).call("PyCapsule_Import").call(helper);
  while (file.here() <= helper - 16) file.copy(0, 0);
  CHECK(file.function() == helper);
  file.address(CodeFile::rbx, json).call("PyCapsule_Import").copy(CodeFile::rdi, CodeFile::rbx);
  file.call("PyImport_ImportModule").address(CodeFile::rsi, typing).call(importer);
  while (file.here() <= importer - 16) file.copy(0, 0);
  CHECK(file.function() == importer);
  file.copy(CodeFile::rdi, CodeFile::rsi).call("PyImport_ImportModule");
  file.function();
  file.address(CodeFile::rdi, uuid).call("PyImport_ImportModule");
  const auto bytes = file.bytes();
  const auto found = follow(bytes);
  REQUIRE(found);
  CHECK(found->imported == Views{"json", "typing"});
  CHECK(found->capsules == Views{"datetime.datetime_CAPI"});
  Budget budget;
  Heap heap(budget);
  std::vector<std::string> names;
  for (const auto& one : compiled_imports(bytes, &*found, heap)) names.push_back(one.name);
  CHECK(names == std::vector<std::string>{"json", "typing", "datetime"});
}

TEST_CASE("variables of which arguments are loaded, and those of attributes that are set") {
  CodeFile file({"PyObject_SetAttr"});
  file.function();
  file.load(2, CodeFile::variables).load(CodeFile::rsi, CodeFile::variables + 16);
  file.load(CodeFile::rdi, CodeFile::variables + 64).call("PyObject_SetAttr");
  const auto found = follow(file.bytes());
  REQUIRE(found);
  CHECK(found->arguments == std::vector<std::uint64_t>{CodeFile::variables + 64});
  const std::pair<std::uint64_t, std::uint64_t> wanted(CodeFile::variables + 16, CodeFile::variables);
  CHECK(std::find(found->attributes.begin(), found->attributes.end(), wanted) != found->attributes.end());
  CHECK_FALSE(follow(std::string(200, 'x')));
}

TEST_CASE("a name that is made a text of Python's first, and names that code computes") {
  CodeFile file({"PyUnicode_FromString", "PyImport_ImportModuleLevelObject", "PyObject_Str"});
  const auto binascii = file.text("binascii");
  file.function();
  file.address(CodeFile::rdi, binascii).call("PyUnicode_FromString").copy(CodeFile::rbx, CodeFile::rax);
  file.copy(CodeFile::rdi, CodeFile::rbx).call("PyImport_ImportModuleLevelObject");
  const auto bytes = file.bytes();  // where the names lie
  const auto made = follow(bytes);
  REQUIRE(made);
  CHECK(made->imported == Views{"binascii"});
  CHECK_FALSE(made->computes_names);
  file.call("PyObject_Str").copy(CodeFile::rdi, CodeFile::rax).call("PyImport_ImportModuleLevelObject");
  const auto longer = file.bytes();
  const auto computed = follow(longer);
  REQUIRE(computed);
  CHECK(computed->imported == Views{"binascii"});
  CHECK(computed->computes_names);
}
