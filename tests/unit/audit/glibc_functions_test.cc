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

TEST_CASE("the release with which a function came to musl, and the Alpine that has it") {
  CHECK(musl_release_of("pthread_getname_np")->musl == "1.2.3");
  CHECK(musl_release_of("pthread_getname_np")->alpine == "3.16");
  CHECK(musl_release_of("copy_file_range")->alpine == "3.11");
  CHECK(musl_release_of("statx")->source.find("musl") != std::string::npos);
  for (const auto* name : {"malloc", "pthread_create", "backtrace", ""}) CHECK_MESSAGE(!musl_release_of(name), name);
  for (const auto* name : {"statx", "gettid", "_Fork"}) CHECK_MESSAGE(!is_glibc_only(name), name);
}

}  // namespace
}  // namespace cudald
