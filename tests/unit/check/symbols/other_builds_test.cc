// Which library has a function of C++ that is missing, as it is in other builds: CUD201.

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/installed_package.h"

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

TEST_CASE("of two files of the system the package of the one that asks is brought to the release of the other") {
  TestWorld world;
  world.add("/usr/lib/libpb.so.28", {.soname = "libpb.so.28", .defines = {{"_ZN2pb3setEb"}}});
  world.add("/usr/bin/murmurd", program({.needed = {"libpb.so.28"}, .uses = {{"_ZN2pb3setEa"}}}));
  const auto offered = [&](const std::string& system) {
    world.files.add_file("/etc/os-release", system);
    return world.explain({"/usr/bin/murmurd"}).findings.at(0).fixes.at(0);
  };
  CHECK(offered("ID=unknown\n").command == "");
  CHECK(offered("ID=unknown\n").title == "a build of murmurd that was compiled against libpb.so.28");
  CHECK(offered("ID=alpine\nVERSION_ID=3.21.0\n").command ==
        "apk upgrade $(apk info -qW /usr/bin/murmurd /usr/lib/libpb.so.28)");
  CHECK(offered("ID=arch\n").command == "sudo pacman -Syu");
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

TEST_CASE("of what no library has anything like nothing more is told") {
  for (const auto* name : {"_ZN4absl5thingEv", "other_error", "_ZN3c105Error", "_Z", "_ZN", "_ZNK", "_ZN3", "_ZN0E",
                           "_Z0c10", "_ZN99c10E", "_ZN9999999999999999999999c10E"}) {
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
  CHECK(finding.fixes.at(0).title ==
        "compile libext.so with the kind of std::string that libc10.so of torch 2.8.0 has: "
        "-D_GLIBCXX_USE_CXX11_ABI=1");
  CHECK(finding.fixes[0].command.empty());
}

/// What "X needs the symbol Y, which nothing in the process defines" goes on with.
std::string after_defines(const std::string& message) {
  const std::string mark = "in the process defines";
  const auto at = message.find(mark);
  return at == std::string::npos ? message : message.substr(at + mark.size());
}

TEST_CASE("functions are the same by their names up to the parameters, arguments of templates included") {
  const std::string changed = ": libc10.so of torch 2.8.0 has the name with other parameters",
                    gone = ": libc10.so of torch 2.8.0 has nothing of that name";
  struct Row {
    std::string used, defined, told;
  };
  for (const auto& row : {
           Row{"_ZN3c104cuda3getIFivEEEvT_", "_ZN3c104cuda3getIFivEEEvT_i", changed},
           Row{"_ZN3c104cuda3getIFivEEEvT_", "_ZN3c104cuda3getIFifEEEvT_", gone},
           Row{"_ZN3c102FnclEi", "_ZN3c102FnclEib", changed},
           Row{"_ZN3c1012_GLOBAL__N_13fooIiEEvT_", "_ZN3c1012_GLOBAL__N_13fooIfEEvT_", gone},
           Row{"_ZN3c1012_GLOBAL__N_13fooEi", "_ZN3c1012_GLOBAL__N_13fooEib", changed},
           Row{"_ZNK3c103Foo3getEv", "_ZNK3c103Foo3getEi", changed},
           Row{"_ZNKR3c103Foo3getEv", "_ZNKR3c103Foo3getEi", changed},
           // Both constructors of a class read alike, and are not the same.
           Row{"_ZN3c105ErrorC2Ev", "_ZN3c105ErrorC1Ev", gone},
           Row{"_ZN3c105Error4sizeEv", "_ZN3c105Error4size!", gone},
           // The same kind of std::string, abbreviated and not.
           Row{"_ZN3c104nameESs", "_ZN3c104nameESbIcSt11char_traitsIcESaIcEE", changed},
           // Outside of a namespace the name ends before the parameters, whose types have names as well.
           Row{"_Z3foo3bar", "_Z3foo3baz", changed},
           Row{"_Z3fooi", "_Z4foooi", ""},
           Row{"_Z3fooi", "foo", ""},
           // What an operator is called by are no brackets of a template.
           Row{"_ZNK3c103FooltEi", "_ZNK3c103FooltEl", changed},
           Row{"_ZNK3c103FooptEv", "_ZNK3c103FooptEi", changed},
           Row{"_ZN3c103FoorsEi", "_ZN3c103FoorsEl", changed},
           Row{"_ZNK3c103FooltEi", "_ZNK3c103FoogtEl", gone},
           Row{"_ZNK3c103FooltEi", "_ZNK3c103FooleEi", gone},
       }) {
    CAPTURE(row.used);
    CAPTURE(row.defined);
    CHECK(after_defines(Builds({row.used}, {row.defined}).told().message) == row.told);
  }
}

/// The function of c10 whose parameters are of a class of 680 letters, and others.
std::string with_long_class(const std::string& function, int count, const std::string& others = "") {
  auto name = "_ZN3c10" + std::to_string(function.size()) + function + "E680" + std::string(680, 'n');
  for (int i = 1; i < count; ++i) name += "S0_";
  return name + others;
}

TEST_CASE("names of up to 8,192 letters are compared") {
  const auto told = [](const std::string& used, const std::string& defined) {
    const auto message = Builds({used}, {defined}).told().message;
    return message.substr(message.rfind(" has "));
  };
  // Twelve such parameters and a name of three letters make 8,192 in all.
  const std::string changed = " has the name with other parameters", gone = " has nothing of that name";
  CHECK(told(with_long_class("get", 12), with_long_class("get", 11)) == changed);
  CHECK(told(with_long_class("get", 11), with_long_class("get", 12)) == changed);
  CHECK(told(with_long_class("take", 12), with_long_class("take", 11)) == gone);
  CHECK(told(with_long_class("take", 11), with_long_class("take", 12)) == gone);
}

/// An extension with libraries of PyTorch that define these symbols, in the order in which they are loaded.
struct Libraries {
  Libraries(const std::vector<std::string>& used, const std::vector<std::vector<std::string>>& defined) {
    world.files.add_file("/venv/bin/python", "");
    ElfSpec extension{.soname = "libext.so", .runpath = "$ORIGIN/../torch"};
    std::vector<std::string> claimed;
    for (std::size_t i = 0; i < defined.size(); ++i) {
      ElfSpec library;
      const auto name = "lib" + std::to_string(i) + ".so";
      for (const auto& symbol : defined[i]) library.defines.push_back({symbol});
      extension.needed.emplace_back(name);
      world.add(packages_at + "torch/" + name, library);
      claimed.push_back("torch/" + name);
    }
    for (const auto& name : used) extension.uses.push_back({.name = name});
    world.add(packages_at + "ext/libext.so", extension);
    world.add("/bin/app", program({.runpath = packages_at + "ext", .needed = {"libext.so"}}));
    install(world, packages_at, {"torch", "2.8.0"}, claimed);
    install(world, packages_at, {"flash_attn", "2.8.3"}, {"ext/libext.so"});
  }

  /// What is told and shown, without the symbols.
  std::string told() {
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    auto text = after_defines(report.findings[0].message) + "\n";
    for (const auto& each : report.findings[0].evidence)
      if (each.text.starts_with("lib")) text += each.text + " | " + std::string(file_name(each.path)) + "\n";
    return text;
  }

  TestWorld world;
};

TEST_CASE("of several libraries those are told that have most: other strings, else other parameters, else names") {
  const std::string gone = "_ZN3c104goneEv", changed = "_ZN3c105ErrorC2Ei";
  CHECK(Libraries({older_error}, {{gone}, {changed}, {newer_error}}).told() ==
        R"(: it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and lib2.so of torch 2.8.0 with 1
lib2.so of torch 2.8.0 has that function for the other kind of std::string | lib2.so
)");
  CHECK(Libraries({older_error}, {{gone}, {changed}}).told() ==
        R"(: lib1.so of torch 2.8.0 has the name with other parameters
lib1.so has c10::Error::Error(int) | lib1.so
)");
  CHECK(Libraries({older_error}, {{newer_error}, {changed}, {newer_error}}).told() ==
        R"(: it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and lib0.so of torch 2.8.0 with 1
lib0.so of torch 2.8.0 has that function for the other kind of std::string | lib0.so
lib2.so of torch 2.8.0 has that function for the other kind of std::string | lib2.so
)");
  CHECK(Libraries({older_error}, {{gone}, {gone, "_ZN3c104moreEv"}}).told() ==
        R"(: lib1.so of torch 2.8.0 has nothing of that name
lib1.so defines 2 symbols of that namespace, and not this one | lib1.so
)");
  CHECK(Libraries({older_error}, {{changed}, {gone}, {changed}, {changed}, {changed}}).told() ==
        R"(: lib0.so of torch 2.8.0 has the name with other parameters
lib0.so has c10::Error::Error(int) | lib0.so
lib2.so has c10::Error::Error(int) | lib2.so
lib3.so has c10::Error::Error(int) | lib3.so
)");
  CHECK(Libraries({older_error, "_ZN3c104lastEi"}, {{newer_error}}).told() ==
        R"(: it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and lib0.so of torch 2.8.0 with 1
lib0.so of torch 2.8.0 has 1 of these for the other kind of std::string | lib0.so
)");
  CHECK(Libraries({older_error}, {{changed, "_ZN3c105ErrorC2Ej", "_ZN3c105ErrorC2El", "_ZN3c105ErrorC2Eb"}}).told() ==
        R"(: lib0.so of torch 2.8.0 has the name with other parameters
lib0.so has c10::Error::Error(bool) | lib0.so
lib0.so has c10::Error::Error(int) | lib0.so
lib0.so has c10::Error::Error(long) | lib0.so
)");
}

TEST_CASE("64 of the functions that are missing are compared, and with 64 of a library each") {
  std::vector<std::string> used, overloads;
  for (int i = 0; i < 65; ++i) used.push_back("_ZN3c103f" + std::to_string(100 + i).substr(1) + "Ei");
  for (int i = 1; i <= 65; ++i) overloads.push_back("_ZN3c104nameE" + std::string(static_cast<std::size_t>(i), 'i'));
  const auto with = [&](std::size_t count) {
    return Libraries({used.begin(), used.begin() + static_cast<std::ptrdiff_t>(count)}, {{used[count - 1] + "b"}});
  };
  CHECK(with(64).told() == R"(: lib0.so of torch 2.8.0 has the name with other parameters
lib0.so has c10::f63(int, bool) | lib0.so
)");
  CHECK(with(65).told() == R"(: lib0.so of torch 2.8.0 has nothing of that name
lib0.so defines 1 symbol of that namespace, and not this one | lib0.so
)");
  // One more of them makes no better library.
  std::vector<std::string> fewer(overloads.begin(), overloads.end() - 1);
  fewer.insert(fewer.end(), {"_ZN3c104moreEv", "_ZN3c104lastEv"});
  const auto first_of = [](const std::vector<std::vector<std::string>>& defined) {
    const auto text = Libraries({"_ZN3c104nameEv"}, defined).told();
    return text.substr(0, text.find('\n'));
  };
  const std::string rest = " of torch 2.8.0 has the name with other parameters";
  CHECK(first_of({fewer, overloads}) == ": lib0.so" + rest);
  fewer.erase(fewer.begin());
  CHECK(first_of({fewer, overloads}) == ": lib1.so" + rest);
}

TEST_CASE("comparing ends where it costs too much, and of what is missing then nothing more is told") {
  // Names nearly as long as are compared, each pair of which costs as much as it is long.
  std::vector<std::string> used, defined;
  for (int i = 1; i <= 64; ++i) used.push_back(with_long_class("f", 11, std::string(static_cast<std::size_t>(i), 'i')));
  for (int i = 1; i <= 60; ++i)
    defined.push_back(with_long_class("f", 11, std::string(static_cast<std::size_t>(i), 'b')));
  const auto told = [&](std::size_t count) {
    Libraries libraries({used.begin(), used.begin() + static_cast<std::ptrdiff_t>(count)}, {defined, {newer_error}});
    libraries.world.add(packages_at + "ext/libother.so", {.soname = "libother.so",
                                                          .runpath = "$ORIGIN/../torch",
                                                          .needed = {"lib1.so"},
                                                          .uses = {{.name = older_error}}});
    install(libraries.world, packages_at, {"flash_attn", "2.8.3"}, {"ext/libext.so", "ext/libother.so"});
    libraries.world.add("/bin/app", program({.runpath = packages_at + "ext", .needed = {"libext.so", "libother.so"}}));
    const auto report = libraries.world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 2);
    std::string text;
    for (const auto& finding : report.findings)
      text += std::string(file_name(report.resolution.objects[*finding.object].path)) +
              (finding.fixes.empty() ? ": nothing\n" : ": compile it\n");
    return text;
  };
  CHECK(told(8) == "libext.so: compile it\nlibother.so: compile it\n");
  CHECK(told(64) == "libext.so: compile it\nlibother.so: nothing\n");
}

TEST_CASE("a library that no package claims is called by its name alone, and is no torch") {
  for (const bool is_torch : {true, false}) {
    Builds builds({older_error}, {newer_error}, "2.8.3+pt24cu121");
    install(builds.world, packages_at, {"torch", "2.8.0"}, {});
    if (!is_torch) install(builds.world, packages_at, {"torchlike", "1.0"}, {"torch/libc10.so"});
    const std::string called = is_torch ? "libc10.so" : "libc10.so of torchlike 1.0",
                      against = is_torch ? "libc10.so" : "torchlike 1.0";
    const auto finding = builds.told();
    CHECK(after_defines(finding.message) ==
          ": it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and " + called + " with 1");
    REQUIRE(finding.evidence.size() == 2);
    CHECK(finding.evidence[0].text == called + " has that function for the other kind of std::string");
    CHECK(finding.evidence[0].path == packages_at + "torch/libc10.so");
    REQUIRE(finding.fixes.size() == 1);
    CHECK(finding.fixes[0].title ==
          "flash_attn compiled from its source against the " + against + " that is installed");
    CHECK(finding.fixes[0].command == from_source);
    CHECK(finding.does_not_help ==
          std::vector<std::string>{
              "another copy of the same build of libext.so: the two kinds of std::string never fit"});
  }
}

TEST_CASE("what the namespace of a program has counts against what a package needs, in libraries of packages alone") {
  const auto told = [](bool library_in_package, bool with_driver = false, bool needed = true) {
    Builds builds({"_ZN3c104goneEv"}, {"_ZN3c104hereEv"});
    if (!library_in_package) install(builds.world, packages_at, {"torch", "2.8.0"}, {});
    ElfSpec extension{.soname = "libext.so", .runpath = "$ORIGIN/../torch", .uses = {{.name = "_ZN3c104goneEv"}}};
    if (with_driver) extension.needed.emplace_back("libcuda.so.1");
    if (needed) extension.needed.emplace_back("libc10.so");
    builds.world.add(packages_at + "ext/libext.so", extension);
    if (!needed) builds.world.query.dlopens = {{.name = "libc10.so", .caller = "libext.so"}};
    const auto report = builds.world.explain({packages_at + "ext/libext.so"});
    return in_full(report, "CUD201");
  };
  CHECK(told(true) ==
        R"(CUD201 | warning | /venv/lib/python3.11/site-packages/ext/libext.so | _ZN3c104goneEv
  libext.so expects the symbol c10::gone() from the program that loads it: libc10.so of torch 2.8.0 has nothing )"
        R"(of that name
  - libc10.so defines 1 symbol of that namespace, and not this one | )"
        R"(/venv/lib/python3.11/site-packages/torch/libc10.so | proven
  - _ZN3c104goneEv = c10::gone() | /venv/lib/python3.11/site-packages/ext/libext.so | proven
  = No library that it names defines them. Loaded by a program that does, it works; elsewhere it fails with )"
        R"("undefined symbol". Name that program first: cudald explain PROGRAM )"
        R"(/venv/lib/python3.11/site-packages/ext/libext.so
  > flash_attn compiled from its source against the torch 2.8.0 that is installed | /venv/bin/python -m pip )"
        R"(install --force-reinstall --no-deps --no-build-isolation --no-binary flash_attn flash_attn==2.8.3 | )"
        R"(its setup.py downloads a wheel for that release, if there is one; with FLASH_ATTENTION_FORCE_BUILD=TRUE )"
        R"(before the command it is compiled, which takes nvcc, and long
)");
  CHECK(told(false) == R"(CUD201 | warning | /venv/lib/python3.11/site-packages/ext/libext.so | _ZN3c104goneEv
  libext.so expects the symbol c10::gone() from the program that loads it
  - _ZN3c104goneEv = c10::gone() | /venv/lib/python3.11/site-packages/ext/libext.so | proven
  = No library that it names defines them. Loaded by a program that does, it works; elsewhere it fails with )"
                       R"("undefined symbol". Name that program first: cudald explain PROGRAM )"
                       R"(/venv/lib/python3.11/site-packages/ext/libext.so
)");
  CHECK(told(true, true) == told(true));
  CHECK(told(true, false, false) ==
        R"(CUD201 | warning | /venv/lib/python3.11/site-packages/ext/libext.so | _ZN3c104goneEv
  libext.so expects the symbol c10::gone() from the program that loads it
  - _ZN3c104goneEv = c10::gone() | /venv/lib/python3.11/site-packages/ext/libext.so | proven
  = No library that it names defines them. Loaded by a program that does, it works; elsewhere it fails with )"
        R"("undefined symbol". Name that program first: cudald explain PROGRAM )"
        R"(/venv/lib/python3.11/site-packages/ext/libext.so
)");
}

TEST_CASE("of wheels that are not installed no command compiles anew") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
                    torch = "/dist/torch-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const ElfSpec extension{.runpath = "$ORIGIN/../torch", .needed = {"libc10.so"}, .uses = {{.name = older_error}}};
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.so", elf(extension)}}));
  world.files.add_file(
      torch,
      wheel_file({{"torch/__init__.py", ""}, {"torch/libc10.so", elf({.defines = {{newer_error}}})}}, "", "torch"));
  world.query.packages = {torch};
  CHECK(in_full(world.explain({path}), "CUD201") ==
        R"(CUD201 | error | pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/_C.so | )"
        R"(_ZN3c105ErrorC2ENS_14SourceLocationESs
  _C.so needs the symbol c10::Error::Error(c10::SourceLocation, std::string), which nothing in the process )"
        R"(defines: it was compiled with _GLIBCXX_USE_CXX11_ABI=0, and libc10.so of torch 1.0 with 1
  - libc10.so of torch 1.0 has that function for the other kind of std::string | )"
        R"(torch-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/torch/libc10.so | proven
  - _ZN3c105ErrorC2ENS_14SourceLocationESs = c10::Error::Error(c10::SourceLocation, std::string) | )"
        R"(pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/_C.so | proven
  = The loader stops with: pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl!/pkg/_C.so: undefined symbol: )"
        R"(_ZN3c105ErrorC2ENS_14SourceLocationESs
  > a build of _C.so that was compiled against torch 1.0
  ! another copy of the same build of _C.so: the two kinds of std::string never fit
)");
}

}  // namespace
}  // namespace cudald
