#include <algorithm>

#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// The judgement of a wheel whose only module needs some libraries.
Report judged_wheel(const std::vector<std::string>& libraries, const std::string& metadata = "",
                    const std::string& runpath = "") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  ElfSpec spec{.needed = {libraries.begin(), libraries.end()}, .executable_stack = false};
  if (!runpath.empty()) spec.runpath = runpath;
  world.files.add_file(path,
                       wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf(spec)}}, metadata));
  for (const auto& library : libraries) world.add("/usr/lib/" + library, {});  // of this machine, which does not count
  return world.explain({path});
}

Report judged_wheel(const std::string& library, const std::string& metadata = "", const std::string& runpath = "") {
  return judged_wheel(std::vector{library}, metadata, runpath);
}

const std::string cudart = "libcudart.so.12", folder = "$ORIGIN/../nvidia/cuda_runtime/lib";

const Finding* of_code(const Report& report, std::string_view code) {
  for (const auto& finding : report.findings)
    if (finding.code == code) return &finding;
  return nullptr;
}

TEST_CASE("CUD501 tells a library that nothing brings, with what would") {
  const auto report = judged_wheel(cudart, "", folder);
  CHECK(report.verdict == Verdict::fails);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(finding->level == Level::error);
  CHECK(finding->subject == cudart);
  CHECK(finding->message ==
        "libcudart.so.12 is not part of manylinux_2_28_x86_64 and not provided by any declared dependency");
  CHECK(all_words(*finding).find("pip install nvidia-cuda-runtime-cu12") != std::string::npos);
}

TEST_CASE("what a requirement brings is found where it lands, and nowhere else") {
  const std::string declared = "Requires-Dist: nvidia-cuda-runtime-cu12\n";
  CHECK(judged_wheel(cudart, declared, folder).verdict == Verdict::loads);
  const auto elsewhere = judged_wheel(cudart, declared);
  CHECK(elsewhere.verdict == Verdict::fails);
  CHECK(of_code(elsewhere, "CUD501") == nullptr);
  CHECK(of_code(elsewhere, "CUD101") != nullptr);
}

TEST_CASE("the headline says which requirements an answer rests on, and the CUDA that they bring") {
  const auto headline = [](const std::string& metadata) { return judged_wheel(cudart, metadata, folder).headline; };
  const std::string alone =
                        "pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl loads on any manylinux_2_28_x86_64 system, "
                        "with its ",
                    runtime = "Requires-Dist: nvidia-cuda-runtime-cu12==12.4.127\n",
                    driver = "; driver 525.60.13 or newer";
  CHECK(headline(runtime) == alone + "dependency (CUDA 12.4)" + driver);
  CHECK(headline(runtime + "Requires-Dist: nvidia-cublas-cu12\nRequires-Dist: click\n") ==
        alone + "3 dependencies (2 provide CUDA 12.4)" + driver);
}

TEST_CASE("what a requirement may bring of which nothing is known is a note") {
  const auto report = judged_wheel("libodd.so.1", "Requires-Dist: cudald-unknown-package\n");
  CHECK(report.verdict == Verdict::loads);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(finding->level == Level::note);
}

TEST_CASE("an extra that would bring it is named") {
  const auto report = judged_wheel(cudart, "Requires-Dist: nvidia-cuda-runtime-cu12; extra == \"gpu\"\n", folder);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(all_words(*finding).find("pip install 'pkg[gpu]'") != std::string::npos);
}

TEST_CASE("an extra is named with the package that has it") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
                    beside = "/dist/app-1.0-py3-none-any.whl";
  const auto module = elf({.runpath = folder, .needed = {cudart}});
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                        "Requires-Dist: nvidia-cuda-runtime-cu12; extra == \"gpu\"\n"));
  world.files.add_file(beside, wheel_file({{"app.py", ""}}, "Requires-Dist: pkg\n", "app"));
  world.query.packages = {beside};
  const auto report = world.explain({path});
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(all_words(*finding).find("pip install 'pkg[gpu]'") != std::string::npos);
}

TEST_CASE("CUD501 in full: of a library that nothing brings, and of one that lies where its search does not look") {
  CHECK(in_full(judged_wheel("libnone.so.1")) ==
        R"(CUD501 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libnone.so.1
  libnone.so.1 is not part of manylinux_2_28_x86_64 and not provided by any declared dependency
  - libnone.so.1 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | proven
  = `import pkg` raises ImportError: libnone.so.1: cannot open shared object file: No such file or directory
  > maintainer fix: put it into the package, or depend on a package that provides it
)");
  CHECK(in_full(judged_wheel("libnone.so.1", "Requires-Dist: unheard-of\n")) ==
        R"(CUD501 | note | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libnone.so.1
  libnone.so.1 is not provided by any known package; unheard-of, which is required and not available locally, )"
        R"(may provide it
  - libnone.so.1 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | proven
  - 1 required package is not available locally: what it provides is known as of that day | table
  = Provide its dependencies: --with WHEEL, --with DIR.
)");
  CHECK(in_full(judged_wheel(cudart, "Requires-Dist: nvidia-cuda-runtime-cu12==12.4.127\n"), "CUD101") ==
        R"(CUD101 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libcudart.so.12
  libcudart.so.12 is installed (site-packages/nvidia/cuda_runtime/lib), but not in a directory the loader searches
  - is in (nvidia-cuda-runtime-cu12)/nvidia/cuda_runtime/lib/libcudart.so.12 (soname libcudart.so.12) | )"
        R"((nvidia-cuda-runtime-cu12)/nvidia/cuda_runtime/lib/libcudart.so.12 | proven
  - libcudart.so.12 is the name in CUDA 12.0 to 12.9, which needs driver 525.60.13 or newer | table
  = `import pkg` raises ImportError: libcudart.so.12: cannot open shared object file: No such file or directory
  > for this shell only | site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | every program started )"
        R"(from it then prefers the libraries in that directory
  > maintainer fix: search its directory | patchelf --add-rpath '$ORIGIN/../nvidia/cuda_runtime/lib' pkg/a.abi3.so | )"
        R"(it holds only where both packages are in one site-packages
)");
}

TEST_CASE("what brings several libraries is named once, and its folder where no search looks") {
  const std::string cublas = "libcublas.so.12", lt = "libcublasLt.so.12";
  const auto told = [](const Report& report) {
    const auto* finding = of_code(report, "CUD501");
    REQUIRE(finding != nullptr);
    std::string text;
    for (const auto& fix : finding->fixes) text += fix.title + " | " + fix.command + " | " + fix.side_effect + "\n";
    return text;
  };
  const std::string beside = "install a package that provides it | pip install nvidia-cublas-cu12",
                    declared = "maintainer fix: declare it",
                    range = " | Requires-Dist: nvidia-cublas-cu12>=12.0.1.189,<13",
                    search = ", and search its directory",
                    command = "\npatchelf --add-rpath '$ORIGIN/../nvidia/cublas/lib' pkg/a.abi3.so",
                    side = " | $ORIGIN/.. holds only where both packages are in one site-packages\n",
                    site =
                        "\nsite=$(python3 -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')\n"
                        "export LD_LIBRARY_PATH=$site/nvidia/cublas/lib";
  const std::string rest = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  CHECK(told(judged_wheel({cublas, lt})) ==
        beside + site + rest + " | \n" + declared + search + range + command + side);
  CHECK(told(judged_wheel({cublas, lt}, "", "$ORIGIN/../nvidia/cublas/lib")) ==
        beside + " | \n" + declared + range + " | \n");
  CHECK(told(judged_wheel({cublas, "libcudart.so.12", lt}, "", folder)) ==
        beside + " nvidia-cuda-runtime-cu12" + site + rest + " | \n" + declared + search + range +
            "\nRequires-Dist: nvidia-cuda-runtime-cu12>=12.0.107,<13" + command + side);
  CHECK(told(judged_wheel({"liba.so.1", lt})) == told(judged_wheel(lt)));
}

/// What the author of a package has to change.
std::string recipe(const Report& report) {
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  for (const auto& fix : finding->fixes)
    if (fix.title.starts_with("maintainer fix: declare it")) return fix.command;
  return "no recipe";
}

TEST_CASE("each file that needs the library searches by itself, and functions decide about the oldest release") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const auto module = [](const std::string& function) {
    return elf({.needed = {cudart},
                .needs_versions = {{cudart, {{cudart}}}},
                .uses = {{.name = function, .use = ElfUse::call, .version = cudart}}});
  };
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\nfrom .sub import b\n"},
                                         {"pkg/sub/__init__.py", ""},
                                         {"pkg/a.abi3.so", module("cudaMalloc")},
                                         {"pkg/sub/b.abi3.so", module("cudaFuncGetName")}}));
  CHECK(recipe(world.explain({path})) ==
        "Requires-Dist: nvidia-cuda-runtime-cu12>=12.3,<13\n"
        "patchelf --add-rpath '$ORIGIN/../nvidia/cuda_runtime/lib' pkg/a.abi3.so\n"
        "patchelf --add-rpath '$ORIGIN/../../nvidia/cuda_runtime/lib' pkg/sub/b.abi3.so");
}

TEST_CASE(
    "a file that needs libraries of several packages gets their directories by one command; of many files only some "
    "are shown") {
  CHECK(recipe(judged_wheel({"libcublas.so.12", cudart}))
            .ends_with("\npatchelf --add-rpath '$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../nvidia/cuda_runtime/lib' "
                       "pkg/a.abi3.so"));
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  std::vector<std::pair<std::string, std::string>> members{{"pkg/__init__.py", "from . import a, b, c, d, e, f, g\n"}};
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"})
    members.emplace_back(std::string("pkg/") + name + ".abi3.so", elf({.needed = {cudart}}));
  world.files.add_file(path, wheel_file(members));
  const auto told = recipe(world.explain({path}));
  CHECK(told.find("' pkg/e.abi3.so\n# and 2 more files") != std::string::npos);
}

TEST_CASE("on Windows the package adds the directory of the DLL itself") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import _C\n"},
                                         {"pkg/_C.pyd", pe({.imports = {{"cudart64_12.dll", {{"f"}}}}})}}));
  CHECK(recipe(world.explain({path})) ==
        "Requires-Dist: nvidia-cuda-runtime-cu12>=12.0.107,<13\n"
        "# in pkg/__init__.py, before the first import of a compiled module\n"
        "import os\n"
        "_site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"
        "os.add_dll_directory(os.path.join(_site, \"nvidia/cuda_runtime/bin\"))");
}

TEST_CASE("of missing libraries three are named, or two and how many more, and twelve with who asks") {
  const auto message = [](int count, const std::string& metadata = "") {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i) names.push_back("lib" + std::to_string(i) + ".so");
    const auto report = judged_wheel(names, metadata);
    const auto* finding = of_code(report, "CUD501");
    REQUIRE(finding != nullptr);
    std::size_t askers = 0;
    for (const auto& each : finding->evidence) askers += each.text.ends_with(" is needed by a.abi3.so") ? 1 : 0;
    CHECK(askers == static_cast<std::size_t>(std::min(count, 12)));
    return finding->message;
  };
  const std::string rest = " not part of manylinux_2_28_x86_64 and not provided by any declared dependency";
  CHECK(message(1) == "lib1.so is" + rest);
  CHECK(message(2) == "lib1.so and lib2.so are" + rest);
  CHECK(message(3) == "lib1.so, lib2.so and lib3.so are" + rest);
  CHECK(message(4) == "lib1.so, lib2.so and 2 more libraries are" + rest);
  CHECK(message(13) == "lib1.so, lib2.so and 11 more libraries are" + rest);
  CHECK(message(2, "Requires-Dist: unheard-of\nRequires-Dist: unseen\n") ==
        "lib1.so and lib2.so are not provided by any known package; unheard-of or unseen, which is required and not "
        "available locally, may provide them");
}

TEST_CASE("a line of Requires-Dist that does not count is told, by why it does not") {
  const auto told = [](const std::string& metadata) {
    const auto report = judged_wheel(cudart, metadata, folder);
    const auto* finding = of_code(report, "CUD501");
    REQUIRE(finding != nullptr);
    std::string text;
    for (const auto& each : finding->evidence)
      if (each.text.starts_with("Requires-Dist")) text += each.text + " | " + std::string(to_string(each.basis)) + "\n";
    return text;
  };
  const std::string runtime = "Requires-Dist: nvidia-cuda-runtime-cu12";
  CHECK(told(runtime + "; extra == 'gpu'\n") == runtime + "; extra == 'gpu' counts with that extra alone | proven\n");
  CHECK(told(runtime + "; sys_platform == 'win32'\n") ==
        runtime + "; sys_platform == 'win32' does not hold here | proven\n");
  CHECK(told("Requires-Dist: click; extra == 'gpu'\n") == "");
}

TEST_CASE("of a package of programs each that would not start is told, with what it needs") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", scripts = "pkg-1.0.data/scripts/";
  world.files.add_file(path, wheel_file({{scripts + "a_tool", elf(program({}))},
                                         {scripts + "b_tool", elf(program({.needed = {"libnone.so.1"}}))}}));
  const auto report = world.explain({path});
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(finding->subject == "libnone.so.1");
  CHECK(finding->message ==
        "the program b_tool needs libnone.so.1, which is not part of manylinux_2_28_x86_64 and not provided by any "
        "declared dependency");
  CHECK(finding->consequence.find("libnone.so.1: cannot open shared object file") != std::string::npos);
  REQUIRE(finding->evidence.size() == 1);
  CHECK(finding->evidence[0].text == "a program of the package");
  CHECK(finding->evidence[0].basis == Basis::proven);
}

/// CUD501 of a wheel with these members and metadata.
std::string told_of(const std::vector<std::pair<std::string, std::string>>& members, const std::string& metadata = "",
                    const std::string& tag = "manylinux_2_28_x86_64", std::string_view code = "CUD501") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-" + tag + ".whl";
  world.files.add_file(path, wheel_file(members, metadata));
  world.query.world = WorldKind::tag;
  return in_full(world.explain({path}), code);
}

TEST_CASE("Python's own library is a risk, as some builds of Python have it") {
  const std::string library = "libpython3.11.so.1.0";
  CHECK(told_of({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", elf({.needed = {library}})}}) ==
        R"(CUD501 | warning | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libpython3.11.so.1.0
  libpython3.11.so.1.0 is there only where Python was built with a shared library
  - libpython3.11.so.1.0 is needed by a.abi3.so | )"
        R"(pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | proven
  = `import pkg` raises ImportError: libpython3.11.so.1.0: cannot open shared object file: No such file or )"
        R"(directory
)");
  CHECK(told_of({{"pkg/__init__.py", "from . import a\n"},
                 {"pkg/a.abi3.so", elf({.needed = {library, "libpython3.so"}})}}) ==
        R"(CUD501 | warning | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libpython3.11.so.1.0
  libpython3.11.so.1.0 and libpython3.so are there only where Python was built with a shared library
  - libpython3.11.so.1.0 is needed by a.abi3.so | )"
        R"(pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | proven
  - libpython3.so is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | )"
        R"(proven
  = `import pkg` raises ImportError: libpython3.11.so.1.0: cannot open shared object file: No such file or )"
        R"(directory
)");
  // What is caught is no risk.
  CHECK(told_of({{"pkg/__init__.py", "try:\n    from . import a\nexcept ImportError:\n    pass\n"},
                 {"pkg/a.abi3.so", elf({.needed = {library}})}}) ==
        R"(CUD501 | warning | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libpython3.11.so.1.0
  libpython3.11.so.1.0 is there only where Python was built with a shared library
  - libpython3.11.so.1.0 is needed by a.abi3.so | )"
        R"(pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | proven
  = `import pkg` works; importing pkg.a raises ImportError.
)");
}

TEST_CASE("of the requests that want a library the one that fails worst counts, whichever comes first") {
  const auto needing = elf({.needed = {"libnone.so.1"}});
  const std::string caught = "try:\n    from . import a\nexcept ImportError:\n    pass\n";
  CHECK(told_of({{"pkg/__init__.py", caught + "from . import b\n"},
                 {"pkg/a.abi3.so", needing},
                 {"pkg/b.abi3.so", needing}}) ==
        R"(CUD501 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libnone.so.1
  libnone.so.1 is not part of manylinux_2_28_x86_64 and not provided by any declared dependency
  - libnone.so.1 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | )"
        R"(proven
  = `import pkg` raises ImportError: libnone.so.1: cannot open shared object file: No such file or directory
  > maintainer fix: put it into the package, or depend on a package that provides it
)");
  CHECK(told_of({{"pkg/__init__.py", caught}, {"pkg/a.abi3.so", needing}}) ==
        R"(CUD501 | warning | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libnone.so.1
  libnone.so.1 is not part of manylinux_2_28_x86_64 and not provided by any declared dependency
  - libnone.so.1 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | )"
        R"(proven
  = `import pkg` works; importing pkg.a raises ImportError.
  > maintainer fix: put it into the package, or depend on a package that provides it
)");
}

TEST_CASE(
    "a requirement that counts and whose newest release has the library no longer is told with the last that had") {
  const std::string library = "libcudnn.so.8";
  const auto module = elf({.runpath = "$ORIGIN/../nvidia/cudnn/lib", .needed = {library}});
  CHECK(told_of({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                "Requires-Dist: nvidia-cudnn-cu12\n") ==
        R"(CUD501 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libcudnn.so.8
  libcudnn.so.8 is not part of manylinux_2_28_x86_64 and not provided by any declared dependency
  - libcudnn.so.8 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | )"
        R"(proven
  - Requires-Dist: nvidia-cudnn-cu12: nvidia-cudnn-cu12 had libcudnn.so.8 up to 8.9.7.29, and pip installs a )"
        R"(newer one | table
  - 3 required packages are not available locally: what they provide is known as of that day | table
  = `import pkg` raises ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory
  > install a package that provides it | pip install nvidia-cudnn-cu12==8.9.7.29
  > maintainer fix: declare it | Requires-Dist: nvidia-cudnn-cu12>=8.8.0.121,<=8.9.7.29
)");
}

TEST_CASE("an extra that brings several of the libraries is named for them all, and one that brings none is not") {
  const auto module = elf({.needed = {"libcublas.so.12", "libcublasLt.so.12"}});
  CHECK(told_of({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                "Requires-Dist: nvidia-cublas-cu12; extra == \"blas\"\n"
                "Requires-Dist: nvidia-cufft-cu12; extra == \"fft\"\n") ==
        R"(CUD501 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | libcublas.so.12
  libcublas.so.12 and libcublasLt.so.12 are not part of manylinux_2_28_x86_64 and not provided by )"
        R"(any declared dependency
  - libcublas.so.12 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so | )"
        R"(proven
  - Requires-Dist: nvidia-cublas-cu12; extra == "blas" counts with that extra alone | proven
  - libcublasLt.so.12 is needed by a.abi3.so | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/a.abi3.so )"
        R"(| proven
  - Requires-Dist: nvidia-cublas-cu12; extra == "blas" counts with that extra alone | proven
  = `import pkg` raises ImportError: libcublas.so.12: cannot open shared object file: No such file or directory
  > install it with the extra that provides them, or most of them | pip install 'pkg[blas]'
  > install a package that provides it | pip install nvidia-cublas-cu12
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cublas/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  > maintainer fix: declare it, and search its directory | Requires-Dist: nvidia-cublas-cu12>=12.0.1.189,<13
patchelf --add-rpath '$ORIGIN/../nvidia/cublas/lib' pkg/a.abi3.so | $ORIGIN/.. holds only where both packages are in )"
        R"(one site-packages
)");
}

TEST_CASE("the CUDA that most of the libraries are for decides which package brings those of all") {
  const auto commands_of = [](const std::vector<std::string>& libraries) {
    std::string text;
    const auto report = judged_wheel(libraries);
    for (const auto& fix : of_code(report, "CUD501")->fixes)
      if (fix.command.starts_with("pip")) text += fix.command.substr(0, fix.command.find('\n')) + "\n";
    return text;
  };
  CHECK(commands_of({"libcudnn.so.9"}) == "pip install nvidia-cudnn-cu13\n");
  CHECK(commands_of({"libcudnn.so.9", "libcublas.so.12"}) == "pip install nvidia-cudnn-cu12 nvidia-cublas-cu12\n");
  CHECK(commands_of({"libcublas.so.11", "libcudart.so.12", "libcufft.so.11", "libcudnn.so.9"}) ==
        "pip install nvidia-cublas-cu11 nvidia-cuda-runtime-cu12 nvidia-cufft-cu12 nvidia-cudnn-cu12\n");
}

/// What is told of a report in the world of a tag that was made by hand.
std::string told_by_hand(Report& report) {
  const MemoryFileSystem files;
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  report.resolution.world.kind = WorldKind::tag;
  check_requirements({report, store});
  check_programs({report, store});
  return in_full(report);
}

TEST_CASE("a program of a package that does not start for another reason than a library is told with that") {
  Report report;
  report.resolution.world.name = "the tag";
  report.resolution.failed_programs = {{"/opt/bin/tool", "", "wrong ELF class"},
                                       {"/opt/bin/bad", "libq.so", "libq.so: file too short"},
                                       {"/opt/bin/other", "libx.so", "libx.so: No such file or directory"}};
  CHECK(told_by_hand(report) == R"(CUD112 | error | /opt/bin/tool
  the program tool does not start: wrong ELF class
  - a program of the package | /opt/bin/tool | proven
  = wrong ELF class
CUD112 | error | /opt/bin/bad
  the program bad does not start: libq.so: file too short
  - a program of the package | /opt/bin/bad | proven
  = libq.so: file too short
CUD501 | error | libx.so
  the program other needs libx.so, which is not part of the tag and not provided by any declared dependency
  - a program of the package | /opt/bin/other | proven
  = libx.so: No such file or directory
)");
}

TEST_CASE("conda's packages are told what conda has, with the facts that are known beside") {
  const auto told = [](const std::vector<std::string>& libraries, const std::string& tag, const KnownFact& fact = {}) {
    Report report;
    report.resolution.world.name = tag;
    Object object;
    object.path = object.load_name = "/opt/pkg/a.so";
    object.image = std::make_shared<Image>();
    for (const auto& name : libraries) {
      Edge edge;
      edge.name = name;
      edge.error = name + ": cannot open shared object file";
      if (!fact.text.empty()) edge.known.facts = {fact};
      object.edges.push_back(edge);
    }
    report.resolution.objects = {object};
    Target target;
    target.given = "/opt/pkg/a.so";
    target.object = 0;
    target.error = object.edges.front().error;
    report.resolution.targets = {target};
    return told_by_hand(report);
  };
  CHECK(told({"libnone.so.1", "libcudart.so.12", "libcublas.so.12"}, "linux-64") ==
        R"(CUD501 | error | /opt/pkg/a.so | libnone.so.1
  libnone.so.1, libcudart.so.12 and libcublas.so.12 are not part of linux-64 and not provided by any declared dependency
  - libnone.so.1 is needed by a.so | /opt/pkg/a.so | proven
  - libcudart.so.12 is needed by a.so | /opt/pkg/a.so | proven
  - libcublas.so.12 is needed by a.so | /opt/pkg/a.so | proven
  = libnone.so.1: cannot open shared object file
  > install a package that likely provides it | conda install -c conda-forge cuda-cudart cuda-version=12
  > maintainer fix: depend on it | run: cuda-cudart cuda-version=12
)");
  CHECK(told({"libnone.so.1"}, "linux-64") == R"(CUD501 | error | /opt/pkg/a.so | libnone.so.1
  libnone.so.1 is not part of linux-64 and not provided by any declared dependency
  - libnone.so.1 is needed by a.so | /opt/pkg/a.so | proven
  = libnone.so.1: cannot open shared object file
  > maintainer fix: depend on a package that provides it
)");
  CHECK(told({"libnone.so.1"}, "", {"it is a fact", "a table"}) == R"(CUD501 | error | /opt/pkg/a.so | libnone.so.1
  libnone.so.1 is not part of its tag and not provided by any declared dependency
  - libnone.so.1 is needed by a.so | /opt/pkg/a.so | proven
  - it is a fact | table
  = libnone.so.1: cannot open shared object file
  > maintainer fix: put it into the package, or depend on a package that provides it
)");
}

TEST_CASE("of many extras that would bring a library the first twenty are looked at") {
  std::vector<std::string> extras;
  for (int number = 10; number < 29; ++number) extras.push_back("e" + std::to_string(number));
  extras.insert(extras.end(), {"z", "y"});
  std::string metadata;
  for (const auto& extra : extras)
    metadata += "Provides-Extra: " + extra + "\nRequires-Dist: nvidia-cuda-runtime-cu12; extra == \"" + extra + "\"\n";
  const auto report = judged_wheel(cudart, metadata, folder);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(says(*finding, "pip install 'pkg[z]'"));
  CHECK_FALSE(says(*finding, "pip install 'pkg[y]'"));
}

TEST_CASE("of extras that bring the same the shortest name is told, and none that brings nothing more") {
  std::string metadata;
  for (const std::string extra : {"all-cu12", "cu12", "bench-cu12", "part"})
    metadata += "Provides-Extra: " + extra + "\nRequires-Dist: nvidia-cuda-runtime-cu12; extra == \"" + extra + "\"\n";
  metadata += "Provides-Extra: cu11\nRequires-Dist: nvidia-cuda-runtime-cu11; extra == \"cu11\"\n";
  const auto report = judged_wheel(cudart, metadata, folder);
  const auto* finding = of_code(report, "CUD501");
  REQUIRE(finding != nullptr);
  CHECK(says(*finding, "pip install 'pkg[cu12]'"));
  for (const std::string extra : {"all-cu12", "bench-cu12", "part", "cu11"})
    CHECK_FALSE(says(*finding, "pkg[" + extra));
}

}  // namespace
}  // namespace cudald
