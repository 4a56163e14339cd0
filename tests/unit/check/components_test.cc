// It is not what was imported that asks for CUDA: CUD403.

#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

const std::string site_packages = "/venv/lib/python3.11/site-packages/";

/// An environment with spacy, which has no GPU code of its own and would use the GPU through cupy.
TestWorld with_spacy(const std::string& also_imported = "") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.add(site_packages + "spacy/_nn.so", {});
  world.files.add_file(
      site_packages + "spacy/__init__.py",
      "from . import _nn\n" + also_imported + "try:\n  import cupy\nexcept ImportError:\n  cupy = None\n");
  return world;
}

/// A package whose library looks for a CUDA library that is not there, and goes on without.
void add_tensorflow(TestWorld& world) {
  world.files.add_file(site_packages + "tensorflow/__init__.py", "from . import _pywrap\n");
  world.files.add_file(site_packages + "tensorflow/python/platform/build_info.py",
                       "{'cuda_version': '11.2', 'cudnn_version': '8'}");
  world.add(site_packages + "tensorflow/_pywrap.so",
            {.runpath = "$ORIGIN", .needed = {"libtensorflow_framework.so.2"}});
  world.add(site_packages + "tensorflow/libtensorflow_framework.so.2", {.soname = "libtensorflow_framework.so.2"});
}

TEST_CASE("a package whose way to the GPU is not installed uses the CPU: a note, with what to install") {
  auto world = with_spacy();
  world.files.add_file(site_packages + "spacy-3.5.4.dist-info/METADATA",
                       "Name: spacy\nVersion: 3.5.4\nProvides-Extra: cuda\nProvides-Extra: cuda11x\nProvides-Extra: "
                       "cuda12x\nProvides-Extra: cuda-autodetect\n");
  const auto report = world.explain({"py:spacy"});
  REQUIRE(findings(report) == "CUD403 note spacy\n");
  CHECK(in_full(report) ==
        R"(CUD403 | note | spacy
  spacy asks for no CUDA library; it would use the GPU through cupy, which is not installed
  - spacy: none, in any of its extension modules and libraries (1) | proven
  - cupy: not installed; /venv/lib/python3.11/site-packages/spacy/__init__.py:3 tries to import it and goes on )"
        R"(without | proven
  - spacy uses the GPU through cupy | table
  = Training and inference work, on the CPU.
  > want the GPU? Install cupy | pip install 'spacy[cuda12x]' | and call spacy.require_gpu() before spacy.load(): it )"
        R"(makes a silent fall-back an error
)");
  CHECK(report.verdict == Verdict::loads);
  const auto& finding = report.findings[0];
  CHECK(finding.message == "spacy asks for no CUDA library; it would use the GPU through cupy, which is not installed");
  CHECK(says(finding, "spacy: none, in any of its extension modules and libraries (1)"));
  CHECK(says(finding,
             "cupy: not installed; " + site_packages + "spacy/__init__.py:3 tries to import it and goes on without"));
  CHECK(says(finding, "pip install 'spacy[cuda12x]'"));
  CHECK(says(finding, "call spacy.require_gpu() before spacy.load()"));

  world.query.require_gpu = true;
  REQUIRE(findings(world.explain({"py:spacy"})) == "CUD403 error spacy\n");
}

TEST_CASE("what is missing is laid to the package that asks for it, and the CPU alone is used") {
  auto world = with_spacy("import tensorflow\n");
  add_tensorflow(world);
  const auto report = world.explain({"py:spacy"});
  REQUIRE(findings(report).starts_with("CUD403 warning spacy\n"));
  CHECK(report.verdict == Verdict::cpu_only);
  const auto& finding = report.findings[0];
  CHECK(finding.message.starts_with("spacy asks for no CUDA library; what is missing, libcudart.so.11.0"));
  CHECK(says(finding, "is asked for by tensorflow. spacy would use the GPU through cupy, which is not installed"));
  CHECK(says(finding, "printed by libtensorflow_framework.so.2 of tensorflow, not by spacy"));
  CHECK(says(finding, "not: installing the CUDA libraries alone"));
  CHECK(report.headline == finding.message);
  CHECK(in_full(report, "CUD403") == R"(CUD403 | warning | spacy
  spacy asks for no CUDA library; what is missing, libcudart.so.11.0 and 7 more, is asked for by tensorflow. spacy )"
                                     R"(would use the GPU through cupy, which is not installed
  - spacy: none, in any of its extension modules and libraries (1) | proven
  - tensorflow: libcudart.so.11.0 and 7 more, opened at run time by libtensorflow_framework.so.2, soft; imported by )"
                                     R"(/venv/lib/python3.11/site-packages/spacy/__init__.py:2 | proven
  - cupy: not installed; /venv/lib/python3.11/site-packages/spacy/__init__.py:4 tries to import it and goes on )"
                                     R"(without | proven
  - spacy uses the GPU through cupy | table
  = Training and inference work, on the CPU. The warning is printed by libtensorflow_framework.so.2 of tensorflow, )"
                                     R"(not by spacy.
  > want the GPU? Install cupy | pip install cupy | and call spacy.require_gpu() before spacy.load(): it makes a )"
                                     R"(silent fall-back an error
  ! installing the CUDA libraries alone: tensorflow stops complaining, spacy still has no cupy
)");

  // Asked about itself, tensorflow has no other to lay it to.
  CHECK(findings(world.explain({"py:tensorflow"})).find("CUD403") == std::string::npos);
}

TEST_CASE("a way to the GPU that is installed and does not load is told with what it lacks") {
  auto world = with_spacy();
  world.files.add_file(site_packages + "cupy/__init__.py", "from . import _core\n");
  world.add(site_packages + "cupy/_core.so", {.needed = {"libcudart.so.12"}});
  const auto report = world.explain({"py:spacy"});
  REQUIRE(findings(report).starts_with("CUD403 warning spacy\n"));
  CHECK(report.findings[0].message ==
        "spacy asks for no CUDA library; cupy, through which it would use the GPU, does not load for want of "
        "libcudart.so.12");
  CHECK(says(report.findings[0], "pip install nvidia-cuda-runtime-cu12"));
  CHECK(says(report.findings[0], "spacy.require_gpu() before spacy.load()"));
  CHECK(in_full(report, "CUD403") ==
        R"(CUD403 | warning | spacy
  spacy asks for no CUDA library; cupy, through which it would use the GPU, does not load for want of libcudart.so.12
  - spacy: none, in any of its extension modules and libraries (1) | proven
  - cupy: libcudart.so.12, hard; imported by /venv/lib/python3.11/site-packages/spacy/__init__.py:3 | proven
  = Training and inference work, on the CPU. For cupy alone it is an error: `import cupy` raises ImportError; what )"
        R"(imports it here catches that.
  > nvidia-cuda-runtime-cu12 carries exactly this file | pip install nvidia-cuda-runtime-cu12
export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH})"
        R"( | it lands in site-packages/nvidia/cuda_runtime/lib, where the loader looks only if told so
  > make the silent fall-back an error: spacy.require_gpu() before spacy.load()
)");

  world.add("/lib/libcudart.so.12", {.soname = "libcudart.so.12"});
  CHECK(findings(world.explain({"py:spacy"})) == "");
}

TEST_CASE("a package that asks for CUDA itself is judged by its libraries") {
  auto world = with_spacy();
  world.add(site_packages + "spacy/_nn.so", {.needed = {"libcudart.so.12"}});
  world.add("/lib/libcudart.so.12", {.soname = "libcudart.so.12"});
  CHECK(findings(world.explain({"py:spacy"})) == "");
}

}  // namespace
}  // namespace cudald
