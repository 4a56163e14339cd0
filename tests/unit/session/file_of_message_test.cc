#include "session/file_of_message.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string file_named_by(const std::string& text) {
  MemoryFileSystem files;
  for (const auto* path : {"/opt/a.so", "/opt/libb.so.1", "/opt/app", "/w/build/c.node", "/Program Files/x y/D.dll",
                           "/php/ext/php_intl.dll", "/php/php.exe"})
    files.add_file(path, "");
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
  CHECK(file_named_by("\\\\?\\C:\\program files\\X y\\d.dll is no module") == "/Program Files/x y/D.dll");
  CHECK(file_named_by("(tried: C:\\\\php\\\\ext\\\\php_intl.dll (not found)") == "/php/ext/php_intl.dll");
  CHECK(file_named_by("C:/php/php.exe stopped") == "/php/php.exe");
  CHECK(file_named_by("C:\\php\\none.dll, D:\\php\\ext\\php_intl.dll") == "");
}

}  // namespace
}  // namespace cudald
