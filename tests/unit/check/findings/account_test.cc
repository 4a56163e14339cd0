#include "check/findings/account.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

Edge missing(const std::string& name, const std::vector<std::string>& probes = {}) {
  Edge edge;
  edge.name = name;
  for (const auto& path : probes)
    edge.search.probes.push_back({path, SearchRule::runpath, {}, ProbeResult::absent, ""});
  return edge;
}

World world_with(std::vector<RequiredPackage> requirements) {
  World world;
  world.kind = WorldKind::tag;
  world.name = "manylinux_2_28_x86_64";
  world.requirements = std::move(requirements);
  return world;
}

RequiredPackage required(const std::string& name, bool known) { return {name, "", "pkg", false, {}, {}, known, ""}; }

TEST_CASE("a library that was not found stands in one of five ways") {
  const MemoryFileSystem files;
  PackageTree tree(files);
  tree.install_names("brought", "", {"lib/python3/site-packages/brought/liba.so.1"});
  const auto standing = [&](const World& world, const Edge& edge) {
    Report report;
    report.resolution.world = world;
    return Accounts(report, tree).of(edge).standing;
  };
  const auto nothing = world_with({}), known = world_with({required("click", true)}),
             unknown = world_with({required("odd", false)});
  CHECK(standing(nothing, missing("liba.so.1")) == Standing::declared);
  CHECK(standing(nothing, missing("libb.so.1")) == Standing::undeclared);
  CHECK(standing(known, missing("libb.so.1")) == Standing::undeclared);
  CHECK(standing(unknown, missing("libb.so.1")) == Standing::possible);
  CHECK(standing(nothing, missing("libpython3.11.so.1.0")) == Standing::python);
  CHECK(standing(unknown, missing("libpython3.11.so.1.0")) == Standing::python);
}

TEST_CASE("a copy that a required package has for itself is not for others, unless it is its provider") {
  const MemoryFileSystem files;
  const auto standing = [&](const std::string& package, const std::string& library) {
    PackageTree tree(files);
    tree.install_names(package, "", {"lib/python3/site-packages/pkg/lib/" + library});
    Report report;
    report.resolution.world = world_with({});
    return Accounts(report, tree).of(missing(library)).standing;
  };
  CHECK(standing("compiler", "libcupti.so.12") == Standing::undeclared);
  CHECK(standing("nvidia_cuda_cupti.cu12", "libcupti.so.12") == Standing::declared);
  CHECK(standing("compiler", "libown.so.12") == Standing::declared);
}

TEST_CASE("where a search looked says which requirement may bring the library") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  const auto site = std::string(PackageTree::site_packages);
  const auto world = world_with({required("other", false), required("some-package", true)});
  Report report;
  report.resolution.world = world;
  const auto account = Accounts(report, tree).of(missing("libb.so.1", {site + "/pkg/../some_package/libb.so.1"}));
  CHECK(account.standing == Standing::possible);
  CHECK(account.by == std::vector<std::string>{"some-package"});
  const auto of_python =
      Accounts(report, tree).of(missing("libpython3.11.so.1.0", {site + "/some_package/libpython3.11.so.1.0"}));
  CHECK(of_python.standing == Standing::python);
  CHECK(of_python.by.empty());
}

TEST_CASE("a requirement of which nothing is known installs no library of NVIDIA") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  Report report;
  report.resolution.world = world_with({required("unheard-of", false), required("nvidia-cublas-cu11", false)});
  const Accounts accounts(report, tree);
  CHECK(accounts.of(missing("libcublas.so.11")).by == std::vector<std::string>{"nvidia-cublas-cu11"});
  CHECK(accounts.of(missing("libb.so.1")).by == std::vector<std::string>{"unheard-of", "nvidia-cublas-cu11"});
  report.resolution.world = world_with({required("unheard-of", false)});
  const Accounts nobody(report, tree);
  CHECK(nobody.of(missing("libcublas.so.11")).standing == Standing::undeclared);
}

TEST_CASE("only in the world of a tag, and only what was found nowhere, is told as a requirement") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  Report report;
  report.resolution.world = world_with({});
  CHECK(Accounts(report, tree).tells(missing("libb.so.1")));
  CHECK_FALSE(Accounts(report, tree).tells(missing("/opt/libb.so.1")));
  auto refused = missing("libb.so.1", {"/x/libb.so.1"});
  refused.search.probes.front().result = ProbeResult::wrong_machine;
  CHECK_FALSE(Accounts(report, tree).tells(refused));
  report.resolution.world.kind = WorldKind::here;
  CHECK_FALSE(Accounts(report, tree).tells(missing("libb.so.1")));
}

TEST_CASE("the request that a library which was not found lets fail") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  Report report;
  report.resolution.objects.resize(1);
  report.resolution.targets.resize(2);
  report.resolution.targets[1].error = "it failed";
  report.resolution.targets[1].kind = TargetKind::dlopen;
  const Accounts accounts(report, tree);
  auto edge = missing("libb.so.1");
  CHECK(accounts.failing_request(0, edge) == &report.resolution.targets[0]);
  edge.status = EdgeStatus::not_loaded;  // another one was missing before
  CHECK(accounts.failing_request(0, edge) == nullptr);
  edge.status = EdgeStatus::rejected;
  CHECK(accounts.failing_request(0, edge) == &report.resolution.targets[0]);
  edge.object = 0;
  CHECK(accounts.failing_request(0, edge) == nullptr);
  auto opened = missing("libc.so.1");
  opened.hard = false;
  opened.error = "it failed";
  CHECK(accounts.failing_request(0, opened) == nullptr);
  opened.kind = EdgeKind::dlopen;
  CHECK(accounts.failing_request(0, opened) == &report.resolution.targets[1]);
}

TEST_CASE("of the requirements that may bring a library six are named, none twice and none that is at hand") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  const auto site = std::string(PackageTree::site_packages) + "/";
  std::vector<RequiredPackage> requirements;
  std::vector<std::string> probes, six;
  for (const std::string name : {"a", "b", "c", "d", "e", "f", "g"}) {
    requirements.push_back(required(name, false));
    probes.push_back(site + name + "/lib/libx.so.1");
    if (name != "g") six.push_back(name);
  }
  auto beside = required("beside", false);
  beside.at_hand = true;
  requirements.insert(requirements.begin(), beside);
  probes.insert(probes.begin(), {site + "beside/libx.so.1", site + "libx.so.1", site + "a/libx.so.1"});
  Report report;
  report.resolution.world = world_with(requirements);
  CHECK(Accounts(report, tree).of(missing("libx.so.1")).by == six);
  CHECK(Accounts(report, tree).of(missing("libx.so.1", probes)).by == six);
  CHECK(Accounts(report, tree).of(missing("libx.so.1", {probes.front()})).by == six);
}

TEST_CASE("the first request for a name speaks for all; of failed dlopens the first that must not fail") {
  const MemoryFileSystem files;
  const PackageTree tree(files);
  Report report;
  report.resolution.world = world_with({required("a", true), required("b", true)});
  const auto in = [](const std::string& folder) {
    return std::string(PackageTree::site_packages) + "/" + folder + "/libx.so.1";
  };
  report.resolution.targets.resize(4);
  for (auto& target : report.resolution.targets) target.kind = TargetKind::dlopen, target.error = "it failed";
  report.resolution.targets[0].object = 0;  // loaded all the same
  report.resolution.targets[1].traits.optional = true;
  const Accounts accounts(report, tree);
  CHECK(accounts.of(missing("libx.so.1", {in("a")})).by == std::vector<std::string>{"a"});
  CHECK(accounts.of(missing("/opt/libx.so.1", {in("b")})).by == std::vector<std::string>{"a"});
  auto opened = missing("libx.so.1");
  opened.error = "it failed";
  CHECK(accounts.failed_dlopen(opened) == &report.resolution.targets[2]);
  opened.error = "another way";
  CHECK(accounts.failed_dlopen(opened) == nullptr);
}

TEST_CASE("that a table knows what absent requirements bring is told, with their number") {
  const auto told = [](std::vector<RequiredPackage> requirements) {
    Finding finding;
    add_requirements_source(world_with(std::move(requirements)), finding);
    return finding.evidence.empty() ? "nothing" : finding.evidence.front().text;
  };
  auto beside = required("beside", true);
  beside.at_hand = true;
  CHECK(told({beside}) == "nothing");
  CHECK(told({beside, required("a", true)}) ==
        "1 required package is not available locally: what it provides is known as of that day");
  CHECK(told({required("a", true), required("b", false)}) ==
        "2 required packages are not available locally: what they provide is known as of that day");
}

}  // namespace
}  // namespace cudald
