#include <cerrno>

#include <doctest/doctest.h>

#include "common/world.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

/// A program that looks for liba.so in /a, then in /b, then in the system folders.
TestWorld two_folders() {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a:/b", .needed = {"liba.so"}}));
  world.files.add_folder("/a");
  world.files.add_folder("/b");
  world.files.add_folder("/usr/lib");
  return world;
}

std::string search(TestWorld& world) { return probes(world.explain({"/bin/app"}), "/bin/app", "liba.so"); }

std::string answer(TestWorld& world) { return requests(world.explain({"/bin/app"}), "/bin/app"); }

TEST_CASE("a search ends with the first file that fits") {
  auto world = two_folders();
  world.add("/b/liba.so", {});
  world.add("/usr/lib/liba.so", {});
  CHECK(search(world) == "/a/liba.so · runpath · absent\n/b/liba.so · runpath · found\n");
  CHECK(answer(world) == "liba.so: loaded by runpath\n");
}

TEST_CASE("a search without success has been everywhere") {
  auto world = two_folders();
  CHECK(search(world) ==
        "/a/liba.so · runpath · absent\n"
        "/b/liba.so · runpath · absent\n"
        "/lib/liba.so · default · absent\n"
        "/usr/lib/liba.so · default · absent\n");
  CHECK(answer(world) == "liba.so: missing, liba.so: cannot open shared object file: No such file or directory\n");
  const auto report = world.explain({"/bin/app"});
  CHECK(skipped(report, "/bin/app", "liba.so") == "ld-library-path: not set\ncache: there is none\n");
  CHECK(outcome(report) == "liba.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("nothing is opened in a folder that does not exist, and each path only once") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/none:/a", .needed = {"liba.so", "libb.so"}}));
  world.add("/a/liba.so", {.runpath = "/a", .needed = {"libb.so", "libc.so"}});
  world.add("/a/libb.so", {});
  world.files.take_log();
  world.explain({"/bin/app"});
  std::string opened;
  for (const auto& line : world.files.take_log())
    if (line.starts_with("open") && line.find("/etc/") == std::string::npos) opened += line.substr(5) + "\n";
  CHECK(opened ==
        "/bin/app\n"
        "/lib64/ld-linux-x86-64.so.2\n"  // for its version and folders
        "/lib64/ld-linux-x86-64.so.2\n"  // as an object
        "/a/liba.so\n"
        "/a/libb.so\n"
        "/a/libc.so\n"
        "/usr/lib/os-release\n");  // after the search, for what its packages are called
}

TEST_CASE("a hwcaps folder that exists is tried before its own folder") {
  auto world = two_folders();
  world.query.environment.cpu = x86_64_cpu(3);
  world.add("/b/liba.so", {});
  world.add("/b/glibc-hwcaps/x86-64-v2/liba.so", {});
  CHECK(search(world) == "/a/liba.so · runpath · absent\n/b/glibc-hwcaps/x86-64-v2/liba.so · runpath · found\n");
  world.query.environment.cpu = x86_64_cpu(1);
  CHECK(search(world) == "/a/liba.so · runpath · absent\n/b/liba.so · runpath · found\n");
}

TEST_CASE("what is there and does not fit decides how the search goes on") {
  struct Row {
    std::string fault;
    void (*put)(MemoryFileSystem&, const std::string& path);
    std::string first_probe;
    bool goes_on;
    std::string error;  // if it does not
  };
  const Row rows[] = {
      {"another machine", [](auto& files, auto& path) { files.add_file(path, elf({.machine = EM_AARCH64})); },
       "wrong-machine", true, ""},
      {"another class", [](auto& files, auto& path) { files.add_file(path, elf({.is_64 = false, .machine = EM_386})); },
       "wrong-class", true, ""},
      {"no permission", [](auto& files, auto& path) { files.add_file(path, elf({}), {.readable = false}); },
       "unreadable", true, ""},
      {"a dangling link", [](auto& files, auto& path) { files.add_symlink(path, "nowhere.so"); }, "absent", true, ""},
      {"an empty file", [](auto& files, auto& path) { files.add_file(path, ""); }, "malformed (stop)", false,
       "/a/liba.so: file too short"},
      {"a linker script",
       [](auto& files, auto& path) { files.add_file(path, "/* GNU ld script */" + std::string(100, ' ')); },
       "not-elf (stop)", false, "/a/liba.so: invalid ELF header"},
      {"a directory", [](auto& files, auto& path) { files.add_folder(path); }, "unreadable (stop)", false,
       "/a/liba.so: cannot read file data: Error 21"},
      {"a program", [](auto& files, auto& path) { files.add_file(path, elf(program({}))); }, "malformed (stop)", false,
       "liba.so: cannot dynamically load position-independent executable"},
      {"an object file", [](auto& files, auto& path) { files.add_file(path, elf({.type = ET_REL})); },
       "malformed (stop)", false, "/a/liba.so: only ET_DYN and ET_EXEC can be loaded"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.fault);
    auto world = two_folders();
    row.put(world.files, "/a/liba.so");
    world.add("/b/liba.so", {});
    const std::string rest = row.goes_on ? "/b/liba.so · runpath · found\n" : "";
    CHECK(search(world) == "/a/liba.so · runpath · " + row.first_probe + "\n" + rest);
    CHECK(answer(world) == "liba.so: " + (row.goes_on ? "loaded by runpath" : "rejected, " + row.error) + "\n");
    CHECK(outcome(world.explain({"/bin/app"})) == (row.goes_on ? "loads" : row.error) + "\n");
  }
}

TEST_CASE("a looping link ends its list of folders, not the search") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/a:/b", .needed = {"liba.so"}}));
  world.files.add_symlink("/a/liba.so", "liba.so");
  world.add("/b/liba.so", {});
  world.add("/lib/liba.so", {});
  CHECK(search(world) == "/a/liba.so · runpath · unreadable (next list)\n/lib/liba.so · default · found\n");
}

TEST_CASE("a closed folder is passed over") {
  auto world = two_folders();
  world.add("/a/liba.so", {});
  world.files.close_folder("/a");
  world.add("/b/liba.so", {});
  CHECK(search(world) == "/a/liba.so · runpath · unreadable\n/b/liba.so · runpath · found\n");
}

TEST_CASE("only files of another word size lead to an error of its own") {
  auto world = two_folders();
  world.add("/a/liba.so", {.is_64 = false, .machine = EM_386});
  CHECK(outcome(world.explain({"/bin/app"})) == "liba.so: wrong ELF class: ELFCLASS32\n");
  world.add("/a/liba.so", {.machine = EM_AARCH64});
  CHECK(outcome(world.explain({"/bin/app"})) == "liba.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("relative paths start at the current folder, and so do empty elements") {
  TestWorld world;
  world.query.environment.cwd = "/here";
  world.set("LD_LIBRARY_PATH", ":sub");
  world.add("/bin/app", program({.needed = {"./dir/liba.so", "libb.so", "libc.so"}}));
  world.add("/here/dir/liba.so", {});
  world.add("/here/libb.so", {});
  world.add("/here/sub/libc.so", {});
  const auto report = world.explain({"/bin/app"});
  CHECK(probes(report, "/bin/app", "./dir/liba.so") == "./dir/liba.so · path · found\n");
  CHECK(probes(report, "/bin/app", "libb.so") == "libb.so · ld-library-path · found\n");
  CHECK(probes(report, "/bin/app", "libc.so") ==
        "libc.so · ld-library-path · absent\nsub/libc.so · ld-library-path · found\n");
  CHECK(objects(report) == "/bin/app\n/here/dir/liba.so\n/here/libb.so\n/here/sub/libc.so\n");
}

TEST_CASE("$ORIGIN of a library is where the link lies, of a program where the file lies") {
  TestWorld world;
  world.add("/real/bin/app", program({.runpath = "$ORIGIN/../lib", .needed = {"liba.so"}}));
  world.files.add_symlink("/bin/app", "/real/bin/app");
  world.add("/elsewhere/liba.so.1", {.runpath = "$ORIGIN", .needed = {"libb.so"}});
  world.files.add_symlink("/real/lib/liba.so", "/elsewhere/liba.so.1");
  world.add("/elsewhere/libb.so", {});
  world.add("/real/lib/libb.so", {});
  CHECK(objects(world.explain({"/bin/app"})) == "/real/bin/app\n/elsewhere/liba.so.1\n/real/lib/libb.so\n");
}

TEST_CASE("what lies where a folder should be is told") {
  TestWorld world;
  world.files.add_file("/file", "");
  world.set("LD_LIBRARY_PATH", "/file:/none");
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  const auto report = world.explain({"/bin/app"});
  const auto& tried = report.resolution.objects.at(0).edges.at(0).search.probes;
  REQUIRE(tried.size() >= 2);
  CHECK(tried[0].path == "/file/liba.so");
  CHECK(tried[0].detail == "not a directory");
  CHECK(tried[0].system_error == ENOTDIR);
  CHECK(tried[0].result == ProbeResult::absent);
  CHECK(tried[1].path == "/none/liba.so");
  CHECK(tried[1].detail == "no such directory");
  CHECK(tried[1].system_error == ENOENT);
}

TEST_CASE("what a question cannot afford is not searched for, and told as that") {
  // The first limit is met before a folder is looked at, the other one before a file is.
  for (const std::uint64_t steps : {std::uint64_t{9'999}, std::uint64_t{29'999}}) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {"liba.so", "libb.so"}}));
    for (const auto* name : {"/lib/liba.so", "/lib/libb.so"}) world.add(name, {});
    world.query.costs.steps = steps;
    const auto report = world.explain({"/bin/app"});
    const auto told = ": not searched for: more than " + std::to_string(steps) + " steps would be needed for it\n";
    CHECK(requests(report, "/bin/app") == "liba.so: rejected, liba.so" + told + "libb.so: rejected, libb.so" + told);
  }
}

TEST_CASE("a name with $ORIGIN is refused in a set-user-ID program, and what has nothing in place of it everywhere") {
  TestWorld world;
  world.add("/bin/liba.so", {});
  world.add("/bin/app", program({.needed = {"$ORIGIN/liba.so"}}));
  CHECK(requests(world.explain({"/bin/app"}), "/bin/app") == "$ORIGIN/liba.so: loaded by path\n");
  world.query.environment.secure = true;
  const auto report = world.explain({"/bin/app"});
  const auto& edge = report.resolution.objects.at(0).edges.at(0);
  CHECK(edge.name == "$ORIGIN/liba.so");
  CHECK(edge.status == EdgeStatus::rejected);
  CHECK(edge.error == "$ORIGIN/liba.so: DST not allowed in SUID/SGID programs");
  CHECK(edge.search.probes.empty());
  CHECK(edge.kind == EdgeKind::needed);
  CHECK(edge.hard);
}

TEST_CASE("an odd error ends its list once the folder itself was tried, not at its subfolders") {
  TestWorld world;
  for (const auto* path : {"/open/liba.so", "/lib/liba.so"}) world.add(path, {});
  const std::string link = "/open/glibc-hwcaps/x86-64-v2/liba.so";
  world.files.add_symlink(link, link);
  world.files.add_symlink("/loop/liba.so", "liba.so");
  world.query.environment.cpu = x86_64_cpu(2);
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  const auto tried = [&](const std::string& folders) {
    world.set("LD_LIBRARY_PATH", folders);
    std::string text;
    const auto report = world.explain({"/bin/app"});
    for (const auto& probe : report.resolution.objects.at(0).edges.at(0).search.probes)
      text += probe.path + " " + std::to_string(probe.system_error) + (probe.ends_list ? " ends\n" : "\n");
    return text;
  };
  const auto loop = " " + std::to_string(ELOOP);
  CHECK(tried("/open") == link + loop + "\n/open/liba.so 0\n");
  CHECK(tried("/loop:/open") == "/loop/liba.so" + loop + " ends\n/lib/liba.so 0\n");
}

TEST_CASE("an entry of the cache is a path, which DF_1_NODEFLIB forbids in a system folder only") {
  const auto world_with = [](const std::string& path, std::uint64_t flags) {
    TestWorld world;
    world.files.add_file("/etc/ld.so.cache", new_cache({{"liba.so.1", path}}));
    world.add("/bin/app", program({.needed = {"liba.so.1"}, .flags_1 = flags}));
    world.add(path, {});
    return world;
  };
  constexpr std::uint64_t no_default_folders = 0x800;
  for (const std::uint64_t flags : {std::uint64_t{0}, no_default_folders}) {
    auto world = world_with("/opt/liba.so.1", flags);
    const auto report = world.explain({"/bin/app"});
    CHECK(probes(report, "/bin/app", "liba.so.1") == "/opt/liba.so.1 · cache · found\n");
    CHECK(report.resolution.objects.at(1).path == "/opt/liba.so.1");
  }
  auto world = world_with("/usr/lib/liba.so.1", no_default_folders);
  const auto report = world.explain({"/bin/app"});
  const auto& edge = report.resolution.objects.at(0).edges.at(0);
  REQUIRE(edge.search.probes.size() == 1);
  CHECK(edge.search.probes[0].path == "/usr/lib/liba.so.1");
  CHECK(edge.search.probes[0].rule == SearchRule::cache);
  CHECK(edge.search.probes[0].result == ProbeResult::refused);
  CHECK(edge.search.probes[0].detail == "in a system directory, which the requester forbids (DF_1_NODEFLIB)");
  CHECK(edge.error.starts_with("liba.so.1: cannot open shared object file"));
  // The folder of the entry is known by its path: one that is not there is told as that.
  auto gone = world_with("/opt/liba.so.1", 0);
  gone.files.add_file("/etc/ld.so.cache", new_cache({{"liba.so.1", "/gone/deep/liba.so.1"}}));
  gone.add("/lib/liba.so.1", {});
  const auto other = gone.explain({"/bin/app"});
  const auto& tried = other.resolution.objects.at(0).edges.at(0).search.probes;
  REQUIRE(tried.size() == 2);
  CHECK(tried[0].path == "/gone/deep/liba.so.1");
  CHECK(tried[0].detail == "no such directory");
  CHECK(tried[1].path == "/lib/liba.so.1");
}

TEST_CASE("two entries of the cache in one folder look at it once, those of two folders at both") {
  TestWorld world;
  world.files.add_file(
      "/etc/ld.so.cache",
      new_cache({{"libc.so.1", "/two/libc.so.1"}, {"libb.so.1", "/one/libb.so.1"}, {"liba.so.1", "/one/liba.so.1"}}));
  world.add("/bin/app", program({.needed = {"liba.so.1", "libb.so.1", "libc.so.1"}}));
  world.add("/one/liba.so.1", {});
  world.add("/two/libc.so.1", {});
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n/one/liba.so.1\n/two/libc.so.1\n");
}

}  // namespace
}  // namespace cudald
