#include <doctest/doctest.h>

#include "common/world.h"

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
        "/a/libc.so\n");
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
      {"a folder", [](auto& files, auto& path) { files.add_folder(path); }, "unreadable (stop)", false,
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

}  // namespace
}  // namespace cudald
