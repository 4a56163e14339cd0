#include "python/compiled_imports.h"

#include <doctest/doctest.h>

#include "cython_module.h"

using namespace cudald;
using namespace cudald::python;
using cudald::test::Texts;

namespace {

using Imports = std::vector<CompiledImport>;
constexpr auto certain = ImportProof::certain, likely = ImportProof::likely, package = ImportProof::package,
               probable = ImportProof::probable, possible = ImportProof::possible;

Imports read(const std::string& bytes) {
  Budget budget;
  Heap heap(budget);
  const std::string_view part = bytes;
  return compiled_imports({&part, 1}, nullptr, heap);
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
  CHECK_THROWS_AS(compiled_imports({&part, 1}, nullptr, heap), Exhausted);
}
