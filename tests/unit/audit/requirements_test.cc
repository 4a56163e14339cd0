#include "audit/requirements.h"

#include <set>

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/memory_file_system.h"
#include "common/wheel_file.h"

namespace cudald {
namespace {

std::string names_of(const std::vector<RequiredPackage>& required) {
  std::string names;
  for (const auto& one : required) names += (names.empty() ? "" : " ") + one.name + (one.at_hand ? "!" : "");
  return names;
}

/// What pkg requires with these lines.
std::string required_by(const std::string& metadata, const std::set<std::string>& extras = {}) {
  MemoryFileSystem files;
  files.add_file("/pkg-1.0-py3-none-any.whl", wheel_file({{"pkg/__init__.py", ""}}, metadata));
  PackageTree tree(files);
  REQUIRE(tree.install("/pkg-1.0-py3-none-any.whl"));
  return names_of(active_requirements(tree, {0}, linux_marker_values("3.11", "x86_64"), extras));
}

TEST_CASE("requirements count by their markers and extras") {
  CHECK(required_by("Requires-Dist: click\nRequires-Dist: Cymem<3\n") == "click cymem");
  CHECK(required_by("Requires-Dist: click; python_version < \"3\"\n") == "");
  CHECK(required_by("Requires-Dist: click; sys_platform == \"win32\"\n") == "");
  CHECK(required_by("Requires-Dist: click; extra == \"cli\"\n") == "");
  CHECK(required_by("Requires-Dist: click; extra == \"cli\"\n", {"cli"}) == "click");
}

TEST_CASE("a requirement counts as it is written, though no row knows that release") {
  MemoryFileSystem files;
  files.add_file("/pkg-1.0-py3-none-any.whl",
                 wheel_file({{"pkg/__init__.py", ""}},
                            "Requires-Dist: nvidia-cudnn-cu12\nRequires-Dist: nvidia-cudnn-cu12==8.9.7.29\n"));
  PackageTree tree(files);
  REQUIRE(tree.install("/pkg-1.0-py3-none-any.whl"));
  const auto required = active_requirements(tree, {0}, linux_marker_values("3.11", "x86_64"), {});
  REQUIRE(!required.empty());
  CHECK(required[0].specifiers == "==8.9.7.29");
}

TEST_CASE("of one graph several questions can be asked, each with its own extras") {
  MemoryFileSystem files;
  files.add_file("/pkg-1.0-py3-none-any.whl",
                 wheel_file({{"pkg/__init__.py", ""}},
                            "Requires-Dist: click\nRequires-Dist: cymem; extra == \"a\"\n"
                            "Requires-Dist: other[b]; extra == \"b\" and python_version > \"3\"\n"
                            "Requires-Dist: never; extra == \"b\" and python_version < \"3\"\n"
                            "Requires-Dist: unasked; extra != \"a\"\n"));
  files.add_file("/other-1.0-py3-none-any.whl",
                 wheel_file({{"other/__init__.py", ""}}, "Requires-Dist: last; extra == \"b\"\n", "other"));
  PackageTree tree(files);
  REQUIRE(tree.install("/pkg-1.0-py3-none-any.whl"));
  REQUIRE(tree.install("/other-1.0-py3-none-any.whl"));
  const auto values = linux_marker_values("3.11", "x86_64");
  RequirementGraph graph(tree, values);
  for (const auto& [extras, names] : {std::pair(std::set<std::string>{"b"}, "click other! unasked last"),
                                      {{}, "click unasked"},
                                      {{"a"}, "click cymem"},
                                      {{"b"}, "click other! unasked last"}}) {
    CHECK(names_of(graph.active({0}, extras)) == names);
    CHECK(names_of(active_requirements(tree, {0}, values, extras)) == names);
  }
}

TEST_CASE("a licence with lines of blanks does not end METADATA") {
  CHECK(required_by("License: MIT\n        \n        Copyright\nRequires-Dist: click\n") == "click");
}

TEST_CASE("what is known of a requirement is followed") {
  const auto names = required_by("Requires-Dist: torch==2.9.1\n");
  CHECK(names.starts_with("torch "));
  CHECK(names.find("nvidia-cuda-runtime-cu12") != std::string::npos);
}

TEST_CASE("a release brings a library if it was seen in it, or pip takes one in which it is likely") {
  const Provider kept{"nvidia-cudnn-cu12", "9.28.0.42", "nvidia/cudnn/lib", "nvidia-cudnn-cu12", "9.11.1.4"};
  CHECK(brings(kept, ""));
  CHECK_FALSE(brings(kept, "==8.9.7.29"));
  const Provider lost{"nvidia-cudnn-cu12", "8.9.7.29", "nvidia/cudnn/lib", "nvidia-cudnn-cu12==8.9.7.29", "8.8.0.121"};
  CHECK_FALSE(brings(lost, ""));
  CHECK_FALSE(brings(lost, ">=8.9"));
  CHECK(brings(lost, "==8.9.7.29"));
  CHECK(brings(lost, "<9"));
  CHECK_FALSE(brings(lost, "==9.1.0.70"));
  const Provider named{"nvidia-cuda-nvrtc-cu12", "12.9.86", "f", "nvidia-cuda-nvrtc-cu12", "12.9.41"};
  CHECK_FALSE(brings(named, "==12.8.93"));
}

TEST_CASE("markers ask the world of a tag") {
  World world;
  world.python = "3.12";
  world.name = "manylinux_2_28_aarch64";
  CHECK(marker_values(world).at("platform_machine") == "aarch64");
  CHECK(marker_values(world).at("python_version") == "3.12");
  world.name = "musllinux_1_2_x86_64";
  CHECK(marker_values(world).at("platform_machine") == "x86_64");
  world.name = "win_amd64";
  CHECK(marker_values(world).at("sys_platform") == "win32");
}

TEST_CASE("extras are those that markers name") {
  Package package;
  package.requires_dist = {"a; extra == 'One_Two'", "b", "c; python_version > '3' and extra == \"three\"",
                           "d; extra == 'three'", "e; extra == 'a' or (extra == 'three' or extra == \"b\")"};
  CHECK(extras_of(package) == std::vector<std::string>{"one-two", "three", "a", "b"});
}

TEST_CASE("a library that nothing is known to bring may be Python's own, may yet be brought, or is undeclared") {
  CHECK(standing_of_unbrought("libb.so.1", false) == Standing::undeclared);
  CHECK(standing_of_unbrought("libb.so.1", true) == Standing::possible);
  for (const auto may : {false, true}) {
    CHECK(standing_of_unbrought("libpython3.11.so.1.0", may) == Standing::python);
    CHECK(standing_of_unbrought("libpython3.so", may) == Standing::python);
    CHECK(standing_of_unbrought("libpython2.7.so.1.0", may) != Standing::python);
  }
}

TEST_CASE("a pinned release that the table has not seen brings what its neighbours had") {
  const Provider kept{"nvidia-cuda-nvrtc-cu12", "12.9.86", "f", "nvidia-cuda-nvrtc-cu12", "12.9.41"};
  CHECK(brings(kept, "==12.9.50"));
  CHECK(brings(kept, "==13.0.1"));
  CHECK(brings(kept, "==12.9.41"));
  CHECK(brings(kept, "==12.9.*"));
  CHECK(brings(kept, "===12.9.50"));
  CHECK_FALSE(brings(kept, "===12.8.93"));
  CHECK_FALSE(brings(kept, "==12.8.*"));
  CHECK(brings(kept, "==12.9.50,<13"));
  CHECK_FALSE(brings(kept, "<12.9"));
  CHECK(brings(kept, "<=12.9.41"));
  const Provider lost{"nvidia-cudnn-cu12", "8.9.7.29", "f", "nvidia-cudnn-cu12==8.9.7.29", "8.8.0.121"};
  CHECK(brings(lost, "==8.9.5"));
  CHECK(brings(lost, "<8.9"));
  CHECK_FALSE(brings(lost, "==8.7"));
  CHECK_FALSE(brings(lost, "==8.9.8"));
}

TEST_CASE("lines that cannot be read are passed over, and a package that is required twice is told once") {
  CHECK(required_by("Requires-Dist: ???\nRequires-Dist: click\nRequires-Dist: click>=8\n") == "click");
  MemoryFileSystem files;
  files.add_file("/pkg-1.0-py3-none-any.whl",
                 wheel_file({{"pkg/__init__.py", ""}},
                            "Requires-Dist: other==1.0\nRequires-Dist: other[a]\nRequires-Dist: other[a,b]>=1\n"));
  files.add_file("/other-1.0-py3-none-any.whl",
                 wheel_file({{"other/__init__.py", ""}},
                            "Requires-Dist: x; extra == 'a'\nRequires-Dist: y ; extra == 'b'\n"
                            "Requires-Dist: z ; extra == 'c'\nRequires-Dist: pkg\n",
                            "other"));
  PackageTree tree(files);
  REQUIRE(tree.install("/pkg-1.0-py3-none-any.whl"));
  REQUIRE(tree.install("/other-1.0-py3-none-any.whl"));
  const auto found = active_requirements(tree, {0}, linux_marker_values("3.11", "x86_64"), {});
  std::string told;
  for (const auto& one : found)
    told += one.name + "|" + one.specifiers + "|" + one.by + "|" + one.version + (one.at_hand ? "|at hand\n" : "|\n");
  CHECK(told == "pkg||other||at hand\nother|==1.0,>=1|pkg|1.0|at hand\nx||other||\ny||other||\n");
}

TEST_CASE("the world of a tag of Windows has its machine, and one without a name that of x86-64") {
  World world;
  world.python = "3.12";
  const auto machine = [&](const std::string& name) {
    world.name = name;
    return marker_values(world).at("platform_machine");
  };
  CHECK(machine("win_amd64") == "AMD64");
  CHECK(machine("win32") == "x86");
  CHECK(machine("win_arm64") == "ARM64");
  CHECK(machine("") == "x86_64");
  CHECK(machine("linux_aarch64") == "x86_64");
  CHECK(machine("manylinux_2_28_ppc64le") == "ppc64le");
  CHECK(marker_values(world).at("sys_platform") == "linux");
}

TEST_CASE("an extra that is written in no quotes, or before the marker, is none") {
  Package package;
  package.requires_dist = {"a; extra", "b; extra == 'open", "extra-x; python_version > '3'", "c; extra == \"it's\"",
                           "d; extra == 'last'"};
  CHECK(extras_of(package) == std::vector<std::string>{"it's", "last"});
}

TEST_CASE("what a distribution brings is known by the tables, on each system its own") {
  const auto brought = [](const std::string& name, const std::string& specifiers, bool windows) {
    const auto libraries = brought_by(name, specifiers, windows, built_in());
    if (!libraries) return std::string("unknown");
    std::string told;
    for (const auto& library : *libraries) told += library.name + " in " + library.folder + "\n";
    return told;
  };
  CHECK(brought("nvidia-cuda-runtime-cu12", "", false) == "libcudart.so.12 in nvidia/cuda_runtime/lib\n");
  CHECK(brought("nvidia-cuda-runtime-cu12", "", true) == "cudart64_12.dll in nvidia/cuda_runtime/bin\n");
  CHECK(brought("nvidia-cuda-runtime-cu12", "==1.0", false) == "");
  CHECK(brought("nobody-knows-this", "", false) == "unknown");
  CHECK(brought("nobody-knows-this", "", true) == "unknown");
  CHECK(brought("torch", "==2.9.1", false) != "unknown");
  CHECK(brought("torch", "==2.9.1", true) == "unknown");
  // A package without libraries is known to bring none, wherever it is installed.
  CHECK(brought("absl-py", "", false) == "");
  CHECK(brought("absl-py", "", true) == "");
}

TEST_CASE("a distribution is told by the name that it has itself, and followed by its normal one") {
  MemoryFileSystem files;
  files.add_file("/Big_Name-1.0-py3-none-any.whl",
                 wheel_file({{"big/__init__.py", ""}},
                            "Requires-Dist: nobody-knows-this; extra == 'all'\nRequires-Dist: click\n", "Big_Name"));
  PackageTree tree(files);
  REQUIRE(tree.install("/Big_Name-1.0-py3-none-any.whl"));
  const auto found = active_requirements(tree, {0}, linux_marker_values("3.11", "x86_64"), {"all"});
  REQUIRE(found.size() == 2);
  CHECK(names_of(found) == "nobody-knows-this click");
  for (const auto& one : found) {
    CHECK(one.by == "Big_Name");
    CHECK_FALSE(one.known);  // that is for whoever knows what it brings
  }
}

TEST_CASE("an extra whose name has the word in it is one, and does not hide the next") {
  Package package;
  package.requires_dist = {"a; extra == 'extra1' or extra == 'b'", "c; extra == 'my-extra' or extra == 'd'"};
  CHECK(extras_of(package) == std::vector<std::string>{"extra1", "b", "my-extra", "d"});
}

TEST_CASE("a release brings a library if pip may take the newest or the oldest one that has it") {
  const Provider kept{"nvidia-cuda-nvrtc-cu12", "12.9.86", "f", "nvidia-cuda-nvrtc-cu12", "12.9.41"};
  CHECK(brings(kept, ">12.9.41,<13"));
  CHECK(brings(kept, "<12.9.86"));
  CHECK_FALSE(brings(kept, ">12.9.86,<13"));
}

TEST_CASE("of a distribution with several libraries each is told once, from either table") {
  const auto told = [](const std::string& name, const std::string& specifiers) {
    std::multiset<std::string> libraries;
    const auto brought = brought_by(name, specifiers, false, built_in());
    REQUIRE(brought);
    for (const auto& library : *brought) libraries.insert(library.name + " in " + library.folder);
    return libraries;
  };
  const auto cudnn = told("nvidia-cudnn-cu12", "");
  for (const auto* name : {"libcudnn.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9"})
    CHECK_MESSAGE(cudnn.count(std::string(name) + " in nvidia/cudnn/lib") == 1, name);
  const auto triton = told("triton", "==3.5.1");
  CHECK(triton.count("libGPUInstrumentationTestLib.so in triton/instrumentation") == 1);
  CHECK(triton.count("libMLIRDialectPlugin.so in triton/plugins") == 0);  // of a later release
  for (const auto& library : triton) CHECK(triton.count(library) == 1);
}

}  // namespace
}  // namespace cudald
