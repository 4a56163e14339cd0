#include "session/file_of_message.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string file_named_by(const std::string& text) {
  MemoryFileSystem files;
  for (const auto* path : {"/opt/a.so", "/opt/libb.so.1", "/opt/app", "/w/build/c.node", "/Program Files/x y/D.dll",
                           "/php/ext/php_intl.dll", "/php/php.exe", "/m/+cv/C_.mexw64", "/d/e.duckdb_extension"})
    files.add_file(path, "MZ");
  files.add_file("/php/php.ini", "[php]");
  return file_of_message(text, files, "/w");
}

TEST_CASE("the file that a message names is one that is there, a library before a program") {
  CHECK(file_named_by("/opt/app: error: /opt/none.so, /opt/a.so: undefined symbol: f") == "/opt/a.so");
  CHECK(file_named_by("Can't open lib '/opt/libb.so.1' : file not found") == "/opt/libb.so.1");
  CHECK(file_named_by("exec /opt/app: no such file or directory") == "/opt/app");
  CHECK(file_named_by("Error: ./build/c.node: cannot open") == "/w/build/c.node");
  CHECK(file_named_by("/opt/libb.so.1: version `V' not found (required by /opt/a.so)") == "/opt/a.so");
  CHECK(file_named_by("a.so: cannot open shared object file") == "");
}

TEST_CASE("a path of Windows may have blanks, doubled backslashes, other case and a mark before it") {
  CHECK(file_named_by("Extension \"C:\\d\\e.duckdb_extension\" could not be loaded") == "/d/e.duckdb_extension");
  CHECK(file_named_by("\\\\?\\C:\\program files\\X y\\d.dll is no module") == "/Program Files/x y/D.dll");
  CHECK(file_named_by("(tried: C:\\\\php\\\\ext\\\\php_intl.dll (not found)") == "/php/ext/php_intl.dll");
  CHECK(file_named_by("C:/php/php.exe stopped") == "/php/php.exe");
  CHECK(file_named_by("Invalid MEX-file 'C:\\m\\+cv\\C_.mexw64':") == "/m/+cv/C_.mexw64");
  CHECK(file_named_by("read C:\\php\\php.ini of C:\\php\\php.exe") == "/php/php.exe");
  CHECK(file_named_by("C:\\php\\none.dll, D:\\php\\ext\\php_intl.dll") == "");
}

TEST_CASE("a DLL that is named without a directory lies beside the program") {
  MemoryFileSystem files;
  for (const auto* path : {"/app/x.exe", "/app/libraw.dll", "/app/raw.dll", "/other/y.dll"}) files.add_file(path, "MZ");
  CHECK(dll_beside("Unable to load 'LibRaw.dll' - error 126", "/app/x.exe", files) == "/app/libraw.dll");
  CHECK(dll_beside("raw.dll: error 126", "/app/x.exe", files) == "/app/raw.dll");
  CHECK(dll_beside("Unable to load y.dll", "/app/x.exe", files) == "");
  CHECK(dll_beside("D:\\old\\raw.dll", "/app/x.exe", files) == "");
  CHECK(dll_beside("x.exe stopped", "/app/x.exe", files) == "");
}

std::string place_told_by(const std::string& text) {
  MemoryFileSystem files;
  for (const auto* path :
       {"/usr/lib/security/pam_x.so", "/ws/lib/liby.so", "/opt/lib64/z/libz.so", "/opt/other/libo.so"})
    files.add_file(path, "");
  const auto misplaced = misplaced_file(text, files, "/ws");
  return misplaced ? misplaced->named + " is " + misplaced->path : "";
}

TEST_CASE("a library of another release of what lies in /opt, and the settings that name the one that is gone") {
  MemoryFileSystem files;
  files.add_file("/opt/rocm-3.10.0/opencl/lib/libcl.so", "");
  files.add_file("/opt/other-3/opencl/lib/libno.so", "");
  files.add_file("/etc/OpenCL/vendors/other.icd", "libcl.so\n");
  const std::string named = "/opt/rocm-3.1.0/opencl/lib/x86_64/libcl.so";
  const auto told = [&](const std::string& text) {
    const auto found = misplaced_file(text, files, "/");
    return found ? found->path + "|" + found->settings : "";
  };
  CHECK(told(named + ": cannot open") == "/opt/rocm-3.10.0/opencl/lib/libcl.so|");
  files.add_file("/etc/OpenCL/vendors/rocm.icd", named + "\n");
  CHECK(told(named + ": cannot open") == "/opt/rocm-3.10.0/opencl/lib/libcl.so|/etc/OpenCL/vendors/rocm.icd");
  CHECK(told("/opt/rocm-3.1.0/opencl/lib/libno.so: cannot open") == "");
  CHECK(told("/srv/rocm-3.1.0/opencl/lib/libcl.so: cannot open") == "");
}

TEST_CASE("a program may open a library, whatever its name on Windows, and no program or text") {
  MemoryFileSystem files;
  for (const auto* path : {"/m/C_.mexw64", "/m/x.exe", "/m/app"}) files.add_file(path, "MZ");
  files.add_file("/m/php.ini", "[php]");
  files.add_file("/m/script", "#!/bin/sh");
  for (const auto* path : {"/m/C_.mexw64", "/m/libx.so.1", "/m/y.node"}) CHECK(may_be_opened(path, files));
  for (const auto* path : {"/m/x.exe", "/m/X.EXE", "/m/php.ini", "/m/script"}) CHECK_FALSE(may_be_opened(path, files));
}

TEST_CASE("a library that is not where a message names it is looked for in the directories around") {
  CHECK(place_told_by("dlopen(/lib/security/pam_x.so)") == "/lib/security/pam_x.so is /usr/lib/security/pam_x.so");
  CHECK(place_told_by("/ws/lib/lib/liby.so: cannot open") == "/ws/lib/lib/liby.so is /ws/lib/liby.so");
  CHECK(place_told_by("./lib/plugins/liby.so: cannot open") == "/ws/lib/plugins/liby.so is /ws/lib/liby.so");
  CHECK(place_told_by("/opt/lib/z/libz.so: cannot open") == "/opt/lib/z/libz.so is /opt/lib64/z/libz.so");
  CHECK(place_told_by("/opt/one/libo.so: cannot open") == "/opt/one/libo.so is /opt/other/libo.so");
  CHECK(place_told_by("/ws/lib/liby.so: undefined symbol: f") == "");
  CHECK(place_told_by("/ws/none.so, liby.so: cannot open") == "");
}

TEST_CASE("Lua says which program could not load a module") {
  MemoryFileSystem files;
  files.add_file("/usr/bin/lua", "");
  const std::string rest = "error loading module 'lfs' from file '/usr/local/lib/lua/5.1/lfs.so':";
  CHECK(program_of_message("/usr/bin/lua: " + rest, files) == "/usr/bin/lua");
  CHECK(program_of_message("lua: x.lua:1: " + rest, files) == "/usr/bin/lua");
  CHECK(program_of_message("luajit: " + rest, files) == "");
  CHECK(program_of_message("a lua: " + rest, files) == "");
  CHECK(program_of_message(rest, files) == "");
  CHECK(program_of_message("lua: cannot open x.lua", files) == "");
}

}  // namespace
}  // namespace cudald
