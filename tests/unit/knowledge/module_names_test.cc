#include "knowledge/module_names.h"

#include <doctest/doctest.h>

#include "knowledge/known_packages.h"

using namespace cudald;

TEST_CASE("a module that is not called like its distribution leads to it") {
  CHECK(distribution_called_otherwise("bs4") == "beautifulsoup4");
  CHECK(distribution_called_otherwise("Crypto") == "pycryptodome");
  CHECK(distribution_called_otherwise("win32api") == "pywin32");  // by a .pth file
  CHECK(distribution_called_otherwise("umap") == "umap-learn");
  CHECK(distribution_called_otherwise("requests").empty());  // is called like it
  CHECK(distribution_called_otherwise("tests").empty());     // anyone's
  CHECK(distribution_called_otherwise("no_such_module").empty());
}

TEST_CASE("of a part of a module the distribution of the whole is known, and other tables come first") {
  CHECK(distribution_of_module("Crypto.Cipher") == "pycryptodome");
  CHECK(distribution_of_module("cv2") == "opencv-python");
  CHECK(distribution_of_module("docx") == "python-docx");
  CHECK(distribution_of_module("whisper") == "openai-whisper");
  CHECK(distribution_of_module("clip").empty());  // of no package of the index
}
