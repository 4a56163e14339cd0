#include <elf.h>

#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/wheel.h>
#include <cudald/writers.h>

#include "base/json.h"
#include "common/example_report.h"

namespace cudald {
namespace {

std::shared_ptr<const Image> member_image() {
  Image image;
  image.format = Format::elf64;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  image.soname = "libfoo.so";
  image.elf.x86_isa_needed = 0b101;
  return std::make_shared<Image>(image);
}

WheelReport example_wheel() {
  WheelReport wheel;
  wheel.path = "/dist/foo-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  wheel.name = "foo";
  wheel.version = "1.0";
  wheel.requires_python = ">=3.11";
  wheel.requires_dist = {"numpy", "nvidia-cuda-runtime-cu12", "pytest; extra == 'test'"};
  wheel.python_tags = wheel.abi_tags = {"cp311"};
  wheel.platform_tags = {"manylinux_2_17_x86_64"};
  wheel.machine = "x86_64";
  wheel.files = {
      {"foo/_C.cpython-311-x86_64-linux-gnu.so", "", member_image(), true, "", {{"libc.so.6", "", false}}},
      {"foo/libfoo.so", "", member_image(), false, "", {{"libbar.so", "foo/libbar.so", false}}},
      {"foo/other.so", "", member_image(), false, "made for aarch64", {}},
  };
  wheel.external = {
      {"libc.so.6",
       false,
       {{"GLIBC_2.9", false}, {"GLIBC_2.17", false}, {"GLIBC_2.34", true}},
       {"a", "b"},
       {},
       Standing::promised},
      {"libcudart.so.12", false, {}, {"foo/libfoo.so"}, {"nvidia-cuda-runtime-cu12"}, Standing::declared},
  };
  PolicyFit fit;
  fit.family = "manylinux";
  fit.tags = {"manylinux_2_12_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64"};
  fit.unproven = {"", "", ""};
  fit.obstacles = {
      {ObstacleKind::library, "libcudart.so.12", "", {"foo/libfoo.so"}, 3},
      {ObstacleKind::version, "libc.so.6", "GLIBC_2.17", {"foo/libfoo.so", "foo/_C.so"}, 1},
  };
  fit.fits = 3;
  fit.fits_but_for_libraries = 1;
  fit.claimed = 1;
  fit.claimed_tag = "manylinux_2_17_x86_64";
  wheel.fit = fit;
  return wheel;
}

std::string verdict_of(const WheelReport& wheel) {
  TextStyle style = plain_style();
  style.verbosity = -1;
  style.width = 200;
  const auto text = written([&](std::ostream& out) { write_wheel(wheel, style, out); });
  return text.substr(text.find('\n') + 1);
}

TEST_CASE("a wheel is shown verdict first") {
  CHECK(written([](std::ostream& out) { write_wheel(example_wheel(), plain_style(), out); }) ==
        R"(foo-1.0-cp311-cp311-manylinux_2_17_x86_64.whl
NO TAG  it claims manylinux_2_17_x86_64; but for a library that no tag allows it fits
manylinux_2_17_x86_64; packages that it requires bring 1 of them
  package     foo 1.0
  python      cp311-cp311, >=3.11
  claims      manylinux_2_17_x86_64
  requires    numpy
              nvidia-cuda-runtime-cu12
              and 1 more, mostly for extras (-v)
  libraries   2 files for x86_64: 1 extension module for cpython-311
  set aside   foo/other.so: made for aarch64
  processor   x86-64-v3 for foo/_C.cpython-311-x86_64-linux-gnu.so, foo/libfoo.so
  external    libc.so.6: GLIBC_2.17                                                          2 files
              libcudart.so.12                                    1 file, by nvidia-cuda-runtime-cu12
  weak        GLIBC_2.34 of libc.so.6: the loader forgives its absence; auditwheel counts it
  allowed     in no tag: libcudart.so.12 (foo/libfoo.so)
              not before manylinux_2_17_x86_64: GLIBC_2.17 of libc.so.6 (foo/libfoo.so and 1 more)
)");
}

TEST_CASE("with -v every need and version is shown") {
  TextStyle style = plain_style();
  style.verbosity = 1;
  const auto text = written([&](std::ostream& out) { write_wheel(example_wheel(), style, out); });
  CHECK(text.find("libc.so.6: GLIBC_2.9 GLIBC_2.17 GLIBC_2.34 (weak)") != std::string::npos);
  CHECK(text.find("pytest; extra == 'test'") != std::string::npos);
  CHECK(text.find("  foo/libfoo.so\n              libbar.so  ") != std::string::npos);
}

TEST_CASE("of a wheel for Windows what Windows has is one line, and what it lacks is told") {
  WheelReport wheel;
  wheel.path = "/dist/foo-1.0-cp311-cp311-win_amd64.whl";
  wheel.name = "foo";
  wheel.version = "1.0";
  wheel.windows_files = {"foo/a.pyd", "foo/b.dll"};
  wheel.windows_tag = "win_amd64";
  wheel.external = {{"KERNEL32.dll", false, {}, {"foo/a.pyd"}, {}, Standing::promised},
                    {"api-ms-win-crt-heap-l1-1-0.dll", false, {}, {"foo/a.pyd"}, {}, Standing::promised}};
  CHECK(verdict_of(wheel) == "WINDOWS  win_amd64: 2 PE files; needs nothing that a fresh Windows with Python lacks\n");
  wheel.external.push_back({"MSVCP140.dll", false, {}, {"foo/a.pyd", "foo/b.dll"}, {}, Standing::added_later});
  wheel.external.push_back({"nvcuda.dll", false, {}, {"foo/b.dll"}, {}, Standing::driver});
  CHECK(written([&](std::ostream& out) { write_wheel(wheel, plain_style(), out); }) ==
        R"(foo-1.0-cp311-cp311-win_amd64.whl
WINDOWS  win_amd64: 2 PE files; needs 1 DLL that a fresh Windows with Python lacks
  package     foo 1.0
  promised    KERNEL32.dll; 1 API set
  external    MSVCP140.dll                                2 files, of the Visual C++ redistributable
              nvcuda.dll                                                  1 file, of NVIDIA's driver
)");
}

TEST_CASE("each outcome has a verdict") {
  auto wheel = example_wheel();
  wheel.fit->obstacles.erase(wheel.fit->obstacles.begin());
  wheel.fit->fits = 1;
  CHECK(verdict_of(wheel) == "FITS  manylinux_2_17_x86_64, as it claims\n");
  wheel.fit->claimed = 2;
  wheel.fit->claimed_tag = "manylinux_2_28_x86_64";
  CHECK(verdict_of(wheel) == "FITS  manylinux_2_17_x86_64, which is older than it claims (manylinux_2_28_x86_64)\n");
  wheel.fit->claimed = 0;
  wheel.fit->claimed_tag = "manylinux2010_x86_64";
  CHECK(verdict_of(wheel) == "TAG TOO LOW  it claims manylinux2010_x86_64, and fits manylinux_2_17_x86_64\n");
  wheel.fit->obstacles.clear();
  wheel.fit->unproven[0] = "nothing shows it";
  CHECK(verdict_of(wheel) == "FITS  manylinux_2_17_x86_64; it claims manylinux2010_x86_64, and nothing shows it\n");
  // What is allowed from the claimed tag on is no obstacle to it.
  wheel.fit->obstacles = {{ObstacleKind::library, "libz.so.1", "", {"a.so"}, 0}};
  CHECK(verdict_of(wheel).find("and nothing shows it") != std::string::npos);
  wheel.fit->obstacles[0].since = 1;
  CHECK(verdict_of(wheel).starts_with("TAG TOO LOW  "));
  wheel.fit->obstacles.clear();
  wheel.fit->claimed.reset();
  CHECK(verdict_of(wheel) == "FITS  manylinux_2_17_x86_64\n");
  wheel.complete = false;
  CHECK(verdict_of(wheel) == "UNKNOWN  it could not be judged in full\n");
  wheel.complete = true;
  wheel.files.clear();
  CHECK(verdict_of(wheel) == "PURE  it holds no library, so nothing ties it to a platform\n");
}

TEST_CASE("a wheel as JSON") {
  const auto text = written([](std::ostream& out) { write_wheel_json(example_wheel(), true, out); });
  const auto document = parse_json(text);
  CHECK(document.at("schema") == "cudald/wheel");
  CHECK(document.at("fitting_tag") == "linux_x86_64");
  CHECK(document.at("policy").at("fits").is_null());
  CHECK(document.at("policy").at("fits_but_for_libraries") == "manylinux_2_17_x86_64");
  CHECK(document.at("policy").at("obstacles").at(1) == parse_json(R"({"kind": "version",
    "library": "libc.so.6", "name": "GLIBC_2.17", "allowed_from": "manylinux_2_17_x86_64",
    "members": ["foo/libfoo.so", "foo/_C.so"]})"));
  CHECK(document.at("external").at(0).at("versions").at(2) == parse_json(R"({"name": "GLIBC_2.34", "weak": true})"));
  CHECK(document.at("external").at(1).at("standing") == "required");
  CHECK(document.at("files").at(1).at("needed") ==
        parse_json(R"([{"name": "libbar.so", "inside": "foo/libbar.so", "loader": false}])"));
  CHECK(text.find('\n') == text.size() - 1);
}

TEST_CASE("of what stands against a tag two are shown, with -v all") {
  auto wheel = example_wheel();
  wheel.fit->obstacles = {};
  for (const std::string library : {"liba.so", "libb.so", "libc.so"})
    wheel.fit->obstacles.push_back({ObstacleKind::library, library, "", {"foo/libfoo.so"}, 3});
  const auto allowed = [&](int verbosity) {
    TextStyle style = plain_style();
    style.verbosity = verbosity;
    style.width = 200;
    const auto text = written([&](std::ostream& out) { write_wheel(wheel, style, out); });
    const auto at = text.find("  allowed     ") + 14;
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string two = "in no tag: liba.so (foo/libfoo.so), libb.so (foo/libfoo.so)";
  CHECK(allowed(0) == two + " and 1 more");
  CHECK(allowed(1) == two + ", libc.so (foo/libfoo.so)");
  wheel.fit->obstacles.pop_back();
  CHECK(allowed(0) == two);
}

}  // namespace
}  // namespace cudald
