#include "pyimport/compiled/compiled_imports.h"

#include <doctest/doctest.h>

#include "pyimport/tests/built_in_rules.h"
#include "pyimport/tests/cython_module.h"

using namespace cudald;
using namespace cudald::python;
using cudald::test::Texts;

namespace {

using Imports = std::vector<CompiledImport>;
constexpr auto called = ImportProof::called, certain = ImportProof::certain, likely = ImportProof::likely,
               package = ImportProof::package, probable = ImportProof::probable, possible = ImportProof::possible;

Imports read(const std::string& bytes, const ModuleInitialisation* code = nullptr) {
  Budget budget;
  Heap heap(budget);
  const std::string_view part = bytes;
  return compiled_imports({&part, 1}, code, test::built_in_rules().arrays, heap);
}

/// Each text between two zero bytes.
std::string alone(const Texts& texts) {
  std::string bytes(1, '\0');
  for (const auto& text : texts) bytes += text + '\0';
  return bytes;
}

bool has(const Imports& imports, const CompiledImport& wanted) {
  return std::find(imports.begin(), imports.end(), wanted) != imports.end();
}

constexpr std::uint64_t main_variable = 0x1000;

/// Code that sets `__name__` to "__main__", and hands on what is in these variables, counted from that of "__main__".
ModuleInitialisation code_of(const StringTable& strings, const std::vector<std::int64_t>& arguments,
                             const std::vector<std::int64_t>& required = {}) {
  ModuleInitialisation code;
  const auto place = [](std::int64_t i) { return main_variable + static_cast<std::uint64_t>(8 * i); };
  for (const auto i : arguments) code.arguments.push_back(place(i));
  for (const auto i : required) code.required.push_back(place(i));
  // Of two attributes that are set the other lies as far off, in the other direction.
  code.attributes = {{main_variable - 8, main_variable}, {main_variable + 8, main_variable}};
  code.strings = strings;
  return code;
}

bool names(const Imports& imports, std::string_view name) {
  return std::any_of(imports.begin(), imports.end(), [&](const auto& import) { return import.name == name; });
}

}  // namespace

TEST_CASE("cffi's and mypyc's modules import the ones they are made to import") {
  CHECK(read(alone({"_cffi_backend", "printf"})) == Imports{{"_cffi_backend", certain}});
  CHECK(read(alone({"coincurve._cffi_backend"})) == Imports{{"coincurve._cffi_backend", certain}});
  CHECK(read(alone({"PyInit__cffi_backend", "_cffi_backend"})).empty());
  CHECK(read(alone({"c787785866c7b801238d__mypyc"})) == Imports{{"c787785866c7b801238d__mypyc", certain}});
  CHECK(!has(read(alone({"__mypyc"})), {"__mypyc", certain}));
}

TEST_CASE("a capsule's module is imported, and in Rust no zero follows its name") {
  CHECK(read("jsondatetime.datetime_CAPIuuid") == Imports{{"datetime", likely}});
  CHECK(has(read(alone({"cython_runtime", "datetime.datetime_CAPI"})), {"datetime", certain}));
  CHECK(has(read(alone({"bitarray._bitarray._C_API"})), {"bitarray", likely}));
}

TEST_CASE("numpy's older capsule is asked for only where the other is absent") {
  CHECK(read(alone({"numpy.core._multiarray_umath", "numpy._core._multiarray_umath"})) ==
        Imports{{"numpy._core._multiarray_umath", likely}});
  CHECK(read(alone({"numpy.core._multiarray_umath"})) == Imports{{"numpy.core._multiarray_umath", probable}});
}

TEST_CASE("texts of C code: full names, and plain ones of Cython alone") {
  const auto plain = read(alone({"a.b", "decimal", "no name", "3.d", "a..b", "a.", ".a", "numpy.lib"}));
  CHECK(plain == Imports{{"a.b", probable}});
  const auto cython =
      read(alone({"cython_runtime", "a.b", "inspect", "numpy", "collections.abc", "asyncio.coroutines"}));
  CHECK(has(cython, {"a.b", certain}));
  CHECK(has(cython, {"inspect", likely}));
  CHECK(has(cython, {"numpy", package}));
  CHECK(!names(cython, "collections.abc"));
  CHECK(!names(cython, "asyncio.coroutines"));
}

TEST_CASE("strings of a Cython module: identifiers, and full names of relative imports") {
  const auto strings = test::table({"", "a text that is long enough to be known as one", "pkg.part", "collections.abc"},
                                   {"asyncio.coroutines", "hashlib", "os.path", "x"});
  const auto front = test::cython_mark + test::joined(strings);
  const auto imports = read(front + test::lengths(strings, front.size()));
  CHECK(has(imports, {"hashlib", possible}));
  CHECK(has(imports, {"os.path", possible}));
  CHECK(has(imports, {"pkg.part", probable}));
  CHECK(!names(imports, "collections.abc"));
  CHECK(!names(imports, "asyncio.coroutines"));
  CHECK(!names(imports, "x"));
  CHECK(!names(imports, "zlib"));
}

TEST_CASE("each name once, and no text is read behind the end") {
  CHECK(read(alone({"a.b", "a.b"})) == Imports{{"a.b", probable}});
  CHECK(read(std::string("\0a.b", 4)).empty());
  CHECK(read("").empty());
}

TEST_CASE("what costs more than the budget is given up") {
  Budget budget({.kept = 1000});
  Heap heap(budget);
  Texts texts;
  for (int i = 0; i < 100; ++i) texts.push_back("a.b" + std::to_string(i));
  const auto bytes = alone(texts);
  const std::string_view part = bytes;
  CHECK_THROWS_AS(compiled_imports({&part, 1}, nullptr, test::built_in_rules().arrays, heap), Exhausted);
}

TEST_CASE("what Cython adds to some modules is imported at once, by the new Cython alone") {
  for (const auto* name : {"inspect", "types", "weakref", "datetime"}) {
    CAPTURE(name);
    CHECK(has(read(alone({"cython_runtime", name})), {name, likely}));
    CHECK(has(read(alone({"cython_runtime", "__main__", name})), {name, package}));
    CHECK(read(alone({name})).empty());
  }
  CHECK(has(read(alone({"cython_runtime", "asyncio"})), {"asyncio", package}));
}

TEST_CASE("of full names in C code those that are used later are none, and in Cython's the others are certain") {
  for (const auto* name : {"asyncio.coroutines", "collections.abc", "numpy._core", "numpy.core", "numpy.lib"}) {
    CAPTURE(name);
    CHECK(read(alone({name})).empty());
    CHECK_FALSE(names(read(alone({"cython_runtime", name})), name));
  }
  CHECK(read(alone({"numpy.linalg"})) == Imports{{"numpy.linalg", probable}});
  CHECK(has(read(alone({"cython_runtime", "numpy._core._multiarray_umath"})),
            {"numpy._core._multiarray_umath", certain}));
}

TEST_CASE("a capsule's name ends with CAPI or C_API behind a dot") {
  CHECK(has(read(alone({"a.b.xCAPI"})), {"a", likely}));
  CHECK(has(read(alone({"a.C_API"})), {"a", likely}));
  CHECK(has(read(alone({"a.C_API"})), {"a.C_API", probable}));
  CHECK(read(alone({"CAPI", "C_API"})).empty());
  CHECK(read(alone({"a.CAPIs"})) == Imports{{"a.CAPIs", probable}});
  CHECK(has(read(alone({"cython_runtime", "a.C_API"})), {"a", certain}));
}

TEST_CASE("a group of mypyc has a name without dots, which may begin with a digit") {
  CHECK(read(alone({"7c__mypyc"})) == Imports{{"7c__mypyc", certain}});
  CHECK(read(alone({"7c.8__mypyc"})).empty());
  CHECK(read(alone({"c7.c8__mypyc"})) == Imports{{"c7.c8__mypyc", probable}});
  CHECK(read(alone({"__mypyc"})).empty());
  CHECK(read(alone({"7c__mypyc_"})).empty());
}

TEST_CASE("of what code gives to imports names alone are taken, each once, before the capsules") {
  ModuleInitialisation code;
  const std::string longest = "a." + std::string(198, 'b'), longer = longest + 'b';
  code.imported = {"json",  "x",    "ab",  "__main__", "a..b", "3a", "numpy.core._multiarray_umath",
                   longest, longer, "json"};
  code.capsules = {"datetime.datetime_CAPI", "json.C_API"};
  const auto bytes = alone({"numpy._core._multiarray_umath", "some.text"});
  CHECK(read(bytes, &code) == Imports{{"json", called}, {"ab", called}, {longest, called}, {"datetime", called}});
  // Where the newer numpy is not named the older one is asked for.
  CHECK(has(read("", &code), {"numpy.core._multiarray_umath", called}));
}

TEST_CASE("what Rust's code gives to imports is not told apart, and its texts are taken instead") {
  ModuleInitialisation code;
  code.imported = {"json"};
  CHECK(read("RUST_BACKTRACE" + alone({"a.b"}), &code) == Imports{{"a.b", probable}});
  CHECK(read(alone({"a.b"}), &code) == Imports{{"json", called}});
}

TEST_CASE("of the functions that Cython adds those that are for pickles import it when they are called") {
  ModuleInitialisation code;
  code.imported = {"pickle", "json"};
  CHECK_FALSE(has(read(alone({"cython_runtime"}), &code), {"pickle", called}));
  CHECK(has(read(alone({"cython_runtime"}), &code), {"json", called}));
  CHECK(read("", &code) == Imports{{"pickle", called}, {"json", called}});
}

TEST_CASE("of Cython's older strings those are imported whose variables code hands on") {
  const std::string texts = alone({"json", "__main__", "__name__", "decimal", "x"});
  const auto view = [&](std::string_view text) {
    return std::string_view(texts).substr(texts.find(text), text.size());
  };
  const StringTable strings{
      {-1, view("json")}, {0, view("__main__")}, {1, view("__name__")}, {2, view("decimal")}, {3, view("x")}};
  auto code = code_of(strings, {-1, 9, 3}, {2, 3, 0});
  code.arguments.push_back(main_variable + 8 * 2 + 4);  // no variable of the table
  CHECK(read(texts, &code) == Imports{{"decimal", called, true}, {"json", called, false}});
  // A name that is required and handed on is so once.
  const auto both = code_of(strings, {2}, {2});
  CHECK(read(texts, &both) == Imports{{"decimal", called, true}});
  auto elsewhere = code_of(strings, {-1}, {2});
  elsewhere.attributes = {{main_variable + 16, main_variable}};  // no `__name__`
  CHECK(read(texts, &elsewhere).empty());
  auto nameless = code_of({{0, "__main__"}, {2, view("decimal")}}, {2}, {2});
  CHECK(read(texts, &nameless).empty());
}

TEST_CASE("texts that are strings of the table are no texts of C code") {
  const std::string texts = alone({"cython_runtime", "a.b", "c.d", "__main__", "__name__"});
  const auto view = [&](std::string_view text) {
    return std::string_view(texts).substr(texts.find(text), text.size());
  };
  const StringTable strings{{-1, view("a.b")}, {0, view("__main__")}, {1, view("__name__")}};
  const auto code = code_of(strings, {-1});
  CHECK(read(texts, &code) == Imports{{"a.b", called}, {"cython_runtime", package}, {"c.d", certain}});
  const auto without = code_of(strings, {});
  CHECK(has(read(texts, &without), {"a.b", certain}));
}

TEST_CASE("of Cython's new strings those come first that code hands on, and then no others") {
  const auto strings =
      test::table({"", "a text that is long enough to be known as one", "pkg.part"}, {"hashlib", "os"});
  const auto front = test::cython_mark + test::joined(strings);
  const auto bytes = front + test::lengths(strings, front.size());
  CHECK(has(read(bytes), {"os", possible}));
  CHECK(has(read(bytes), {"pkg.part", probable}));
  // "__main__", "__module__", "__name__", "__test__", "hashlib", "os"
  auto code = code_of({}, {5}, {4});
  code.attributes = {{main_variable + 16, main_variable}};
  const Imports wanted{{"hashlib", called, true}, {"os", called}, {"cython_runtime", package}};
  CHECK(read(bytes, &code) == wanted);
  // Two other names that are as far apart, from where the imports would be of nothing, or of what is no module.
  for (const auto other : {main_variable + 0x800, main_variable + 48}) {
    code.attributes = {{other + 16, other}, {main_variable + 16, main_variable}};
    CHECK(read(bytes, &code) == wanted);
    std::swap(code.attributes[0], code.attributes[1]);
    CHECK(read(bytes, &code) == wanted);
  }
  const auto nothing = code_of({}, {});
  CHECK(has(read(bytes, &nothing), {"os", possible}));
}

TEST_CASE("of Cython's new strings code may hold the lengths, and hand on as well") {
  const auto strings = test::table({"", "a text that is long enough to be known as one"}, {"hashlib", "os"});
  const auto bytes = test::cython_mark + test::zlib_mark + test::stored(test::joined(strings));
  auto code = code_of({}, {4});
  code.attributes = {{main_variable + 16, main_variable}};
  CHECK(!has(read(bytes, &code), {"hashlib", called}));
  code.lengths = test::lengths(strings, 0);
  CHECK(has(read(bytes, &code), {"hashlib", called}));
  CHECK(!names(read(bytes, &code), "os"));
}

TEST_CASE("a plain text of C is an import's where code that runs takes its address, if all of that is known") {
  const auto bytes = alone({"cython_runtime", "attr", "numpy"});
  const auto proof_of_attr = [&](const StringTable& strings, bool all_followed) {
    auto code = code_of(strings, {});
    code.texts = {std::string_view(bytes).substr(bytes.find("numpy"), 5)};
    code.all_followed = all_followed;
    const auto imports = read(bytes, &code);
    CHECK(has(imports, {"numpy", package}));
    CHECK(names(imports, "attr"));
    return has(imports, {"attr", package}) ? package : possible;
  };
  const StringTable table{{0, "__main__"}, {1, "__name__"}};
  CHECK(proof_of_attr(table, true) == possible);
  CHECK(proof_of_attr(table, false) == package);
  CHECK(proof_of_attr({}, true) == package);
}

TEST_CASE("of Cython's new strings only full names are taken where they are texts") {
  const auto strings =
      test::table({"", "Plain", "numpy.lib", "pkg.part", "z text that is long enough to be one"}, {"re"});
  const auto front = test::cython_mark + test::joined(strings);
  const auto imports = read(front + test::lengths(strings, front.size()));
  CHECK(imports == Imports{{"cython_runtime", package},
                           {"__module__", possible},
                           {"__name__", possible},
                           {"__test__", possible},
                           {"re", possible},
                           {"pkg.part", probable}});
}

TEST_CASE("zlib is imported to inflate the strings, and for nothing else") {
  const auto strings = test::table({"", "a text", "b text", "c text"}, {"os"});
  const auto with_zlib = test::cython_mark + test::zlib_mark + test::stored(test::joined(strings));
  CHECK(has(read(with_zlib + test::lengths(strings, with_zlib.size())), {"zlib", certain}));
  CHECK(has(read(with_zlib + test::lengths(strings, with_zlib.size())), {"os", possible}));
  const auto without = test::cython_mark + test::zlib_mark + test::joined(strings);
  CHECK_FALSE(names(read(without + test::lengths(strings, without.size())), "zlib"));
}

TEST_CASE("two of these are the same if name, proof and need are") {
  const CompiledImport one{"a", certain, true};
  CHECK(one == CompiledImport{"a", certain, true});
  CHECK_FALSE(one == CompiledImport{"b", certain, true});
  CHECK_FALSE(one == CompiledImport{"a", likely, true});
  CHECK_FALSE(one == CompiledImport{"a", certain, false});
}

TEST_CASE("what is looked at to find names of modules, and kept of them, is charged") {
  const auto charged = [](const std::string& bytes, const ModuleInitialisation* code) {
    Budget budget;
    Heap heap(budget);
    const std::string_view part = bytes;
    (void)compiled_imports({&part, 1}, code, test::built_in_rules().arrays, heap);
    return std::to_string(budget.cost().steps) + " " + std::to_string(budget.cost().kept);
  };
  CHECK(charged("", nullptr) == "0 0");
  CHECK(charged(std::string(64'000, 'x'), nullptr) == "8000 0");
  CHECK(charged(alone({"a.b"}), nullptr) == "0 150");
  CHECK(charged(alone({"a.b", "a.bc", "other text"}), nullptr) == "2 302");
  ModuleInitialisation imported;
  imported.imported = {"json", "uuid", "a..b"};
  CHECK(charged("", &imported) == "3 176");
  const auto code = code_of({{0, "__main__"}, {1, "__name__"}, {2, "decimal"}}, {2}, {2});
  CHECK(charged("", &code) == "130 286");
}
