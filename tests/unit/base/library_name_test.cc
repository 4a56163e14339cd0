#include "base/library_name.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a shared library of Linux ends with .so, or with a version behind it") {
  for (const auto* name : {"libz.so", "libz.so.1", "libz.so.1.2.13", "libcrypto.so.1.1.1k", "a.SO",
                           "_C.cpython-311-x86_64-linux-gnu.so", "libgomp-a34b3233.so.1.0.0", "x.so.0.so"}) {
    CAPTURE(name);
    CHECK(is_elf_library_name(name));
    CHECK(is_library_name(name));
  }
  for (const auto* name :
       {"", "so", "libz.so.", "libz.so.gz", "a.so.txt", "libz.so.1.debug", "libz.so.1.", "a.sox", "a.so1", "a.dll"}) {
    CAPTURE(name);
    CHECK_FALSE(is_elf_library_name(name));
  }
}

TEST_CASE("DLLs and programs of Windows are known in any case") {
  CHECK(is_dll_name("c10.dll"));
  CHECK(is_dll_name("C10.DLL"));
  CHECK(is_dll_name("_C.cp311-win_amd64.pyd"));
  CHECK_FALSE(is_dll_name("t.exe"));
  CHECK_FALSE(is_dll_name("dll"));
  CHECK(is_exe_name("T32.exe"));
  CHECK_FALSE(is_exe_name("exe"));
  CHECK(is_library_name("t.exe"));
  CHECK_FALSE(is_library_name("dll.txt"));
}

}  // namespace
}  // namespace cudald
