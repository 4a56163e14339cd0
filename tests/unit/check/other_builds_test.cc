// Which library has a function of C++ that is missing, as it is in other builds: CUD201.

#include <doctest/doctest.h>

#include "unit/check/finding_text.h"
#include "unit/check/installed_package.h"

namespace cudald {
namespace {

const std::string packages_at = "/venv/lib/python3.11/site-packages/";
const std::string older_error = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
const std::string newer_error =
    "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

/// An extension of PyTorch that uses these symbols, with a libc10.so that defines those.
struct Builds {
  explicit Builds(const std::vector<std::string>& used, const std::vector<std::string>& defined,
                  const std::string& version = "2.8.3") {
    world.files.add_file("/venv/bin/python", "");
    ElfSpec library{.soname = "libc10.so"}, extension{.soname = "libext.so", .runpath = "$ORIGIN/../torch"};
    extension.needed.emplace_back("libc10.so");
    for (const auto& name : defined) library.defines.push_back({name});
    for (const auto& name : used) extension.uses.push_back({.name = name});
    world.add(packages_at + "torch/libc10.so", library);
    world.add(packages_at + "ext/libext.so", extension);
    world.add("/bin/app", program({.runpath = packages_at + "ext", .needed = {"libext.so"}}));
    install(world, packages_at, {"torch", "2.8.0"}, {"torch/libc10.so"});
    install(world, packages_at, {"flash_attn", version}, {"ext/libext.so"});
  }

  Finding told() {
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    REQUIRE(report.findings[0].code == "CUD201");
    return report.findings[0];
  }

  TestWorld world;
};

const std::string from_source =
    "/venv/bin/python -m pip install --force-reinstall --no-deps --no-build-isolation --no-binary flash_attn "
    "flash_attn==2.8.3";

TEST_CASE("the same function for the other std::string: how each of both was compiled") {
  for (const bool older : {true, false}) {
    CAPTURE(older);
    const auto finding = Builds({older ? older_error : newer_error}, {older ? newer_error : older_error}).told();
    CHECK(finding.message.ends_with(
        older ? "defines: it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and libc10.so of torch 2.8.0 with 1"
              : "defines: it was compiled with _GLIBCXX_USE_CXX11_ABI=1, and libc10.so of torch 2.8.0 with 0"));
    REQUIRE(finding.evidence.size() == 2);
    CHECK(finding.evidence[0].text == "libc10.so of torch 2.8.0 has that function for the other kind of std::string");
    CHECK(finding.evidence[1].text.starts_with(older ? older_error : newer_error));
    REQUIRE(finding.fixes.size() == 1);
    CHECK(finding.fixes[0].title == "flash_attn compiled from its source against the torch 2.8.0 that is installed");
    CHECK(finding.fixes[0].command == from_source);
  }
}

TEST_CASE("of several functions those are counted that are there for the other std::string, and three are shown") {
  const std::vector<std::string> used{older_error, "_ZN3c104nameERKSs", "_ZN3c104moreESs", "_ZN3c104lastEi"};
  // Both constructors of a class are one function of C++.
  const auto finding =
      Builds(used,
             {newer_error, "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
              "_ZN3c104nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"})
          .told();
  CHECK(finding.evidence[0].text == "libc10.so of torch 2.8.0 has 2 of these for the other kind of std::string");
  CHECK(finding.evidence.size() == 4);
}

TEST_CASE("the same name with other parameters, or none of that name in the library that has its namespace") {
  const auto changed =
      Builds({"_ZN3c104cuda9SetDeviceEa"}, {"_ZN3c104cuda9SetDeviceEab", "_ZN3c104cuda9GetDeviceEv"}).told();
  CHECK(changed.message ==
        "libext.so needs the symbol c10::cuda::SetDevice(signed char), which nothing in the process defines: libc10.so "
        "of torch 2.8.0 has the name with other parameters");
  CHECK(changed.evidence[0].text == "libc10.so has c10::cuda::SetDevice(signed char, bool)");
  CHECK(changed.fixes.at(0).command == from_source);
  const auto gone =
      Builds({"_ZN3c1017RegisterOperatorsC1Ev"}, {"_ZN3c104cuda9GetDeviceEv", "_ZN3c105ErrorC2Ev"}).told();
  CHECK(gone.message.ends_with("defines: libc10.so of torch 2.8.0 has nothing of that name"));
  CHECK(gone.evidence[0].text == "libc10.so defines 2 symbols of that namespace, and not this one");
}

TEST_CASE("what a program might define is held against the libraries of an extension that is asked about alone") {
  const auto told = [](const std::string& used, const std::string& defined, bool in_packages = true) {
    Builds builds({used}, {defined});
    if (!in_packages) install(builds.world, packages_at, {"flash_attn", "2.8.3"}, {});
    const auto report = builds.world.explain({packages_at + "ext/libext.so"});
    REQUIRE(report.findings.size() == 1);
    return report.findings[0].message;
  };
  CHECK(told(older_error, newer_error).ends_with("_GLIBCXX_USE_CXX11_ABI=0, and libc10.so of torch 2.8.0 with 1"));
  CHECK(told("_ZN3c104cuda9SetDeviceEa", "_ZN3c104cuda9SetDeviceEab").ends_with("has the name with other parameters"));
  CHECK(told("_ZN3c104goneEv", "_ZN3c104hereEv").ends_with("has nothing of that name"));
  // The namespace of a program that loads plugins.
  CHECK(told("_ZN3c104goneEv", "_ZN3c104hereEv", false).ends_with("from the program that loads it"));
}

TEST_CASE("of what no library has anything like, and of functions of C, nothing more is told") {
  for (const auto* name : {"_ZN4absl5thingEv", "c10_error", "_ZN3c105Error", "_Z", "_ZN99c10E"}) {
    CAPTURE(name);
    const auto finding = Builds({name}, {"_ZN2at6TensorEv", "c10_error_2"}).told();
    CHECK(finding.message.ends_with("which nothing in the process defines"));
    CHECK(finding.fixes.empty());
  }
}

TEST_CASE("what a package says in its version of the torch that it is made for is the first help") {
  const auto fixes_of = [](const std::string& version) {
    std::string commands;
    for (const auto& fix : Builds({older_error}, {newer_error}, version).told().fixes)
      if (fix.command.find("torch==") != std::string::npos) commands += fix.command + "\n";
    return commands;
  };
  const std::string install_24 = "/venv/bin/python -m pip install 'torch==2.4.*'\n";
  CHECK(fixes_of("2.8.3+cu12torch2.4cxx11abiTRUE") == install_24);
  CHECK(fixes_of("2.8.3+pt24cu121") == install_24);
  CHECK(fixes_of("2.8.3+pt28cu126").empty());  // which is installed
  CHECK(fixes_of("2.8.3+cu12").empty());
  CHECK(fixes_of("2.8.3+torch").empty());
  CHECK(Builds({older_error}, {newer_error}, "2.8.3+pt24cu121").told().fixes.back().command == from_source);
}

TEST_CASE("files of one package are of one build, and what lies in no package has no command") {
  Builds own({older_error}, {newer_error});
  install(own.world, packages_at, {"flash_attn", "2.8.3"}, {"ext/libext.so", "torch/libc10.so"});
  install(own.world, packages_at, {"torch", "2.8.0"}, {});
  CHECK(own.told().fixes.empty());
  Builds loose({older_error}, {newer_error});
  install(loose.world, packages_at, {"flash_attn", "2.8.3"}, {});
  const auto finding = loose.told();
  CHECK(finding.fixes.at(0).title == "a build of libext.so that was compiled against torch 2.8.0");
  CHECK(finding.fixes[0].command.empty());
}

}  // namespace
}  // namespace cudald
