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

TEST_CASE("a part of a directory that distributions share leads to the one that brings it") {
  CHECK(distribution_of_module("google.cloud.storage.blob") == "google-cloud-storage");
  CHECK(distribution_of_module("azure.storage.blob") == "azure-storage-blob");
  CHECK(distribution_of_module("PyQt5.QtWebEngineWidgets") == "pyqtwebengine");
  CHECK(distribution_of_module("mpl_toolkits.basemap") == "basemap");
  CHECK(distribution_of_module("backports.zoneinfo") == "backports-zoneinfo");
  CHECK(distribution_of_module("PyQt5.QtOfNoPackage") == "PyQt5");
  CHECK(is_part_of_namespace("azure.storage.blob"));
  CHECK_FALSE(is_part_of_namespace("PyQt5.QtOfNoPackage"));
}

TEST_CASE("a directory that distributions share is known by their parts") {
  REQUIRE(shared_directory("azure.storage"));
  CHECK(shared_directory("azure.storage")->part == "azure.storage.blob");
  CHECK(shared_directory("azure.storage")->distribution == "azure-storage-blob");
  CHECK(is_known_namespace("azure"));
  CHECK_FALSE(shared_directory("PyQt5"));  // a package, to which others add parts
  CHECK_FALSE(shared_directory("requests"));
  CHECK_FALSE(shared_directory("azure.storage.blob"));
}

TEST_CASE("of a part of a module the distribution of the whole is known, and other tables come first") {
  CHECK(distribution_of_module("Crypto.Cipher") == "pycryptodome");
  CHECK(distribution_of_module("cv2") == "opencv-python");
  CHECK(distribution_of_module("docx") == "python-docx");
  CHECK(distribution_of_module("whisper") == "openai-whisper");
  CHECK(distribution_of_module("clip").empty());  // of no package of the index
}
