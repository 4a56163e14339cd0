// It is not what was imported that asks for CUDA: CUD403.

#include <doctest/doctest.h>

#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "unit/check/findings/finding_text.h"

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
  spacy uses no CUDA library; it would use the GPU through cupy, which is not installed
  - CUDA libraries of spacy: none (extension modules and libraries read: 1) | proven
  - cupy: not installed; /venv/lib/python3.11/site-packages/spacy/__init__.py:3 tries to import it and continues )"
        R"(without it | proven
  - spacy uses the GPU through cupy | table
  = Training and inference work, on the CPU.
  > to use the GPU, install cupy | pip install 'spacy[cuda12x]' | and call spacy.require_gpu() before spacy.load(): )"
        R"(it makes a silent fall-back an error
)");
  CHECK(report.verdict == Verdict::loads);
  const auto& finding = report.findings[0];
  CHECK(finding.message == "spacy uses no CUDA library; it would use the GPU through cupy, which is not installed");
  CHECK(says(finding, "CUDA libraries of spacy: none (extension modules and libraries read: 1)"));
  CHECK(says(finding,
             "cupy: not installed; " + site_packages + "spacy/__init__.py:3 tries to import it and continues without"));
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
  CHECK(finding.message.starts_with("spacy uses no CUDA library; the missing libraries, libcudart.so.11.0"));
  CHECK(says(finding, "are needed by tensorflow. spacy would use the GPU through cupy, which is not installed"));
  CHECK(says(finding, "printed by libtensorflow_framework.so.2 of tensorflow, not by spacy"));
  CHECK(says(finding, "not: installing the CUDA libraries alone"));
  CHECK(report.headline == finding.message);
  CHECK(in_full(report, "CUD403") ==
        R"(CUD403 | warning | spacy
  spacy uses no CUDA library; the missing libraries, libcudart.so.11.0 and 7 more, are needed by )"
        R"(tensorflow. spacy would use the GPU through cupy, which is not installed
  - CUDA libraries of spacy: none (extension modules and libraries read: 1) | proven
  - CUDA libraries of tensorflow: libcudart.so.11.0 and 7 more, opened at run time by )"
        R"(libtensorflow_framework.so.2 (soft); imported by /venv/lib/python3.11/site-packages/spacy/__init__.py:2 )"
        R"(| proven
  - cupy: not installed; /venv/lib/python3.11/site-packages/spacy/__init__.py:4 tries to import it and )"
        R"(continues without it | proven
  - spacy uses the GPU through cupy | table
  = Training and inference work, on the CPU. The warning is printed by libtensorflow_framework.so.2 of )"
        R"(tensorflow, not by spacy.
  > to use the GPU, install cupy | pip install cupy | and call spacy.require_gpu() before spacy.load(): )"
        R"(it makes a silent fall-back an error
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
        "spacy uses no CUDA library; cupy, through which it would use the GPU, does not load without "
        "libcudart.so.12");
  CHECK(says(report.findings[0], "pip install nvidia-cuda-runtime-cu12"));
  CHECK(says(report.findings[0], "spacy.require_gpu() before spacy.load()"));
  CHECK(in_full(report, "CUD403") ==
        R"(CUD403 | warning | spacy
  spacy uses no CUDA library; cupy, through which it would use the GPU, does not load without libcudart.so.12
  - CUDA libraries of spacy: none (extension modules and libraries read: 1) | proven
  - CUDA libraries of cupy: libcudart.so.12 (hard); imported by )"
        R"(/venv/lib/python3.11/site-packages/spacy/__init__.py:3 | proven
  = Training and inference work, on the CPU. For cupy alone it is an error: `import cupy` raises )"
        R"(ImportError; what imports it here catches that.
  > nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib)"
        R"(${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} )"
        R"(| it lands in site-packages/nvidia/cuda_runtime/lib, which is not on the search path
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

/// A report on an import that was made by hand, and the files around it.
struct MadeImport {
  MadeImport(const std::string& module, const std::vector<std::string>& packages) {
    Import import;
    import.module = module;
    for (const auto& name : packages)
      import.packages.push_back({name, name == "single" ? "" : site_packages + name + "/", ""});
    report.resolution.imports = {import};
  }

  Import& import() { return report.resolution.imports.front(); }

  /// A file of a package that asks for these libraries; hard ones are missing.
  ObjectId add(const std::string& path, const std::vector<std::string>& hard = {},
               const std::vector<std::string>& soft = {}) {
    Object object;
    object.path = site_packages + path;
    for (const auto* list : {&hard, &soft})
      for (const auto& name : *list) {
        Edge edge;
        edge.name = name;
        edge.hard = list == &hard;
        object.edges.push_back(edge);
      }
    report.resolution.objects.push_back(object);
    return report.resolution.objects.size() - 1;
  }

  /// A request that takes the GPU away, as it fails.
  Target& lose(const std::string& library, std::optional<ObjectId> caller = {}) {
    Target target;
    target.given = library;
    target.traits.gpu = true;
    target.error = library + ": not found";
    target.caller = caller;
    report.resolution.targets.push_back(target);
    return report.resolution.targets.back();
  }

  std::string told() {
    ThreadLimit threads(1);
    Store store(files, threads, built_in_knowledge());
    check_components({report, store});
    return in_full(report, "CUD403");
  }

  Report report;
  MemoryFileSystem files;
};

TEST_CASE("a package of which no way to the GPU is known waits for none of what others lose") {
  MadeImport made("app.sub", {"app", "one", "two"});
  made.add("app/_a.so");
  made.add("app.libs/libx.so");
  made.add("one/_b.so", {"libcudart.so.12", "libm.so.6"}, {"libcudnn.so.9", "libcublas.so.12", "libother.so"});
  made.add("one/_c.so", {"libcudart.so.12"}, {"libcufft.so.11"});
  made.add("two/_d.so");
  made.lose("libcudnn.so.9");
  made.lose("libcublas.so.12");
  made.lose("libcudnn.so.9");
  made.lose("libother.so");
  made.lose("libcufft.so.11").traits.gpu = false;
  made.lose("libcurand.so.10").error.clear();
  made.import().packages[1].asked_at = site_packages + "two/__init__.py:1";
  CHECK(made.told() == R"(CUD403 | warning | app
  app uses no CUDA library; the missing libraries, libcudnn.so.9 and 1 more, are needed by one
  - CUDA libraries of app: none (extension modules and libraries read: 2) | proven
  - CUDA libraries of one: libcudart.so.12 (hard); libcudnn.so.9 and 2 more, opened at run time by _b.so )"
                       R"((soft); imported by /venv/lib/python3.11/site-packages/two/__init__.py:1 | proven
  - CUDA libraries of two: none | proven
  = app itself needs none of these libraries. The warning is printed by _b.so of one, not by app.
)");
}

TEST_CASE("nothing is told of an import without packages, of another one than theirs, and of one that loses nothing") {
  MadeImport none("app", {});
  none.lose("libcudart.so.12");
  CHECK(none.told() == "");
  MadeImport other("app", {"one"});
  other.lose("libcudart.so.12");
  CHECK(other.told() == "");
  MadeImport nothing("spacy", {"spacy"});
  CHECK(nothing.told() == "");
  MadeImport single("single", {"single"});
  single.add("single/_a.so", {"libcudart.so.12"});
  single.lose("libcudart.so.12");
  // A single file has no folder in which files would lie.
  CHECK(single.told() == R"(CUD403 | warning | single
  single uses no CUDA library; the missing library, libcudart.so.12, is needed by others
  - CUDA libraries of single: none (extension modules and libraries read: 0) | proven
  = single itself needs none of these libraries.
)");
}

TEST_CASE("a package whose own way to the GPU loses libraries is told of each of these") {
  MadeImport made("spacy", {"spacy", "cupy"});
  const auto core = made.add("cupy/_core.so");
  const auto elsewhere = made.add("other/cupy_like.so");
  made.lose("libcudart.so.12", elsewhere);
  CHECK(made.told() == R"(CUD403 | warning | spacy
  spacy uses no CUDA library; the missing library, libcudart.so.12, is needed by others
  - CUDA libraries of spacy: none (extension modules and libraries read: 0) | proven
  = Training and inference work, on the CPU.
)");
  made.report.findings.clear();
  made.lose("libcublas.so.12", core).error.clear();
  CHECK(made.told() != "");
  made.report.findings.clear();
  made.lose("libcublas.so.12", core).traits.gpu = false;
  CHECK(made.told() != "");
  made.report.findings.clear();
  made.lose("libcublas.so.12", core);
  CHECK(made.told() == "");
}

TEST_CASE("what helps a way to the GPU that does not load is what helps against the first of its libraries") {
  MadeImport made("spacy", {"spacy", "cupy"});
  made.add("spacy/_nn.so");
  made.add("cupy/_core.so", {"libcudart.so.12", "libcublas.so.12"});
  const auto add_finding = [&](const std::string& subject, const std::vector<std::string>& fixes) {
    Finding finding;
    finding.code = "CUD101";
    finding.subject = subject;
    for (const auto& title : fixes) finding.fixes.push_back({title, "", ""});
    made.report.findings.push_back(finding);
  };
  add_finding("libcublas.so.12", {"of the second"});
  add_finding("libcudart.so.12", {});
  add_finding("libcudart.so.12", {"of the first", "another"});
  add_finding("libcudart.so.12", {"of the same again"});
  CHECK(made.told() == R"(CUD403 | warning | spacy
  spacy uses no CUDA library; cupy, through which it would use the GPU, does not load without )"
                       R"(libcudart.so.12 and 1 more
  - CUDA libraries of spacy: none (extension modules and libraries read: 1) | proven
  - CUDA libraries of cupy: libcudart.so.12 and 1 more (hard) | proven
  = Training and inference work, on the CPU. For cupy alone it is an error: `import cupy` raises )"
                       R"(ImportError; what imports it here catches that.
  > of the first
  > another
  > make the silent fall-back an error: spacy.require_gpu() before spacy.load()
)");
}

TEST_CASE("the extra that brings the way to the GPU is the newest that names a CUDA, else the plain one") {
  std::vector<std::string> packages{"spacy"};
  const auto command = [&](const std::string& metadata, const std::string& entry = "spacy-3.5.4.dist-info") {
    MadeImport made("spacy", packages);
    made.add("spacy/_nn.so");
    made.import().missing = {{"cupy", site_packages + "spacy/__init__.py:1", false}};
    made.files.add_file(site_packages + entry + "/METADATA", metadata);
    made.files.add_file(site_packages + "spacy-legacy.txt", "Provides-Extra: cuda\n");
    made.files.add_folder(site_packages + "spacy-0.dist-info");
    made.told();
    return made.report.findings.at(0).fixes.at(0).command;
  };
  const std::string extra = "Provides-Extra: ";
  CHECK(command(extra + "cuda12x\n" + extra + "cuda11x\n" + extra + "cuda\n") == "pip install 'spacy[cuda12x]'");
  CHECK(command(extra + "cuda11x\n" + extra + "cuda12x\n" + extra + "cuda13\n") == "pip install 'spacy[cuda12x]'");
  CHECK(command(extra + "cuda12x\n" + extra + "cuda9x\n") == "pip install 'spacy[cuda12x]'");
  CHECK(command(extra + "cuda9x\n" + extra + "cuda12x\n") == "pip install 'spacy[cuda12x]'");
  CHECK(command(extra + "cuda\n" + extra + "z13x\n") == "pip install 'spacy[cuda]'");
  CHECK(command(extra + "cuda-autodetect\n" + extra + "ruda\n") == "pip install cupy");
  CHECK(command(extra + "cuda12x\n", "spacy-3.5.4.egg-info") == "pip install cupy");
  CHECK(command(extra + "cuda12x\n", "spacy_more-1.dist-info") == "pip install cupy");
  packages = {"srsly", "spacy"};  // in the order in which they are imported
  CHECK(command(extra + "cuda12x\n") == "pip install 'spacy[cuda12x]'");
}

TEST_CASE("who imports a package that asks for CUDA is named beside it, if its own folder does") {
  const auto told = [](const std::string& asked_at) {
    MadeImport made("app", {"app", "one", "two"});
    made.add("app/_a.so");
    made.add("one/_b.so");
    made.add("two/_c.so", {"libcudart.so.12"});
    made.lose("libcudart.so.12");
    made.import().packages[2].asked_at = asked_at;
    made.told();
    std::string text;
    for (const auto& each : made.report.findings.at(0).evidence) text += each.text + "\n";
    return text;
  };
  CHECK(told(site_packages + "one/__init__.py:3") ==
        R"(CUDA libraries of app: none (extension modules and libraries read: 1)
CUDA libraries of one: none
CUDA libraries of two: libcudart.so.12 (hard); imported by /venv/lib/python3.11/site-packages/one/__init__.py:3
)");
  CHECK(told(site_packages + "other/__init__.py:3") ==
        R"(CUDA libraries of app: none (extension modules and libraries read: 1)
CUDA libraries of two: libcudart.so.12 (hard); imported by /venv/lib/python3.11/site-packages/other/__init__.py:3
)");
}

TEST_CASE("a way to the GPU that is not installed is told with who tries it, among others that are missing") {
  MadeImport made("spacy", {"spacy"});
  made.import().missing = {{"other", "/x.py:1", false}, {"cupy", "/y.py:2", false}};
  CHECK(made.told() == R"(CUD403 | note | spacy
  spacy uses no CUDA library; it would use the GPU through cupy, which is not installed
  - CUDA libraries of spacy: none (extension modules and libraries read: 0) | proven
  - cupy: not installed; /y.py:2 tries to import it and continues without it | proven
  - spacy uses the GPU through cupy | table
  = Training and inference work, on the CPU.
  > to use the GPU, install cupy | pip install cupy | and call spacy.require_gpu() before spacy.load(): it makes )"
                       R"(a silent fall-back an error
)");
  MadeImport elsewhere("spacy", {"spacy"});
  elsewhere.import().missing = {{"other", "/x.py:1", false}};
  CHECK(elsewhere.told() == "");
}

}  // namespace
}  // namespace cudald
