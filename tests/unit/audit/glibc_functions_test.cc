#include <doctest/doctest.h>

#include "audit/glibc_functions.h"

namespace cudald {
namespace {

TEST_CASE("what glibc has and musl does not, and the package of Alpine that provides it") {
  for (const auto* name : {"backtrace", "__strncpy_chk", "gnu_get_libc_version", "mallinfo", "fts_open"})
    CHECK_MESSAGE(is_glibc_only(name), name);
  for (const auto* name : {"malloc", "printf", "dlopen", "qsort_r", "statx", "PyList_New", ""})
    CHECK_MESSAGE(!is_glibc_only(name), name);
  CHECK(alpine_package_of("backtrace")->name == "libexecinfo-dev");
  CHECK(alpine_package_of("backtrace")->until == "3.16");
  CHECK(alpine_package_of("fts_open")->library == "libfts");
  CHECK_FALSE(alpine_package_of("mallinfo"));
  CHECK(glibc_functions_source().find("glibc 2.") != std::string::npos);
}

}  // namespace
}  // namespace cudald
