// Which cuDNN it is: CUD304, 305 and 306.

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>

#include "common/built_in.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/installed_package.h"
#include "unit/check/findings/made_report.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// A program with two parts of cuDNN, each in a folder of its own.
TestWorld with_parts(std::uint32_t one, std::uint32_t other) {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a:/b", .needed = {"libcudnn_ops.so.9", "libcudnn_cnn.so.9"}}));
  world.files.add_file("/a/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", one));
  world.files.add_file("/b/libcudnn_cnn.so.9", cudnn_part("libcudnn_cnn.so.9", other));
  return world;
}

TEST_CASE("parts of one release may lie in several folders, parts of two are a risk") {
  auto world = with_parts(91002, 91002);
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
  world = with_parts(91002, 90100);
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD306 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(in_full(report) ==
        R"(CUD306 | warning | /a/libcudnn_ops.so.9 | cuDNN
  parts of two cuDNN releases in one process: 9.1.0 from /b and 9.10.2 from /a
  - cuDNN 9.1.0: libcudnn_cnn.so.9 | /b | proven
  - cuDNN 9.10.2: libcudnn_ops.so.9 | /a | proven
  = Each part compares its release with that of the others when it is first used; cuDNN's calls then fail with )"
        R"(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH (cuDNN 9) or CUDNN_STATUS_VERSION_MISMATCH (cuDNN 8).
  > none of these directories has all parts: install one release as a whole, and let it come first | pip install )"
        R"(--force-reinstall nvidia-cudnn-cu13
site=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cudnn/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | for this shell; every program )"
        R"(started from it then prefers these libraries
  ! installing cuDNN again in a directory searched later: the loader takes the first part it finds
)");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message == "parts of two cuDNN releases in one process: 9.1.0 from /b and 9.10.2 from /a");
  CHECK(says(report.findings[0], "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"));
  CHECK(says(report.findings[0], "none of these directories has all parts"));
  world.query.require_gpu = true;
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD306 error libcudnn_ops.so.9: cuDNN\n");
}

TEST_CASE("a folder that has all parts is the way out of a mixture") {
  auto world = with_parts(91002, 90100);
  world.files.add_file("/b/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 90100));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD306 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(report.findings[0].fixes.size() == 1);
  CHECK(report.findings[0].fixes[0].title == "/b has all of them: let it come first");
  CHECK(report.findings[0].fixes[0].command.starts_with("export LD_LIBRARY_PATH=/b"));
}

TEST_CASE("cuDNN of two majors are two libraries, each with its parts") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudnn_ops.so.9", "libcudnn_ops_infer.so.8"}}));
  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002));
  world.files.add_file("/lib/libcudnn_ops_infer.so.8", cudnn_part("libcudnn_ops_infer.so.8", 8906));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("cuDNN for another major of CUDA than the runtime beside it is a risk") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudnn_ops.so.9", "libcudart.so.11.0"}}));
  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002, 12090));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD305 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(in_full(report) ==
        R"(CUD305 | warning | /lib/libcudnn_ops.so.9 | cuDNN
  cuDNN 9.10.2 is built for CUDA 12.9, and this process has CUDA 11
  - libcudnn_ops.so.9: defines the version libcudnn_ops.so.9 | /lib/libcudnn_ops.so.9 | proven
  - libcudnn_ops.so.9: its function cudnnGetVersion answers 91002 | /lib/libcudnn_ops.so.9 | proven
  - libcudnn_ops.so.9: its function cudnnGetCudartVersion answers 12090 | /lib/libcudnn_ops.so.9 | proven
  - libcudart.so.11.0, CUDA runtime 11.8 | /lib/libcudart.so.11.0 | proven
  = cuDNN contains the CUDA runtime it was built with, but needs cuBLAS and NVRTC of that CUDA )"
        R"(when it needs them; without those, its calls fail.
  > the cuDNN for this CUDA | pip install nvidia-cudnn-cu11
)");
  CHECK(report.findings[0].message == "cuDNN 9.10.2 is built for CUDA 12.9, and this process has CUDA 11");
  CHECK(says(report.findings[0], "pip install nvidia-cudnn-cu11"));

  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002, 11080));
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002));  // it does not say
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("cuDNN for the CUDA of one of two runtimes will do") {
  TestWorld world;
  world.query.symbols = SymbolCheck::none;
  world.add("/bin/app", program({.needed = {"libcudnn_ops.so.9", "libcudart.so.11.0", "libcudart.so.12"}}));
  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002, 12090));
  world.files.add_file("/lib/libcudart.so.11.0", cuda_runtime("libcudart.so.11.0", 11080));
  world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  REQUIRE(findings(world.explain({"/bin/app"})) == "CUD303 note libcudart.so.12: libcudart.so.12\n");
}

TEST_CASE("cuDNN older than the one that a framework was built with is a risk, a newer one of its major is not") {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/", torch = site + "torch/lib/libtorch.so";
  world.add(torch, {.runpath = "/lib", .needed = {"libcudnn_ops.so.9"}});
  install(world, site, {"torch", "2.9.1"}, {"torch/lib/libtorch.so"});
  const auto judged = [&](std::uint32_t release, const std::string& soname = "libcudnn_ops.so.9") {
    world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part(soname, release));
    return world.explain({torch});
  };
  const auto older = judged(90100);
  REQUIRE(findings(older) == "CUD304 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(in_full(older) ==
        R"(CUD304 | warning | /lib/libcudnn_ops.so.9 | cuDNN
  cuDNN 9.1.0 is older than 9.10.2, which torch 2.9.1 was built with
  - defines the version libcudnn_ops.so.9 | /lib/libcudnn_ops.so.9 | proven
  - its function cudnnGetVersion answers 90100 | /lib/libcudnn_ops.so.9 | proven
  - torch 2.9.1 is built with cuDNN 9.10.2 | table
  = A program built with a newer cuDNN may call functions and operations that the older one lacks. PyTorch compares )"
        R"(the two at the first use and raises "cuDNN version incompatibility", TensorFlow says "Loaded runtime CuDNN )"
        R"(library".
  > the cuDNN that it was built with, or a newer one of the same major | pip install 'nvidia-cudnn-cu12>=9.10.2,<10'
)");
  CHECK(older.findings[0].message == "cuDNN 9.1.0 is older than 9.10.2, which torch 2.9.1 was built with");
  CHECK(says(older.findings[0], "pip install 'nvidia-cudnn-cu12>=9.10.2,<10'"));
  CHECK(older.findings[0].evidence.back().basis == Basis::table);
  REQUIRE(findings(judged(91002)) == "");
  REQUIRE(findings(judged(91100)) == "");
  REQUIRE(findings(judged(8906, "libcudnn_ops_infer.so.8")) == "");  // another major is another library

  // The same cuDNN beside files that belong to no package: nothing is known of who uses it.
  world.files.add_file(site + "torch-2.9.1.dist-info/RECORD", "");
  REQUIRE(findings(judged(90100)) == "");
}

TEST_CASE("an older cuDNN in LD_LIBRARY_PATH before a newer one: nothing is to be installed") {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/", torch = site + "torch/lib/libtorch.so";
  world.add(torch, {.runpath = "/lib", .needed = {"libcudnn_ops.so.9"}});
  install(world, site, {"torch", "2.9.1"}, {"torch/lib/libtorch.so"});
  world.files.add_file("/old/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 90100));
  world.set("LD_LIBRARY_PATH", "/old");
  const auto command_beside = [&](std::uint32_t release) {
    world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", release));
    const auto report = world.explain({torch});
    for (const auto& finding : report.findings)
      if (finding.code == "CUD304") return finding.fixes.front().command;
    return std::string("none");
  };
  CHECK(command_beside(91002) == "unset LD_LIBRARY_PATH");
  CHECK(command_beside(90200).starts_with("pip install"));
}

TEST_CASE("a message says what no table knows: with which cuDNN its speaker was compiled") {
  auto world = with_parts(90100, 90100);
  REQUIRE(findings(world.explain({"/bin/app"})) == "");
  const std::string text = "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: ";
  world.query.message = read_message(text + "9.3.0.  CuDNN library needs to have matching major version", built_in());
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD304 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(report.findings[0].message == "cuDNN 9.1.0 is older than 9.3.0, which what printed the message was built with");
  CHECK(says(report.findings[0], "the message says that it was compiled with cuDNN 9.3.0"));
  CHECK(report.findings[0].evidence.back().basis == Basis::proven);
  CHECK(commands(report.findings[0]) == "\n");  // for which CUDA it has to be is not known
  for (const auto* file : {"/a/libcudnn_ops.so.9", "/b/libcudnn_cnn.so.9"})
    world.files.add_file(file, cudnn_part(std::string(file_name(file)), 90100, 12090));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) == "pip install 'nvidia-cudnn-cu12>=9.3.0,<10'\n");
  world.query.message = read_message(text + "9.1.0.", built_in());
  CHECK(findings(world.explain({"/bin/app"})) == "CUD117 warning \n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD117 | warning
  the message proves what the files cannot show: the cuDNN that is loaded, 9.1.0, is older than the one that it )"
        R"(was built with, 9.1.0, or of another major version; what needs cuDNN fails. Naming the module shows which )"
        R"(file is loaded, and from where
  - printed: Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.1.0. | proven
  - TensorFlow or JAX, at the first use of cuDNN | table
  = the cuDNN that is loaded, 9.1.0, is older than the one that it was built with, 9.1.0, or of another major )"
        R"(version; what needs cuDNN fails. Naming the module shows which file is loaded, and from where.
  > install a cuDNN of that major release which is not older (for a build for CUDA 11, nvidia-cudnn-cu11), and )"
        R"(take older copies out of LD_LIBRARY_PATH | pip install 'nvidia-cudnn-cu12~=9.1'
)");
}

TEST_CASE("cuDNN whose bytes tell its major alone is older than nothing, and of no other release than its like") {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/", torch = site + "torch/lib/libtorch.so";
  world.add(torch, {.runpath = "/lib", .needed = {"libcudnn_ops.so.9", "libcudnn_cnn.so.9"}});
  install(world, site, {"torch", "2.9.1"}, {"torch/lib/libtorch.so"});
  const auto silent = [](const std::string& soname) { return library({soname, soname, {{"cudnnGetVersion", ""}}}); };
  world.files.add_file("/lib/libcudnn_ops.so.9", silent("libcudnn_ops.so.9"));
  world.files.add_file("/lib/libcudnn_cnn.so.9", cudnn_part("libcudnn_cnn.so.9", 91002));
  const auto report = world.explain({torch});
  REQUIRE(report.resolution.objects.size() >= 2);
  CHECK(report.resolution.objects[1].cuda->version.find('.') == std::string::npos);
  CHECK(findings(report) == "");
  // The other part is asked as well.
  world.files.add_file("/lib/libcudnn_cnn.so.9", cudnn_part("libcudnn_cnn.so.9", 90100));
  CHECK(findings(world.explain({torch})) == "CUD304 warning libcudnn_cnn.so.9: cuDNN\n");
}

TEST_CASE("where the table knows the major alone, the message says with which release a framework was compiled") {
  TestWorld world;
  const std::string site = "/venv/lib/python3.11/site-packages/", library = site + "tensorflow/libtf.so";
  world.add(library, {.runpath = "/lib", .needed = {"libcudnn_ops.so.9"}});
  install(world, site, {"tensorflow", "2.18.0"}, {"tensorflow/libtf.so"});
  world.files.add_file("/lib/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 90100));
  CHECK(findings(world.explain({library})) == "");
  world.query.message = read_message(
      "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs", built_in());
  const auto report = world.explain({library});
  REQUIRE(findings(report) == "CUD304 warning libcudnn_ops.so.9: cuDNN\n");
  CHECK(report.findings[0].message == "cuDNN 9.1.0 is older than 9.3.0, which tensorflow 2.18.0 was built with");
  CHECK(says(report.findings[0], "the message says that it was compiled with cuDNN 9.3.0"));
  CHECK(report.findings[0].evidence.back().basis == Basis::proven);
  CHECK(commands(report.findings[0]) == "pip install 'nvidia-cudnn-cu12>=9.3.0,<10'\n");
}

TEST_CASE("the cuDNN that is installed as a whole is for the CUDA of its parts, else of the process") {
  const auto command = [](const std::string& built_for, int runtime, const std::string& version = "9.10.2") {
    const int major = version[0] - '0';
    std::vector<Object> objects{made_cuda("/a/libcudnn_ops.so", CudaKind::cudnn, "9.1.0", 9),
                                made_cuda("/c/libcudnn_odd.so", CudaKind::cudnn, "8.9.0", 8)};
    if (runtime != 0) objects.push_back(made_cuda("/lib/libcudart.so", CudaKind::cudart, "", runtime));
    objects.push_back(made_cuda("/b/libcudnn_cnn.so", CudaKind::cudnn, version, major, built_for));
    auto report = made_report(std::move(objects));
    made_findings(check_cudnn, report);
    for (const auto& finding : report.findings)
      if (finding.code == "CUD306") return finding.fixes.at(0).command.substr(0, finding.fixes[0].command.find('\n'));
    return std::string("none");
  };
  const std::string start = "pip install --force-reinstall nvidia-cudnn-cu";
  CHECK(command("12.9", 0) == start + "12");
  CHECK(command("12.9", 13) == start + "12");
  CHECK(command("", 13) == start + "13");
  CHECK(command("", 12) == start + "12");
  // Of two majors the parts are not held against each other.
  CHECK(command("12.9", 0, "7.6.5") == "none");
}

TEST_CASE("a folder that has all parts of one major comes first, and parts of another do not count") {
  MemoryFileSystem files;
  for (const std::string name : {"libcudnn_ops.so", "libcudnn_cnn.so"}) files.add_file("/b/" + name, "");
  const auto told = [&] {
    auto report = made_report({made_cuda("/a/libcudnn_ops.so", CudaKind::cudnn, "9.1.0", 9),
                               made_cuda("/b/libcudnn_cnn.so", CudaKind::cudnn, "9.10.2", 9),
                               made_cuda("/c/libcudnn_odd.so", CudaKind::cudnn, "8.9.0", 8)});
    return made_findings(check_cudnn, report, files);
  };
  CHECK(told() == R"(CUD306 | warning | /b/libcudnn_cnn.so | cuDNN
  parts of two cuDNN releases in one process: 9.1.0 from /a and 9.10.2 from /b
  - cuDNN 9.1.0: libcudnn_ops.so | /a | proven
  - cuDNN 9.10.2: libcudnn_cnn.so | /b | proven
  = Each part compares its release with that of the others when it is first used; cuDNN's calls then fail with )"
                  R"(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH (cuDNN 9) or CUDNN_STATUS_VERSION_MISMATCH (cuDNN 8).
  > /b has all of them: let it come first | export LD_LIBRARY_PATH=/b${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} | )"
                  R"(for this shell; every program started from it then prefers the libraries in that directory
  ! installing cuDNN again in a directory searched later: the loader takes the first part it finds
)");
}

TEST_CASE("cuDNN is held against the majors of CUDA that the process is known to have") {
  auto when = RequestTime::now;
  const auto told = [&](const std::vector<int>& runtimes, const std::string& built_for = "12.9") {
    std::vector<Object> objects{made_cuda("/a/libcudnn.so.9", CudaKind::cudnn, "9.10.2", 9, built_for)};
    for (const auto major : runtimes)
      objects.push_back(made_cuda("/lib/libcudart.so." + std::to_string(major), CudaKind::cudart, "", major));
    auto report = made_report(std::move(objects));
    report.resolution.targets.front().traits.when = when;
    for (auto& object : report.resolution.objects) object.unmapped = when == RequestTime::later;
    made_findings(check_cudnn, report);
    std::string text;
    for (const auto& finding : report.findings)
      if (finding.code == "CUD305") text += finding.message + " > " + finding.fixes.at(0).command + "\n";
    return text;
  };
  CHECK(told({}) == "");
  CHECK(told({12}) == "");
  CHECK(told({13}) ==
        "cuDNN 9.10.2 is built for CUDA 12.9, and this process has CUDA 13 > pip install nvidia-cudnn-cu13\n");
  CHECK(told({13, 12}) == "");
  CHECK(told({0}) == "");
  CHECK(told({0, 13}) ==
        "cuDNN 9.10.2 is built for CUDA 12.9, and this process has CUDA 13 > pip install nvidia-cudnn-cu13\n");
  CHECK(told({13}, "") == "");
  when = RequestTime::later;  // as by ONNX Runtime, when a session asks for its provider
  CHECK(told({13}).starts_with("cuDNN 9.10.2 is built for CUDA 12.9, and this process has CUDA 13"));
}

}  // namespace
}  // namespace cudald
