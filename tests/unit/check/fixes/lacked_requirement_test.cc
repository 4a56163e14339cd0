#include "check/fixes/lacked_requirement.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

const std::string requirement_site = "/v/lib/python3.11/site-packages";

/// What pkg 1.2 lacks for a library, where these lines of METADATA say what it requires.
std::string lacked_by(const std::string& lines, const std::string& library,
                      const std::vector<std::string>& providers = {}) {
  MemoryFileSystem files;
  files.add_file("/v/bin/python", "");
  files.add_file(requirement_site + "/pkg-1.2.dist-info/METADATA", "Name: pkg\nVersion: 1.2\n" + lines);
  files.add_file(requirement_site + "/tensorrt-8.6.1.dist-info/METADATA", "Name: tensorrt\nVersion: 8.6.1\n");
  Object object;
  object.path = requirement_site + "/pkg/_C.so";
  const Report report;
  const Installer installer(report, object, files);
  const auto lacked = lacked_requirement({"pkg", "1.2"}, library, providers, installer, files);
  return lacked ? lacked->word + " | " + lacked->reason : "";
}

TEST_CASE("a requirement that is called like the library, and is not installed") {
  const std::string line = "Requires-Dist: numpy\nRequires-Dist: libcudf-cu12==25.4.*\n";
  const std::string told =
      "libcudf-cu12==25.4.* | pkg 1.2 requires libcudf-cu12==25.4.*, which is not in the same site-packages";
  CHECK(lacked_by(line, "libcudf.so") == told);
  CHECK(lacked_by(line, "libcudf.so.2") == told);
  CHECK(lacked_by("Requires-Dist: cudf\n", "/opt/libcudf.so") ==
        "cudf | pkg 1.2 requires cudf, which is not in the same site-packages");
  CHECK(lacked_by(line, "libcu.so").empty());
  CHECK(lacked_by(line, "libcudf_x.so").empty());
  CHECK(lacked_by("", "libcudf.so").empty());
}

TEST_CASE("an extra, and what a marker leaves out, is no requirement") {
  CHECK(lacked_by("Requires-Dist: libcudf; extra == \"gpu\"\n", "libcudf.so").empty());
  CHECK(lacked_by("Requires-Dist: libcudf; python_version < \"3.9\"\n", "libcudf.so").empty());
  CHECK(lacked_by("Requires-Dist: libcudf; python_version > \"3.9\"\n", "libcudf.so") ==
        "libcudf | pkg 1.2 requires libcudf, which is not in the same site-packages");
}

TEST_CASE("one of the project of a provider, which is installed in another release") {
  const std::vector<std::string> providers{"tensorrt-cu12-libs"};
  CHECK(lacked_by("Requires-Dist: tensorrt==10.0.1\n", "libnvinfer.so.10", providers) ==
        "tensorrt==10.0.1 | pkg 1.2 requires tensorrt==10.0.1, and tensorrt 8.6.1 is installed");
  CHECK(lacked_by("Requires-Dist: tensorrt>=8\n", "libnvinfer.so.10", providers).empty());
  CHECK(lacked_by("Requires-Dist: tensorrt==10.0.1\n", "libnvinfer.so.10").empty());
  CHECK(lacked_by("Requires-Dist: tensor\n", "libnvinfer.so.10", providers).empty());
  // Where that one lands is known, and may have to be searched.
  CHECK(lacked_by("Requires-Dist: tensorrt-cu12-libs\n", "libnvinfer.so.10", providers).empty());
}

}  // namespace
}  // namespace cudald
