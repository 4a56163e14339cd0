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
manylinux_2_17_x86_64; its dependencies provide 1 of them
  package     foo 1.0
  python      cp311-cp311, >=3.11
  claims      manylinux_2_17_x86_64
  requires    numpy
              nvidia-cuda-runtime-cu12
              and 1 more for extras (-v)
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

/// What is told of a wheel below its verdict, in lines of 200 columns.
std::string facts_told(const WheelReport& wheel, int verbosity = 0) {
  TextStyle style = plain_style();
  style.verbosity = verbosity;
  style.width = 200;
  const auto text = written([&](std::ostream& out) { write_wheel(wheel, style, out); });
  return text.substr(text.find('\n', text.find('\n') + 1) + 1);
}

/// A wheel that says nothing of itself but its name.
WheelReport bare_wheel() {
  WheelReport wheel;
  wheel.path = "a.whl";
  wheel.name = "a";
  wheel.version = "1";
  return wheel;
}

std::string with_note(const std::string& left, const std::string& right) {
  return left + std::string(200 - left.size() - right.size(), ' ') + right + "\n";
}

TEST_CASE("of a wheel that says little there is little to tell") {
  CHECK(facts_told(bare_wheel()) == "  package     a 1\n");
  auto wheel = bare_wheel();
  wheel.requires_python = ">=3";
  wheel.problems = 2;
  CHECK(facts_told(wheel) ==
        "  package     a 1\n  python      >=3\n"
        "  problems    2 in the archive or its RECORD; `cudald check` tells them\n");
  wheel.python_tags = {"cp311", "cp312"};
  wheel.abi_tags = {"abi3", "none"};
  wheel.requires_python.clear();
  wheel.platform_tags = {"a", "b"};
  wheel.problems = 0;
  CHECK(facts_told(wheel) == "  package     a 1\n  python      cp311.cp312-abi3.none\n  claims      a b\n");
}

TEST_CASE("twelve requirements are told, and with -v all, also those of extras") {
  auto wheel = bare_wheel();
  wheel.requires_dist = {"x; extra == 'test'"};
  CHECK(facts_told(wheel) == "  package     a 1\n  requires    nothing; 1 for extras (-v)\n");
  wheel.requires_dist.assign(12, "r");
  const auto count = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(count(facts_told(wheel)) == 13);
  wheel.requires_dist.push_back("last");
  CHECK(facts_told(wheel).ends_with("  r\n              and 1 more (-v)\n"));
  CHECK(count(facts_told(wheel)) == 14);
  wheel.requires_dist.push_back("x; extra == 'test'");
  CHECK(facts_told(wheel).ends_with("  r\n              and 2 more, mostly for extras (-v)\n"));
  CHECK(facts_told(wheel, 1).ends_with("              last\n              x; extra == 'test'\n"));
}

TEST_CASE("of members that cannot be read three are named, and with -v all") {
  auto wheel = bare_wheel();
  wheel.unread = {"a", "b", "c"};
  CHECK(facts_told(wheel) == "  package     a 1\n  unread      a, b, c\n");
  wheel.unread.push_back("d");
  CHECK(facts_told(wheel) == "  package     a 1\n  unread      a, b, c and 1 more\n");
  CHECK(facts_told(wheel, 1) == "  package     a 1\n  unread      a, b, c, d\n");
}

TEST_CASE("files are counted by the Python that they are for, and what is set aside by why") {
  auto wheel = bare_wheel();
  const auto add = [&](const std::string& member, bool module, const std::string& aside = "") {
    wheel.files.push_back({member, "", member_image(), module, aside, {}});
  };
  for (const auto* name : {"a.abi3.so", "b.abi3.so", "c.cpython-311-x86_64-linux-gnu.so", "d.so", "e.cpython-312.so",
                           "g.1.cpython-311-x.so"})
    add(name, true);
  add("lib.so", false);
  for (const auto* name : {"x1", "x2", "x3", "x4"}) add(name, true, "why");
  CHECK(facts_told(wheel) ==
        "  package     a 1\n"
        "  libraries   7 files for a machine without platform tags: 1 extension module, 2 extension modules for abi3, "
        "2 extension modules for cpython-311, 1 extension module for cpython-312\n"
        "  set aside   x1, x2, x3 and 1 more: why\n"
        "  processor   x86-64-v3 for a.abi3.so, b.abi3.so, c.cpython-311-x86_64-linux-gnu.so and 4 more\n");
  const auto all = facts_told(wheel, 1);
  CHECK(all.find("  set aside   x1, x2, x3, x4: why\n") != std::string::npos);
  CHECK(all.find("g.1.cpython-311-x.so, lib.so\n") != std::string::npos);
  wheel.files.resize(1);
  wheel.files[0].member = "e.pypy39-pp73-x86_64-linux-gnu.so";
  CHECK(facts_told(wheel).find(": 1 extension module for pypy39-pp73-x86_64-linux-gnu\n") != std::string::npos);
  wheel.files[0].extension_module = false;
  CHECK(facts_told(wheel).find("  libraries   1 file for a machine without platform tags\n") != std::string::npos);
}

TEST_CASE("each standing of a library from outside is told") {
  auto wheel = bare_wheel();
  const auto note = [&](Standing standing) {
    wheel.external = {{"libx.so", false, {}, {"m"}, {"p", "q"}, standing}};
    return facts_told(wheel);
  };
  for (const auto& [standing, words] :
       {std::pair(Standing::own, ""), std::pair(Standing::promised, ""), std::pair(Standing::declared, ", by p, q"),
        std::pair(Standing::driver, ", of NVIDIA's driver"),
        std::pair(Standing::added_later, ", of the Visual C++ redistributable"),
        std::pair(Standing::possible, ", by nothing that is known"),
        std::pair(Standing::python, ", of Python, if that has it"), std::pair(Standing::undeclared, ", undeclared")})
    CHECK(note(standing) == "  package     a 1\n" + with_note("  external    libx.so", std::string("1 file") + words));
  wheel.external[0].is_loader = true;
  CHECK(facts_told(wheel) == "  package     a 1\n");
  CHECK(facts_told(wheel, 1) == "  package     a 1\n" + with_note("  external    libx.so", "1 file, undeclared"));
}

TEST_CASE("of versions the newest of each kind is told, and weak ones that are newer than those that are wanted") {
  auto wheel = bare_wheel();
  wheel.external = {
      {"libc.so.6",
       false,
       {{"GLIBC_2.10", false}, {"GLIBC_2.9", false}, {"GLIBC_2.9", true}, {"CXX_1.3", true}, {"X_2", false}},
       {"m", "n"},
       {},
       Standing::promised}};
  const std::string note = "2 files";
  CHECK(facts_told(wheel) ==
        "  package     a 1\n" + with_note("  external    libc.so.6: GLIBC_2.10 X_2", note) +
            "  weak        CXX_1.3 of libc.so.6: the loader forgives its absence; auditwheel counts "
            "it\n");
  wheel.external[0].versions = {{"GLIBC_2.10", true}, {"GLIBC_2.10", false}};
  CHECK(facts_told(wheel) == "  package     a 1\n" + with_note("  external    libc.so.6: GLIBC_2.10", note));
}

TEST_CASE("of Windows eight DLLs are named, API sets are counted, and with -v each is told") {
  auto wheel = bare_wheel();
  wheel.windows_files = {"a.pyd"};
  wheel.windows_tag = "win_amd64";
  const auto add = [&](const std::string& name, Standing standing = Standing::promised) {
    wheel.external.push_back({name, false, {}, {"m"}, {}, standing});
  };
  CHECK(facts_told(wheel) == "  package     a 1\n");
  add("api-ms-win-a.dll");
  CHECK(facts_told(wheel) == "  package     a 1\n  promised    1 API set\n");
  add("api-ms-win-b.dll");
  for (int i = 1; i <= 8; ++i) add("d" + std::to_string(i));
  CHECK(facts_told(wheel) == "  package     a 1\n  promised    d1, d2, d3, d4, d5, d6, d7, d8; 2 API sets\n");
  add("d9");
  CHECK(facts_told(wheel) ==
        "  package     a 1\n  promised    d1, d2, d3, d4, d5, d6, d7, d8 and 1 more; 2 API sets\n");
  const auto all = facts_told(wheel, 1);
  CHECK(all.find("promised") == std::string::npos);
  CHECK(all.find(with_note("  external    api-ms-win-a.dll", "1 file")) != std::string::npos);
  wheel.external.clear();
  add("one.dll");
  CHECK(facts_told(wheel) == "  package     a 1\n  promised    one.dll\n");
  add("x.dll", Standing::undeclared);
  CHECK(verdict_of(wheel) == "WINDOWS  win_amd64: 1 PE file; needs 1 DLL that a fresh Windows with Python lacks\n");
  add("y.dll", Standing::added_later);
  CHECK(verdict_of(wheel) == "WINDOWS  win_amd64: 1 PE file; needs 2 DLLs that a fresh Windows with Python lacks\n");
}

TEST_CASE("where no tag fits it is told what stands against all, and which of that is required") {
  auto wheel = example_wheel();
  CHECK(verdict_of(wheel) ==
        "NO TAG  it claims manylinux_2_17_x86_64; but for a library that no tag allows it fits manylinux_2_17_x86_64; "
        "its dependencies provide 1 of them\n");
  wheel.external[1].packages.clear();
  CHECK(verdict_of(wheel) ==
        "NO TAG  it claims manylinux_2_17_x86_64; but for a library that no tag allows it fits "
        "manylinux_2_17_x86_64\n");
  wheel.fit->obstacles.push_back({ObstacleKind::library, "libz.so", "", {"m"}, 3});
  wheel.fit->obstacles.push_back({ObstacleKind::library, "libold.so", "", {"m"}, 2});
  wheel.fit->obstacles.push_back({ObstacleKind::version, "libc.so.6", "GLIBC_9", {"m"}, 3});
  wheel.fit->fits_but_for_libraries = 2;
  CHECK(verdict_of(wheel) ==
        "NO TAG  it claims manylinux_2_17_x86_64; but for 2 libraries that no tag allows it fits "
        "manylinux_2_28_x86_64\n");
  wheel.fit->fits_but_for_libraries = 3;
  CHECK(verdict_of(wheel) == "NO TAG  it claims manylinux_2_17_x86_64\n");
  wheel.fit->claimed.reset();
  CHECK(verdict_of(wheel) == "NO TAG  linux_x86_64\n");
  wheel.fit.reset();
  CHECK(verdict_of(wheel) == "UNKNOWN  no platform tag is known for the machine of its libraries\n");
  const auto document = parse_json(written([&](std::ostream& out) { write_wheel_json(wheel, true, out); }));
  CHECK(document.at("policy").is_null());
  CHECK(facts_told(wheel).find("allowed") == std::string::npos);
}

TEST_CASE("each kind of obstacle has its words, and with -v stands why a tag is unproven") {
  auto wheel = example_wheel();
  wheel.fit->obstacles = {{ObstacleKind::instructions, "", "x86-64-v3", {"m", "n"}, 3},
                          {ObstacleKind::symbol, "libc.so.6", "sym", {"m"}, 3},
                          {ObstacleKind::version, "libc.so.6", "V", {"m"}, 2},
                          {ObstacleKind::library, "libz.so", "not told", {"m"}, 1}};
  wheel.fit->unproven = {"first", "", "third"};
  const auto allowed = [&](int verbosity) {
    const auto text = facts_told(wheel, verbosity);
    const auto at = text.find("  allowed ");
    return text.substr(at, verbosity == 0 ? std::string::npos : text.find("  foo/_C", at) - at);
  };
  const std::string rest =
      "              not before manylinux_2_28_x86_64: V of libc.so.6 (m)\n"
      "              not before manylinux_2_17_x86_64: libz.so (m)\n";
  CHECK(allowed(0) == "  allowed     in no tag: x86-64-v3 instructions (m and 1 more), sym of libc.so.6 (m)\n" + rest);
  const std::string all = "  allowed     in no tag: x86-64-v3 instructions (m, n), sym of libc.so.6 (m)\n" + rest;
  CHECK(allowed(1) == all +
                          "  unproven    manylinux_2_12_x86_64: first\n"
                          "              manylinux_2_28_x86_64: third\n");
  wheel.fit->fits = 2;
  CHECK(allowed(1) == all + "  unproven    manylinux_2_12_x86_64: first\n");
  wheel.fit->fits = 0;
  CHECK(allowed(1) == all);
}

TEST_CASE("with -v stands what each file needs, and who answers it") {
  auto wheel = example_wheel();
  wheel.files[0].needs = {{"ld.so", "", true}, {"libc.so.6", "", false}, {"liba.so", "foo/liba.so", false}};
  const auto text = facts_told(wheel, 1);
  CHECK(text.substr(text.find("\n  foo/_C") + 1) ==
        "  foo/_C.cpython-311-x86_64-linux-gnu.so\n" + with_note("              ld.so", "the loader") +
            with_note("              libc.so.6", "from outside") + with_note("              liba.so", "foo/liba.so") +
            "  foo/libfoo.so\n" + with_note("              libbar.so", "foo/libbar.so") + "  foo/other.so\n");
}

TEST_CASE("the document of a wheel has all that it says of itself") {
  auto wheel = example_wheel();
  wheel.abi_tags = {"abi3"};
  wheel.unread = {"u"};
  wheel.windows_files = {"w.dll"};
  wheel.problems = 3;
  wheel.complete = false;
  wheel.files.resize(1);
  wheel.external.resize(2);
  const auto document = parse_json(written([&](std::ostream& out) { write_wheel_json(wheel, true, out); }));
  for (const auto& [key, value] :
       {std::pair("name", R"("foo")"), std::pair("version", R"("1.0")"), std::pair("requires_python", R"(">=3.11")"),
        std::pair("python_tags", R"(["cp311"])"), std::pair("abi_tags", R"(["abi3"])"),
        std::pair("platform_tags", R"(["manylinux_2_17_x86_64"])"), std::pair("machine", R"("x86_64")"),
        std::pair("complete", "false"), std::pair("unread", R"(["u"])"), std::pair("windows_files", R"(["w.dll"])"),
        std::pair("problems", "3"), std::pair("fitting_tag", "null")}) {
    CHECK(document.at(key).dump() == value);
  }
  CHECK(document.at("files").dump() ==
        R"([{"extension_module":true,"isa":["x86-64-baseline","x86-64-v3"],"machine":"x86_64",)"
        R"("member":"foo/_C.cpython-311-x86_64-linux-gnu.so","needed":[{"inside":null,"loader":false,)"
        R"("name":"libc.so.6"}],"set_aside":null,"soname":"libfoo.so"}])");
  CHECK(document.at("external").at(1).dump() ==
        R"({"loader":false,"members":["foo/libfoo.so"],"name":"libcudart.so.12",)"
        R"("packages":["nvidia-cuda-runtime-cu12"],"standing":"required","versions":[]})");
  CHECK(document.at("policy").at("family") == "manylinux");
  CHECK(document.at("policy").at("claimed") == "manylinux_2_17_x86_64");
  CHECK(document.at("policy").at("obstacles").at(0).dump() ==
        R"({"allowed_from":null,"kind":"library","library":"libcudart.so.12","members":["foo/libfoo.so"],)"
        R"("name":null})");
}

}  // namespace
}  // namespace cudald
