#include "pyimport/compiled/module_initialisation.h"

#include <algorithm>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "binary/constants/mapped_bytes.h"
#include "common/code_file.h"
#include "common/memory_file_system.h"
#include "pyimport/compiled/compiled_imports.h"
#include "pyimport/tests/built_in_rules.h"

using namespace cudald;
using namespace cudald::python;

namespace {

std::optional<ModuleInitialisation> follow(const std::string& bytes) {
  Budget budget;
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file, budget);
  return image ? module_initialisation(MappedBytes(bytes), **image, budget) : std::nullopt;
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
  const std::string_view part = bytes;
  for (const auto& one : compiled_imports({&part, 1}, &*found, test::built_in_rules().arrays, heap))
    names.push_back(one.name);
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

TEST_CASE("texts of which the code that runs takes the address, and not those of other functions") {
  CodeFile file({});
  const auto numpy = file.text("numpy"), attr = file.text("attr"), empty = file.text("");
  file.function();
  file.address(CodeFile::rsi, numpy).address(CodeFile::rsi, empty).load(CodeFile::rdi, CodeFile::variables);
  file.function();
  file.address(CodeFile::rsi, attr);
  const auto bytes = file.bytes();
  const auto found = follow(bytes);
  REQUIRE(found);
  CHECK(found->texts == Views{"numpy"});
  CHECK(found->all_followed);
}

TEST_CASE("of an import in a longer function all loads in front of it may be that of the name") {
  CodeFile file({"PyImport_ImportModuleLevelObject", "PyUnicode_InternInPlace"});
  const auto variable = [](std::uint64_t i) { return CodeFile::variables + 8 * i; };
  file.function();
  file.load(CodeFile::rbx, variable(0)).load(CodeFile::rsi, variable(1)).load(CodeFile::rbx, variable(2));
  file.copy(CodeFile::rdi, CodeFile::rbx).call("PyImport_ImportModuleLevelObject").load(CodeFile::rbx, variable(3));
  file.raw(std::string("\xc6\x44\x24\x20\x08", 5)).call("PyUnicode_InternInPlace");
  const auto found = follow(file.bytes());
  REQUIRE(found);
  CHECK(found->arguments == std::vector<std::uint64_t>{variable(0), variable(2)});
  CHECK(found->lengths == std::string("\xff\xff\xff\xff\x08\0\0\0", 8));
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

TEST_CASE("what a module's body imports outside of conditions is required, in the order of its code") {
  const auto required_by = [](const std::string& besides) {
    CodeFile file({"PyModule_GetDict", "PyImport_ImportModuleLevelObject", besides});
    const auto importer = CodeFile::base + 0x80;
    file.function();
    file.call("PyModule_GetDict").load(CodeFile::rdi, CodeFile::variables + 8).call(importer);
    file.load(CodeFile::rdi, CodeFile::variables).call(importer).call(besides);
    // A register that other calls keep may have been written to in ways that are not seen.
    file.load(CodeFile::rbx, CodeFile::variables + 16).copy(CodeFile::rdi, CodeFile::rbx).call(importer);
    while (file.here() <= importer - 16) file.copy(0, 0);
    CHECK(file.function() == importer);
    file.call("PyImport_ImportModuleLevelObject");
    const auto found = follow(file.bytes());
    REQUIRE(found);
    return found->required;
  };
  CHECK(required_by("PyList_New") == std::vector<std::uint64_t>{CodeFile::variables + 8, CodeFile::variables});
  CHECK(required_by("PyObject_IsTrue").empty());
  CHECK(required_by("_PyThreadState_UncheckedGet").empty());
}

TEST_CASE("a module of Cython 3.0: the names that its code imports, and not the other strings") {
  CodeFile file(
      {"PyModule_GetDict", "PyObject_SetAttr", "PyImport_ImportModuleLevelObject", "PyUnicode_InternFromString"});
  const auto importer = CodeFile::base + 0x80, strings = CodeFile::base + 0xc0;
  // The variables of "__main__", "__name__", "decimal", "yaml.error".
  const auto variable = [](std::uint64_t i) { return CodeFile::unwritten + 8 * i; };
  const auto mark = file.text("cython_runtime");
  file.function();
  file.call("PyModule_GetDict").address(CodeFile::rsi, mark).call(strings);
  file.load(2, variable(0)).load(CodeFile::rsi, variable(1)).call("PyObject_SetAttr");
  file.load(CodeFile::rdi, variable(3)).call(importer);
  while (file.here() <= importer - 16) file.copy(0, 0);
  CHECK(file.function() == importer);
  file.call("PyImport_ImportModuleLevelObject");
  while (file.here() <= strings - 16) file.copy(0, 0);
  CHECK(file.function() == strings);
  std::uint32_t place = 8;
  for (const auto* text : {"__main__", "__name__", "decimal", "yaml.error"}) {
    file.address(CodeFile::rax, file.text(text)).store(place, CodeFile::rax);
    place += 40;
  }
  file.call("PyUnicode_InternFromString");
  const auto bytes = file.bytes();
  const auto found = follow(bytes);
  REQUIRE(found);
  CHECK(found->strings.size() == 4);
  Budget budget;
  Heap heap(budget);
  const std::string_view part = bytes;
  const auto imports = compiled_imports({&part, 1}, &*found, test::built_in_rules().arrays, heap);
  REQUIRE(!imports.empty());
  CHECK(imports[0] == CompiledImport{"yaml.error", ImportProof::called, true});
  for (const auto& one : imports) CHECK(one.name != "decimal");
}

TEST_CASE(
    "what PyInit takes the address of runs if it gives back a definition, and not if it makes the module itself") {
  const auto imported_by = [](const std::string& made_by) {
    CodeFile file({made_by, "PyImport_ImportModule"});
    const auto maker = CodeFile::base + 0x40, other = CodeFile::base + 0x80;
    const auto name = file.text("typing");
    file.function();
    file.address(CodeFile::rsi, other).call(maker);
    while (file.here() <= maker - 16) file.copy(0, 0);
    CHECK(file.function() == maker);
    file.call(made_by);
    while (file.here() <= other - 16) file.copy(0, 0);
    CHECK(file.function() == other);
    file.address(CodeFile::rdi, name).call("PyImport_ImportModule");
    const auto bytes = file.bytes();
    const auto found = follow(bytes);
    REQUIRE(found);
    return found->imported.size();
  };
  CHECK(imported_by("PyModuleDef_Init") == 1);
  CHECK(imported_by("PyModule_Create2") == 0);
}

TEST_CASE("what the modules of a group call first, through the capsule that mypyc makes for them, is followed") {
  const auto imported_by = [](const std::string& capsule) {
    CodeFile file({"PyCapsule_New", "PyImport_ImportModule"});
    const auto json = file.text("json"), name = file.text(capsule);
    const auto first = CodeFile::base + 0x40;
    file.function();
    file.address(CodeFile::rdi, first).address(CodeFile::rsi, name).call("PyCapsule_New");
    while (file.here() <= first - 16) file.copy(0, 0);
    CHECK(file.function() == first);
    file.address(CodeFile::rdi, json).call("PyImport_ImportModule");
    const auto bytes = file.bytes();
    const auto found = follow(bytes);
    REQUIRE(found);
    return std::vector<std::string>(found->imported.begin(), found->imported.end());
  };
  CHECK(imported_by("0a1b__mypyc.ensure_deps") == std::vector<std::string>{"json"});
  CHECK(imported_by("0a1b__mypyc.exec_a").empty());
}

/// How much is imported where all that runs besides is a function at this place, which imports a module of this name.
std::size_t imported_from(CodeFile& file, std::uint64_t body, std::uint64_t name) {
  while (file.here() <= body - 16) file.copy(0, 0);
  CHECK(file.function() == body);
  file.address(CodeFile::rdi, name).call("PyImport_ImportModule");
  const auto bytes = file.bytes();
  const auto found = follow(bytes);
  REQUIRE(found);
  return found->imported.size();
}

TEST_CASE("of a module in several phases the functions of its definition run that create and execute it") {
  const auto imported_by = [](std::uint64_t slot, bool named, bool ended) {
    CodeFile file({"PyModuleDef_Init", "PyImport_ImportModule"});
    const auto body = CodeFile::base + 0x40;
    const auto definition = CodeFile::variables, slots = CodeFile::variables + 0x80;
    const auto json = file.text("json"), name = file.text("made");
    if (named) file.pointer(definition + 40, name);
    file.pointer(definition + 72, slots);
    if (ended) file.pointer(slots - 8, name, 0);
    file.pointer(slots + 8, body, 0);
    // A number stands behind the pointer before it.
    file.pointer(slots - 8, name, slot);
    if (ended) file.pointer(slots - 8, name, 0);
    file.function();
    file.address(CodeFile::rdi, definition).call("PyModuleDef_Init");
    return imported_from(file, body, json);
  };
  CHECK(imported_by(1, true, false) == 1);
  CHECK(imported_by(2, true, false) == 1);
  CHECK(imported_by(3, true, false) == 0);  // Py_mod_multiple_interpreters
  CHECK(imported_by(2, false, false) == 0);
  CHECK(imported_by(2, true, true) == 0);
}

TEST_CASE("a function whose address PyInit loads runs if it gives back a definition") {
  const auto imported_by = [](const std::string& made_by, bool begins) {
    CodeFile file({made_by, "PyImport_ImportModule"});
    const auto body = CodeFile::base + 0x40;
    const auto json = file.text("json");
    file.pointer(CodeFile::variables, begins ? body : body + 4);
    file.function();
    file.load(CodeFile::rsi, CodeFile::variables).call(made_by);
    return imported_from(file, body, json);
  };
  CHECK(imported_by("PyModuleDef_Init", true) == 1);
  CHECK(imported_by("PyModuleDef_Init", false) == 0);
  CHECK(imported_by("PyModule_Create2", true) == 0);
}

TEST_CASE("of an attribute that is set the loads count that are among the six instructions before the call") {
  const auto found = [](int between, int behind) {
    CodeFile file({"PyObject_SetAttr"});
    file.function();
    file.load(2, CodeFile::variables);
    for (int i = 0; i < between; ++i) file.copy(0, 0);
    file.load(CodeFile::rsi, CodeFile::variables + 16);
    for (int i = 0; i < behind; ++i) file.copy(0, 0);
    file.call("PyObject_SetAttr");
    const auto made = follow(file.bytes());
    REQUIRE(made);
    return made->attributes.size();
  };
  CHECK(found(0, 0) == 2);
  CHECK(found(0, 4) == 2);
  CHECK(found(0, 5) == 0);
  CHECK(found(4, 0) == 2);
  CHECK(found(5, 0) == 0);
}

TEST_CASE("of a definition twelve slots are looked at, and the first without a number ends them") {
  const auto is_followed = [](std::uint64_t number, std::uint64_t ended) {
    CodeFile file({"PyModuleDef_Init", "PyImport_ImportModule"});
    const auto body = CodeFile::base + 0x40;
    const auto definition = CodeFile::variables, slots = CodeFile::variables + 0x80;
    const auto json = file.text("json"), name = file.text("made");
    file.pointer(definition + 40, name).pointer(definition + 72, slots);
    // A number stands behind the pointer before it.
    for (std::uint64_t i = 0; i <= number; ++i)
      file.pointer(slots + 16 * i - 8, name, i == ended ? 0 : i == number ? 2 : 3);
    file.pointer(slots + 16 * number + 8, body);
    file.function();
    file.address(CodeFile::rdi, definition).call("PyModuleDef_Init");
    return imported_from(file, body, json) != 0;
  };
  CHECK(is_followed(0, 99));
  CHECK(is_followed(1, 99));
  CHECK_FALSE(is_followed(1, 0));
  CHECK(is_followed(11, 99));
  CHECK_FALSE(is_followed(12, 99));
}

TEST_CASE("each function that is followed is charged, with what is seen of its code") {
  const auto kept = [](bool calls) {
    CodeFile file({"puts"});
    const auto other = CodeFile::base + 0x40;
    file.function();
    if (calls) file.call(other);
    while (file.here() <= other - 16) file.raw("\x90");
    CHECK(file.function() == other);
    file.call("puts");
    const auto bytes = file.bytes();
    Budget budget, own;
    MemoryFileSystem files;
    files.add_file("/file", bytes);
    const auto opened = files.open("/file");
    const auto image = read_image(**opened, budget);
    CHECK(module_initialisation(MappedBytes(bytes), **image, own).has_value());
    return own.cost().kept;
  };
  // "puts" is a name of another file's function.
  CHECK(kept(true) - kept(false) == 128 + 2 * sizeof(CodeStep) + 4 * sizeof(std::string_view));
}

TEST_CASE("a module that SIP wrote is imported with those that its definition lists") {
  const auto modules_of = [](const std::string& own, const std::string& second) {
    CodeFile file({"PyImport_ImportModule"});
    const auto sip = file.text("gui.sip"), strings = file.text("x"), name = file.text(own),
               core = file.text("gui.core"), draw = file.text(second);
    const auto definition = CodeFile::variables, imports = CodeFile::variables + 0x40;
    file.function();
    file.address(CodeFile::rdi, sip).call("PyImport_ImportModule").address(CodeFile::rbx, definition);
    file.pointer(definition + 24, strings);
    file.pointer(definition + 32, imports);
    file.pointer(imports, core);
    file.pointer(imports + 32, draw);
    auto bytes = file.bytes();
    // What stands before the strings: an address of none, a version, and where the name is in them.
    const auto at = bytes.size() - (CodeFile::end - definition) + 12;
    bytes[at] = static_cast<char>(name - strings);
    const auto found = follow(bytes);
    REQUIRE(found);
    std::vector<std::string> all;
    for (const auto one : found->of_sip) all.emplace_back(one);
    Budget budget;
    Heap heap(budget);
    const std::string_view part = bytes;
    for (const auto& one : compiled_imports({&part, 1}, &*found, test::built_in_rules().arrays, heap))
      if (one.required) all.push_back("required " + one.name);
    return all;
  };
  CHECK(modules_of("gui.made", "gui.draw") ==
        std::vector<std::string>{"gui.core", "gui.draw", "required gui.core", "required gui.draw"});
  CHECK(modules_of("gui.other", "gui.draw").empty());  // not the module's own name
  CHECK(modules_of("gui.made", "-").size() == 2);
}
