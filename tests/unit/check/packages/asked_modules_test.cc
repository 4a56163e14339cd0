#include "check/packages/asked_modules.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

using namespace cudald;

namespace {

std::string part_of(const std::string& missing, const std::string& line) {
  MemoryFileSystem files;
  files.add_file("/a.py", "import os\n" + line + "\n");
  Import import;
  import.module = "a";
  return part_asked_for({missing, "/a.py:2", true}, import, files);
}

}  // namespace

TEST_CASE("the line of an import names the part of a shared directory that is needed") {
  CHECK(part_of("google", "from google.cloud import storage") == "google.cloud.storage");
  CHECK(part_of("google", "from google.cloud import storage as s, nothing_known") == "google.cloud.storage");
  CHECK(part_of("google", "from google.cloud import (nothing_known, storage)") == "google.cloud.storage");
  CHECK(part_of("google.cloud", "import google.cloud.storage as s") == "google.cloud.storage");
  CHECK(part_of("azure", "from azure.nothing.known import Class") == "azure.nothing.known");
  CHECK(part_of("azure", "import azure.nothing.known, json") == "azure.nothing.known");
}

TEST_CASE("where the line does not say more the module is what is missing") {
  CHECK(part_of("google", "google = __import__('google')") == "google");
  CHECK(part_of("google", "import google") == "google");
  CHECK(part_of("google", "import googleapis.x") == "google");
  CHECK(part_of("google", "") == "google");
  MemoryFileSystem files;
  Import import;
  CHECK(part_asked_for({"google", "/absent.py:2", true}, import, files) == "google");
  CHECK(part_asked_for({"google", "", true}, import, files) == "google");
  import.module = "google.cloud.storage";
  CHECK(part_asked_for({"google", "", true}, import, files) == "google.cloud.storage");
}
