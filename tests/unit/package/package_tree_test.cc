#include "package/package_tree.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "package/wheel_texts.h"
#include "unit/archive/tar_builder.h"
#include "unit/archive/zip_builder.h"
#include "unit/package/faulty_file.h"

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
  CHECK(tree.install("/absent.whl", limits).error().code == ErrorCode::absent);
  CHECK(failure("/absent.whl") == "No such file or directory");
  CHECK(failure("/page.whl") == "is not a zip archive");
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
    const auto& seen_given = given;
    CAPTURE(seen_given);
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
  CHECK(words(package.problems) ==
        "file-and-folder: `lib/liba.so.1/below` is below something that is not a directory\n");
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
  const auto copy = one.tree.empty_like();
  copy->install_all_of(one.tree);
  CHECK(text_at(*copy, placeholder + "/lib/a.so") == "a");
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
                                     {.name = "pkg/a.socket.so"},
                                     {.name = "pkg/b.pyd"},
                                     {.name = "pkg/c.exe"},
                                     {.name = "pkg/d.pyi", .mode = 0100755},
                                     {.name = "pkg/d.h", .mode = 0100755},
                                     {.name = "pkg/d.hpp", .mode = 0100755},
                                     {.name = "pkg/d.cuh", .mode = 0100755},
                                     {.name = "pkg/d.json", .mode = 0100755},
                                     {.name = "pkg/locked", .flags = 1, .mode = 0100755},
                                     {.name = "pkg/locked.so", .flags = 1},
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
  CHECK(libraries == site + "/pkg/a.dll " + site + "/pkg/a.so " + site + "/pkg/a.so.1.2 " + site + "/pkg/a.socket.so " +
                         site + "/pkg/b.pyd " + site + "/pkg/c.exe ");
  CHECK(one.package().unusable == std::vector<std::string>{in_site + "/pkg/locked.so"});
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
  CHECK(one.tree.shown(in_prefix + "/promised/libc.so.6") == "(glibc)/libc.so.6");
  CHECK_FALSE(one.tree.path_of(number, "b.so"));
  CHECK(one.tree.shown(std::string(PackageTree::promised) + "/none.so") == "(promised)/none.so");
  CHECK(one.tree.shown(in_site + "/none.so") == "site-packages/none.so");
}

TEST_CASE("a long name in an archive is cut where it is told") {
  const std::string shorter(200, 's'), longer(201, 'l');
  const OneInstalled one(archive_of({{.name = shorter}, {.name = longer}}).bytes);
  CHECK(one.tree.name_in_archive(0, 0) == "pkg-1.0-py3-none-any.whl!/" + shorter);
  CHECK(one.tree.name_in_archive(0, 1) == "pkg-1.0-py3-none-any.whl!/" + longer.substr(0, 200) + "...");
}

TEST_CASE("what cannot be installed gives the code, the path and the place of its fault") {
  MemoryFileSystem base;
  base.add_file("/page.whl", "<!DOCTYPE html>");
  base.add_file("/empty.whl", archive_of({}).bytes);
  base.add_file("/x.conda", archive_of({{.name = "a"}}).bytes);
  PackageTree tree(base);
  const auto error_of = [&](const std::string& path) {
    const auto number = tree.install(path);
    return number ? Error{ErrorCode::usage, "none", "", std::nullopt, 0} : number.error();
  };
  for (const auto* path : {"/page.whl", "/empty.whl", "/x.conda"}) {
    CAPTURE(path);
    CHECK(error_of(path).code == ErrorCode::malformed);
    CHECK(error_of(path).path == path);
  }
  CHECK(error_of("/x.conda").message == "no conda package (no pkg-*.tar.zst in it that can be read)");
  CHECK(error_of("/page.whl").offset.has_value());
  CHECK_FALSE(error_of("/empty.whl").offset);
}

TEST_CASE("a wheel on a bad disk is not installed, wherever its fault lies") {
  const auto bytes = archive_of({{.name = "pkg/big", .data = std::string(200'000, 'b')}, {.name = "pkg/a.so"}}).bytes;
  for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 30}, {bytes.size() - 30, bytes.size()}}) {
    const FaultyTree base("/a.whl", bytes, begin, end);
    PackageTree tree(base);
    const auto number = tree.install("/a.whl");
    REQUIRE_FALSE(number.has_value());
    CHECK(number.error().code == ErrorCode::unreadable);
    CHECK(number.error().message == "Input/output error");
  }
}

TEST_CASE("a wheel tells its tags and what Python it wants, and goes by its file's name where it tells nothing") {
  const OneInstalled told(wheel_file({}, "Requires-Python: >=3.9\nRequires-Dist: numpy\n"),
                          "/other-2.0-py3-none-any.whl");
  CHECK(told.package().name == "pkg");
  CHECK(told.package().version == "1.0");
  CHECK(told.package().requires_python == ">=3.9");
  CHECK(told.package().requires_dist == std::vector<std::string>{"numpy"});
  CHECK(told.package().tags == std::vector<std::string>{"py3-none-any"});
  const OneInstalled silent(archive_of({{.name = "a.so"}}).bytes, "/other-2.0-py3-none-any.whl");
  CHECK(silent.package().name == "other");
  CHECK(silent.package().version == "2.0");
  const OneInstalled no_wheel(archive_of({{.name = "a.so"}}).bytes, "/any.zip");
  CHECK(no_wheel.package().name == "");
  CHECK(no_wheel.package().libraries == std::vector<std::string>{in_site + "/a.so"});
}

TEST_CASE("10,000 tags of a wheel are read, and that there are more is told") {
  for (const auto count : {most_wheel_tags, most_wheel_tags + 1}) {
    std::string wheel = "Wheel-Version: 1.0\n";
    for (std::size_t i = 0; i < count; ++i) wheel += "Tag: a\n";
    const OneInstalled one(wheel_file({{"other-1.0.dist-info/WHEEL", wheel}}), "/other-1.0-py3-none-any.whl");
    CHECK(one.package().tags.size() == most_wheel_tags);
    CHECK(words(one.package().problems) ==
          (count == most_wheel_tags ? ""
                                    : "too-many-members: has a WHEEL with more than 10000 tags; the first are read\n"));
  }
}

TEST_CASE("texts of a wheel that cannot be read are told once, by what is wrong with the member") {
  const auto with = [](ZipEntry metadata, bool breaks_header = false) {
    metadata.name = "pkg-1.0.dist-info/METADATA";
    auto zip = archive_of({{.name = "pkg/a.so"}, metadata});
    if (breaks_header) zip.put(zip.local[1], "KP");
    const OneInstalled one(zip.bytes);
    CHECK(one.package().name == "pkg");
    for (const auto& problem : one.package().wheel_problems) CHECK(problem.kind != WheelProblemKind::name_differs);
    return words(one.package().problems);
  };
  CHECK(with({.flags = 1}) == "encrypted: is encrypted\n");
  CHECK(with({}, true).starts_with("local-header: "));
  CHECK(with({}, true).find("damaged") == std::string::npos);
  CHECK(with({.data = "no deflate", .method = 8}).starts_with("damaged: cannot be unpacked: "));
}

TEST_CASE("a file below another file of a wheel is left out") {
  const OneInstalled one(archive_of({{.name = "pkg/a.so"}, {.name = "pkg/a.so/b.so"}}).bytes);
  CHECK(one.package().libraries == std::vector<std::string>{in_site + "/pkg/a.so"});
}

TEST_CASE("a wheel for Windows puts its data's site-packages where modules are") {
  const auto bytes = archive_of({{.name = "pkg-1.0.data/data/Lib/site-packages/a.dll"},
                                 {.name = "pkg-1.0.dist-info/METADATA", .data = "Name: pkg\nVersion: 1.0\n"}})
                         .bytes;
  CHECK(OneInstalled(bytes, "/pkg-1.0-cp311-cp311-win_amd64.whl").package().libraries ==
        std::vector<std::string>{in_site + "/a.dll"});
  CHECK(OneInstalled(bytes, "/pkg-1.0-cp311-cp311-linux_x86_64.whl").package().libraries ==
        std::vector<std::string>{in_prefix + "/Lib/site-packages/a.dll"});
}

TEST_CASE("files have an identity by their package and member, and a tree is told by what was installed") {
  MemoryFileSystem base;
  base.add_file("/a.whl", archive_of({{.name = "a"}, {.name = "b", .data = "12345"}}).bytes);
  base.add_file("/x.tar.bz2", conda_tar({{.name = "lib/c"}}));
  PackageTree tree(base);
  REQUIRE(tree.install("/a.whl", {300, 200, 100}).has_value());
  REQUIRE(tree.install("/x.tar.bz2").has_value());
  tree.install_names("n", "2", {"d", "e"});
  CHECK(tree.status(in_site + "/a")->id == FileId{0x637564616c64, 1});
  CHECK(tree.status(in_site + "/b")->id == FileId{0x637564616c64, 2});
  CHECK(tree.status(in_prefix + "/lib/c")->id == FileId{0x637564616c65, 1});
  CHECK(tree.status(in_prefix + "/e")->id == FileId{0x637564616c66, 2});
  CHECK(tree.status(in_site + "/b")->size == 5);
  CHECK(tree.status(in_site)->kind == FileKind::folder);
  const InflateLimits usual;
  const auto limits =
      std::to_string(usual.member) + " " + std::to_string(usual.total) + " " + std::to_string(usual.ratio);
  CHECK(tree.description().parts ==
        std::vector<std::string>{"300 200 100 /a.whl ", limits + " /x.tar.bz2 ", "n 2 d\ne", ""});
  tree.stand_on_nothing();
  CHECK(tree.description().parts.back() == "nothing");
  CHECK(*tree.real_path(in_prefix) == in_prefix);
  CHECK(*tree.real_path(in_prefix + "/./lib/..") == in_prefix);
  CHECK(tree.is_installed(in_site + "/none"));
  CHECK_FALSE(tree.is_installed("/x.tar.bz2"));
  CHECK(tree.has_name(in_site + "/a"));
  CHECK_FALSE(tree.has_name(in_site + "/none"));
  CHECK_FALSE(tree.has_name("/a.whl"));
}

TEST_CASE("what a conda package inflates to counts towards the limit of all packages") {
  for (const std::uint64_t left : {std::uint64_t{59}, std::uint64_t{60}}) {
    MemoryFileSystem base;
    const auto tar = conda_tar({{.name = "lib/c", .data = std::string(5000, 'c')}});
    base.add_file("/x.tar.bz2", zstd_of(tar));
    base.add_file("/a.whl", archive_of({{.name = "a.so", .data = std::string(60, 'x')}}).bytes);
    PackageTree tree(base);
    REQUIRE(tree.install("/x.tar.bz2").has_value());
    REQUIRE(tree.install("/a.whl", {.total = tar.size() + left}).has_value());
    CHECK(tree.packages()[1].problems.count(ZipProblemKind::over_total) == (left == 60 ? 0 : 1));
  }
}

TEST_CASE("a path through a link is shown by where it leads") {
  const OneInstalled one(conda_tar({{.name = "lib/link", .type = '2', .link = "../other/deep"},
                                    {.name = "lib/both", .data = "1"},
                                    {.name = "other/both", .data = "2"},
                                    {.name = "other/x", .data = "3"},
                                    {.name = "other/deep/y"}}),
                         "/x.tar.bz2");
  CHECK(text_at(one.tree, in_prefix + "/lib/link/../x") == "3");
  CHECK(one.tree.shown(in_prefix + "/lib/link/../x") == "x.tar.bz2!/other/x");
  CHECK(text_at(one.tree, in_prefix + "/lib/link/../both") == "2");
  CHECK(one.tree.shown(in_prefix + "/lib/link/../both") == "x.tar.bz2!/other/both");
  CHECK(one.tree.shown(in_prefix + "/lib/link/y") == "x.tar.bz2!/lib/link/y");
  CHECK(one.tree.shown(in_prefix + "/lib/../lib/both") == "x.tar.bz2!/lib/both");
}

TEST_CASE("names of a tree are kept up to a limit, which each package tells that it met") {
  std::string deep;
  for (int i = 0; i < 15; ++i) deep += std::string(250, static_cast<char>('a' + i)) + "/";
  std::vector<TarEntry> entries{
      {.name = deep, .type = '5'}, {.name = deep + "a", .data = ""}, {.name = "l", .type = '2', .link = deep}};
  constexpr std::size_t given = 69'000;
  for (std::size_t i = 0; i < given; ++i) entries.push_back({.name = "l/" + std::to_string(i) + ".so"});
  MemoryFileSystem base;
  base.add_file("/x.tar.bz2", conda_tar(std::move(entries)));
  base.add_file("/a.whl", archive_of({{.name = "a.so"}}).bytes);
  base.add_file("/y.tar.bz2", conda_tar({{.name = "below/b.so"}}));
  PackageTree tree(base);
  const std::string told =
      "too-many-members: has more directories and files than are kept: more than 268435456 bytes of names and entries "
      "would be kept for it\n";
  for (const auto* archive : {"/x.tar.bz2", "/a.whl", "/y.tar.bz2"}) {
    const auto number = tree.install(archive);
    REQUIRE(number.has_value());
    CHECK(words(tree.packages()[*number].problems) == told);
  }
  CHECK(tree.packages()[0].libraries.size() > 60'000);
  CHECK(tree.packages()[0].libraries.size() < given);
  CHECK(tree.packages()[1].libraries.empty());
  CHECK(tree.packages()[2].libraries.empty());
}

TEST_CASE("what is told of a package has its place, and leaves its members known") {
  constexpr std::size_t most = 10'000;
  std::vector<ZipEntry> libraries(most + 1);
  for (std::size_t i = 0; i <= most; ++i) libraries[i] = {.name = std::to_string(i) + ".so", .data = ""};
  const auto many = archive_of(libraries);
  const OneInstalled with_many(many.bytes);
  CHECK(placed(with_many.package().problems) == "too-many-members at " + std::to_string(many.directory) + "\n");

  const auto large = archive_of(
      {{.name = "pkg/a.so"}, {.name = "pkg-1.0.dist-info/METADATA", .data = std::string((16 << 20) + 1, '\n')}});
  const OneInstalled with_large(large.bytes);
  CHECK(placed(with_large.package().problems) == "too-large of 1 at " + std::to_string(large.local[1]) + "\n");

  const auto damaged = archive_of({{.name = "pkg/a.so"}, {.name = "pkg-1.0.dist-info/METADATA"}});
  const OneInstalled with_damaged(damaged.bytes);
  CHECK(placed(with_damaged.package().problems) == "damaged of 1 at " + std::to_string(damaged.local[1]) + "\n");
  CHECK(words(with_damaged.package().problems) ==
        "damaged: cannot be unpacked: its bytes do not match their checksum (CRC-32)\n");

  const auto deflated = archive_of(
      {{.name = "pkg/a.so"}, {.name = "pkg-1.0.dist-info/METADATA", .data = "\xff", .method = 8, .size = 9}});
  const OneInstalled with_deflated(deflated.bytes);
  CHECK(placed(with_deflated.package().problems).starts_with("damaged of 1 at "));

  const OneInstalled conda(conda_tar({{.name = "a", .data = "x"}, {.name = "a/b", .data = "y"}}), "/d/x-1-0.tar.bz2");
  CHECK(placed(conda.package().problems) == "file-and-folder at 0\n");
}

TEST_CASE("of requirements and tags that are too many is told where the directory is") {
  std::string metadata, wheel = "Wheel-Version: 1.0\n";
  for (std::size_t i = 0; i <= most_requirements; ++i) metadata += "Requires-Dist: a\n";
  for (std::size_t i = 0; i <= most_wheel_tags; ++i) wheel += "Tag: a\n";
  const auto bytes = wheel_file({{"other-1.0.dist-info/WHEEL", wheel}}, metadata);
  const auto place = std::to_string(directory_of(BytesFile(bytes)).start());
  CHECK(placed(OneInstalled(bytes, "/other-1.0-py3-none-any.whl").package().problems) ==
        "too-many-members at " + place + "\n");
  CHECK(placed(OneInstalled(bytes).package().problems) == "too-many-members at " + place + "\n");
}

/// A tree with one file, which counts how often it is read.
class ReadCountingTree final : public FileSystem {
 public:
  ReadCountingTree(std::string path, std::string bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

  Result<FileStatus> status(const std::string& path) const override { return nothing_.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path != path_) return nothing_.open(path);
    return std::unique_ptr<File>(std::make_unique<CountedReads>(bytes_, reads));
  }
  Result<std::string> real_path(const std::string& path) const override { return nothing_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return nothing_.list(path); }

  mutable int reads = 0;

 private:
  class CountedReads final : public File {
   public:
    CountedReads(std::string bytes, int& reads) : file_(std::move(bytes)), reads_(reads) {}
    const FileStatus& status() const override { return file_.status(); }
    Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
      ++reads_;
      return file_.read(offset, into);
    }

   private:
    BytesFile file_;
    int& reads_;
  };

  MemoryFileSystem nothing_;
  std::string path_, bytes_;
};

TEST_CASE("of the files that were opened last eight stay open") {
  std::vector<ZipEntry> entries;
  for (char c = 'a'; c <= 'i'; ++c) entries.push_back({.name = std::string(1, c)});
  const ReadCountingTree base("/a.whl", archive_of(entries).bytes);
  PackageTree tree(base);
  REQUIRE(tree.install("/a.whl").has_value());
  const auto reads_to_open = [&](char name) {
    const auto before = base.reads;
    REQUIRE(tree.open(in_site + "/" + name).has_value());
    return base.reads - before;
  };
  for (char c = 'a'; c <= 'h'; ++c) CHECK(reads_to_open(c) > 0);
  CHECK(reads_to_open('a') == 0);
  CHECK(reads_to_open('h') == 0);
  CHECK(reads_to_open('i') > 0);
  CHECK(reads_to_open('b') == 0);
  CHECK(reads_to_open('a') > 0);
}

TEST_CASE("files below the folder of packages are what they are, with the errno of what they are not") {
  const OneInstalled one(archive_of({{.name = "pkg/a.so", .data = "a", .mode = 0100755}}).bytes);
  const auto status = one.tree.status(in_site + "/pkg/a.so");
  REQUIRE(status);
  CHECK(status->kind == FileKind::regular);
  CHECK(status->executable);
  CHECK_FALSE(status->set_user_id);
  for (const auto& path : {in_site + "/pkg/none", in_site + "/none/a"}) {
    CAPTURE(path);
    const auto gone = one.tree.status(path);
    REQUIRE_FALSE(gone);
    CHECK(gone.error().code == ErrorCode::absent);
    CHECK(gone.error().system_error == ENOENT);
    CHECK(gone.error().path == path);
    CHECK(one.tree.list(path).error().path == path);
    CHECK(one.tree.real_path(path).error().path == path);
  }
  CHECK(one.tree.open(in_site).error().path == in_site);
  CHECK(one.tree.list(in_site + "/pkg/a.so").error().path == in_site + "/pkg/a.so");
  const auto below = one.tree.open(in_site + "/pkg/a.so/b");
  REQUIRE_FALSE(below);
  CHECK(below.error().system_error == ENOTDIR);
}

TEST_CASE("of a text that must not be read its size does not matter") {
  const auto large =
      archive_of({{.name = "pkg/a.so"},
                  {.name = "pkg-1.0.dist-info/METADATA", .data = std::string((16 << 20) + 1, '\n'), .flags = 1}});
  CHECK(words(OneInstalled(large.bytes).package().problems) == "encrypted: is encrypted\n");
}

}  // namespace
}  // namespace cudald
