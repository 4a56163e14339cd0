#include "package/package_tree.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "package/wheel_texts.h"
#include "unit/fs/tar_builder.h"
#include "unit/fs/zip_builder.h"

namespace cudald {
namespace {

TEST_CASE("an archive that cannot be installed does not shift the numbers of the others") {
  MemoryFileSystem base;
  base.add_file("/good.whl", archive_of({{.name = "pkg/liba.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/late.whl", archive_of({{.name = "pkg/libb.so", .data = std::string(60, 'x')}}).bytes);
  base.add_file("/empty.whl", archive_of({}).bytes);
  base.add_file("/page.whl", "<!DOCTYPE html>");
  auto broken = two_members();
  broken.put(broken.central[0], "QK");
  base.add_file("/broken.whl", "in front" + broken.bytes + "behind");

  PackageTree tree(base);
  const InflateLimits limits{100, 100, 10};
  const auto failure = [&](const std::string& path) {
    const auto number = tree.install(path, limits);
    return number ? "" : number.error().message;
  };
  CHECK(failure("/absent.whl") == "No such file or directory");
  CHECK(failure("/page.whl") == "is no zip archive");
  CHECK(failure("/broken.whl") != "");
  CHECK(failure("/empty.whl") == "is an empty archive, so no wheel");
  const auto good = tree.install("/good.whl", limits);
  REQUIRE(good.has_value());
  REQUIRE(tree.packages().size() > *good);
  CHECK(tree.packages()[*good].archive == "/good.whl");
  const auto path = std::string(PackageTree::site_packages) + "/pkg/liba.so";
  REQUIRE(tree.package_of(path) != nullptr);
  CHECK(tree.package_of(path)->archive == "/good.whl");
  CHECK(tree.shown(path) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, 0) == "good.whl!/pkg/liba.so");
  CHECK(tree.name_in_archive(*good, std::nullopt) == "good.whl");
  CHECK(tree.status(path)->size == 60);

  // What else is wrong with an archive that cannot be installed is known; the error tells what is fatal.
  const auto& packages = tree.packages();
  const auto told =
      std::find_if(packages.begin(), packages.end(), [](const Package& p) { return p.archive == "/broken.whl"; });
  REQUIRE(told != packages.end());
  CHECK(told->problems.count(ZipProblemKind::trailing_data) == 1);
  CHECK_FALSE(told->problems.any_fatal());

  // The limit is on all archives together.
  const auto late = tree.install("/late.whl", limits);
  REQUIRE(late.has_value());
  CHECK(tree.packages()[*late].problems.count(ZipProblemKind::over_total) == 1);
  CHECK(tree.packages()[*late].libraries.empty());
}

const std::string in_prefix(PackageTree::prefix), in_site(PackageTree::site_packages);

/// A tree with one package, of which only that is asked.
struct OneInstalled {
  explicit OneInstalled(const std::string& bytes, const std::string& path = "/pkg-1.0-py3-none-any.whl") {
    base.add_file(path, bytes);
    base.add_file("/etc/hosts", "base");
    const auto number = tree.install(path);
    if (!number) FAIL(number.error().message);
  }
  const Package& package() const { return tree.packages().at(0); }

  MemoryFileSystem base;
  PackageTree tree{base};
};

std::string conda_tar(std::vector<TarEntry> entries, const std::string& prefix = "") {
  entries.push_back({.name = "info/index.json", .data = R"({"name":"x","version":"1","depends":["y >=2"]})"});
  if (!prefix.empty()) entries.push_back({.name = "info/has_prefix", .data = prefix + " binary lib/a\n"});
  return tar_of(entries);
}

TEST_CASE("packages are known by their suffix, and what stands in one by the mark behind it") {
  for (const auto* name : {"a.whl", "a.zip", "a.conda", "a.tar.bz2"}) CHECK_MESSAGE(is_package_name(name), name);
  for (const auto* name : {"a.so", "whl", "a.whl/", "a.tar"}) CHECK_MESSAGE(!is_package_name(name), name);
  struct Row {
    const char *given, *archive, *member;
  };
  for (const auto& [given, archive, member] :
       {Row{"a.whl", "a.whl", ""}, Row{"d/a.whl!/pkg/a.so", "d/a.whl", "pkg/a.so"}, Row{"a.whl!/", "a.whl", ""},
        Row{"a.so!/b.so", "", ""}, Row{"a.so", "", ""}, Row{"a.whl!b.so", "", ""},
        Row{"a.so!/b.whl", "a.so!/b.whl", ""}}) {
    CAPTURE(given);
    CHECK(package_target(given).archive == archive);
    CHECK(package_target(given).member == member);
  }
}

TEST_CASE("a conda package is installed below the prefix, with its links and names of one file") {
  const OneInstalled one(conda_tar({{.name = "lib/liba.so.1", .data = "library", .mode = 0755},
                                    {.name = "lib/liba.so", .type = '2', .link = "liba.so.1"},
                                    {.name = "lib/libb.so", .type = '1', .link = "lib/liba.so.1"},
                                    {.name = "bin/tool", .data = "tool", .mode = 0755},
                                    {.name = "lib/liba.so.1/below", .data = "x"}}),
                         "/d/x-1-0.tar.bz2");
  const auto& package = one.package();
  CHECK(package.archive == "/d/x-1-0.tar.bz2");
  CHECK(package.name == "x");
  CHECK(package.version == "1");
  CHECK(package.depends == std::vector<std::string>{"y >=2"});
  CHECK(package.libraries == std::vector<std::string>{in_prefix + "/lib/liba.so.1", in_prefix + "/lib/libb.so"});
  CHECK(words(package.problems) == "file-and-folder: `lib/liba.so.1/below` lies below what is no folder\n");
  const auto& tree = one.tree;
  CHECK(*tree.list(in_prefix) == std::vector<std::string>{"bin", "lib"});
  CHECK(*tree.real_path(in_prefix + "/lib/liba.so") == in_prefix + "/lib/liba.so.1");
  CHECK(text_at(tree, in_prefix + "/lib/liba.so") == "library");
  CHECK(tree.status(in_prefix + "/lib/libb.so")->id == tree.status(in_prefix + "/lib/liba.so.1")->id);
  CHECK_FALSE(tree.status(in_prefix + "/bin/tool")->id == tree.status(in_prefix + "/lib/liba.so.1")->id);
  CHECK(tree.status(in_prefix + "/bin/tool")->executable);
  CHECK(tree.shown(in_prefix + "/lib/liba.so") == "x-1-0.tar.bz2!/lib/liba.so");
  CHECK(tree.shown(in_prefix + "/lib/libb.so") == "x-1-0.tar.bz2!/lib/libb.so");
  CHECK(tree.shown(in_prefix + "/lib/none.so") == in_prefix + "/lib/none.so");
  CHECK(tree.path_of(0, "lib/libb.so") == in_prefix + "/lib/libb.so");
  CHECK_FALSE(tree.path_of(0, "lib/liba.so"));
  CHECK_FALSE(tree.path_of(0, "lib"));
  CHECK(tree.package_of(in_prefix + "/lib/liba.so") == &package);
  CHECK(tree.package_of(in_prefix + "/lib") == nullptr);
  CHECK(tree.package_of("/etc/hosts") == nullptr);
}

TEST_CASE("a placeholder at the front of a path leads to the prefix, as whole names") {
  const std::string placeholder = "/opt/anaconda1anaconda2anaconda3";
  const OneInstalled one(conda_tar({{.name = "lib/a.so", .data = "a"}}, placeholder), "/x.tar.bz2");
  CHECK(text_at(one.tree, placeholder + "/lib/a.so") == "a");
  CHECK(one.tree.status(placeholder)->kind == FileKind::folder);
  CHECK_FALSE(one.tree.status(placeholder + "x/lib/a.so"));
  CHECK(one.tree.shown(placeholder + "/lib/a.so") == "x.tar.bz2!/lib/a.so");
  const auto absent = one.tree.open(placeholder + "/lib/none.so");
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error().path == placeholder + "/lib/none.so");
  CHECK(absent.error().system_error == ENOENT);
}

TEST_CASE("what does not lead into the folder of packages is the tree below") {
  const OneInstalled one(archive_of({{.name = "pkg/a.so", .data = "a"}}).bytes);
  CHECK(text_at(one.tree, "/etc/hosts") == "base");
  CHECK(text_at(one.tree, "/etc/.." + in_site + "/pkg/a.so") == "a");
  CHECK(one.tree.list("/etc")->size() == 1);
  CHECK_FALSE(one.tree.status(in_prefix + "x"));
  CHECK(one.tree.open(in_site).error().system_error == EISDIR);
  CHECK(one.tree.list(in_site + "/pkg/a.so").error().system_error == ENOTDIR);
}

TEST_CASE("of a wheel's files those are programs that may be executed or lie in bin, but no sources") {
  const OneInstalled one(archive_of({{.name = "pkg/a.so"},
                                     {.name = "pkg/a.dll"},
                                     {.name = "pkg/a.so.1.2"},
                                     {.name = "pkg/a.sox"},
                                     {.name = "pkg/tool", .mode = 0100755},
                                     {.name = "pkg/group", .mode = 0100654},
                                     {.name = "pkg/plain"},
                                     {.name = "pkg/user", .mode = 0100744},
                                     {.name = "pkg/a.py", .mode = 0100755},
                                     {.name = "pkg/a.txt", .mode = 0100755},
                                     {.name = "pkg-1.0.data/data/bin/run"},
                                     {.name = "pkg-1.0.dist-info/licenses/a"}})
                             .bytes);
  std::string libraries, programs;
  for (const auto& path : one.package().libraries) libraries += path.substr(in_prefix.size()) + " ";
  for (const auto& path : one.package().programs) programs += path.substr(in_prefix.size()) + " ";
  const auto site = in_site.substr(in_prefix.size());
  CHECK(libraries == site + "/pkg/a.dll " + site + "/pkg/a.so " + site + "/pkg/a.so.1.2 ");
  CHECK(programs == "/bin/run " + site + "/pkg/group " + site + "/pkg/tool " + site + "/pkg/user ");
  CHECK(one.tree.path_of(0, "pkg/tool") == in_site + "/pkg/tool");
  CHECK(one.tree.path_of(0, "pkg/group") == in_site + "/pkg/group");
  for (const auto* none : {"pkg/plain", "pkg/a.py", "pkg/a.txt", "pkg/a.sox"})
    CHECK_MESSAGE(!one.tree.path_of(0, none), none);
}

TEST_CASE("10,000 libraries of a wheel are judged, and that there are more is told") {
  constexpr std::size_t most = 10'000;
  for (const auto count : {most, most + 1}) {
    std::vector<ZipEntry> entries(count);
    for (std::size_t i = 0; i < count; ++i) entries[i] = {.name = std::to_string(i) + ".so", .data = ""};
    const OneInstalled one(archive_of(entries).bytes);
    CHECK(one.package().libraries.size() == most);
    CHECK(words(one.package().problems) ==
          (count == most ? "" : "too-many-members: has 10001 shared libraries; 10000 are judged\n"));
  }
}

TEST_CASE("10,000 requirements of a wheel are read, and that there are more is told") {
  const auto with = [](std::size_t count) {
    std::string metadata;
    for (std::size_t i = 0; i < count; ++i) metadata += "Requires-Dist: a\n";
    return wheel_file({{"pkg/a.so", "x"}}, metadata);
  };
  const OneInstalled whole(with(most_requirements)), more(with(most_requirements + 1));
  CHECK(words(whole.package().problems) == "");
  CHECK(whole.package().requires_dist.size() == most_requirements);
  CHECK(
      words(more.package().problems) ==
      "too-many-members: has a METADATA with more than 10000 requirements, or one of over 16384 bytes; the others are "
      "read\n");
  CHECK(more.package().requires_dist.size() == most_requirements);
}

TEST_CASE("texts of a wheel are read up to 16 MiB, and held against their checksum") {
  constexpr std::size_t most = std::size_t{16} << 20;
  const auto problems = [](std::size_t size) {
    const OneInstalled one(
        archive_of({{.name = "pkg/a.so"}, {.name = "pkg-1.0.dist-info/METADATA", .data = std::string(size, '\n')}})
            .bytes);
    return words(one.package().problems);
  };
  CHECK(problems(most).starts_with("damaged: cannot be unpacked: "));
  CHECK(problems(most + 1) == "too-large: has 16777217 bytes; such texts are read up to 16777216\n");
}

TEST_CASE("packages of which only names are known are found where nothing lies yet, and are shown by their name") {
  OneInstalled one(archive_of({{.name = "pkg/a.so", .data = "a"}}).bytes);
  const std::string site = in_site.substr(in_prefix.size() + 1);
  const auto number =
      one.tree.install_names("glibc", "2.17", {site + "/pkg/a.so", "promised/libc.so.6", site + "/b.so"});
  CHECK(number == 1);
  const auto& package = one.tree.packages().at(number);
  CHECK(package.name == "glibc");
  CHECK(package.version == "2.17");
  CHECK(package.archive == "");
  CHECK(package.libraries == std::vector<std::string>{in_prefix + "/promised/libc.so.6", in_site + "/b.so"});
  CHECK(text_at(one.tree, in_site + "/pkg/a.so") == "a");
  CHECK(one.tree.shown(in_site + "/b.so") == "(glibc)/b.so");
  CHECK(one.tree.shown(std::string(PackageTree::promised) + "/none.so") == "(promised)/none.so");
  CHECK(one.tree.shown(in_site + "/none.so") == "site-packages/none.so");
}

TEST_CASE("a long name in an archive is cut where it is told") {
  const std::string shorter(200, 's'), longer(201, 'l');
  const OneInstalled one(archive_of({{.name = shorter}, {.name = longer}}).bytes);
  CHECK(one.tree.name_in_archive(0, 0) == "pkg-1.0-py3-none-any.whl!/" + shorter);
  CHECK(one.tree.name_in_archive(0, 1) == "pkg-1.0-py3-none-any.whl!/" + longer.substr(0, 200) + "...");
}

}  // namespace
}  // namespace cudald
