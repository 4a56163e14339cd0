#include "cli/commands/repair.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "unit/cli/command_line.h"

namespace cudald {
namespace {

/// A library that another one beside it, in lib/, would satisfy.
struct Broken {
  Broken() {
    root.add_file("x.so", elf({.soname = "x.so", .needed = {"libdep.so.1"}}));
    root.add_file("lib/libdep.so.1", elf({.soname = "libdep.so.1"}));
    std::filesystem::create_directory(root / "out");
    ::chmod((root / "x.so").c_str(), 0751);
  }

  CommandAnswer repair(std::vector<std::string> words) const {
    words.insert(words.begin(), "repair");
    return said_to(words, root);
  }

  std::string runpath(const std::string& name) const {
    const auto files = make_disk_file_system();
    const auto file = files->open(root / name);
    return file ? (*read_image(**file))->elf.runpath.value_or("none") : "no file";
  }

  ScratchFolder root;
};

TEST_CASE("a repaired copy is written with the permissions of the file, which stays as it is") {
  const Broken broken;
  const auto before = text_of(broken.root / "x.so");
  const auto answer = broken.repair({"x.so", "-o", "out/new.so"});
  CHECK(answer.complaints == "");
  CHECK(answer.status == 0);
  CHECK(answer.answer.find("written       out/new.so") != std::string::npos);
  CHECK(broken.runpath("out/new.so") == "$ORIGIN/lib");
  CHECK(text_of(broken.root / "x.so") == before);
  struct stat status{};
  CHECK(::stat((broken.root / "out/new.so").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0751);
}

TEST_CASE("a file is repaired where only the verdict is asked for") {
  const Broken broken;
  CHECK(broken.repair({"x.so", "-o", "out/new.so", "-q"}).status == 0);
  CHECK(broken.runpath("out/new.so") == "$ORIGIN/lib");
}

TEST_CASE("several files go to a directory, and the same input gives the same bytes") {
  const Broken broken;
  broken.root.add_file("y.so", elf({.soname = "y.so", .needed = {"libdep.so.1"}}));
  CHECK(broken.repair({"x.so", "y.so", "-o", "out"}).status == 0);
  const auto first = text_of(broken.root / "out/x.so");
  CHECK(broken.runpath("out/y.so") == "$ORIGIN/lib");
  CHECK(broken.repair({"x.so", "y.so", "-o", "out"}).status == 0);
  CHECK(text_of(broken.root / "out/x.so") == first);
}

TEST_CASE("a dry run writes nothing") {
  const Broken broken;
  const auto answer = broken.repair({"x.so", "-o", "out", "--dry-run"});
  CHECK(answer.status == 0);
  CHECK(answer.answer.find("dry run       out/x.so") != std::string::npos);
  CHECK(broken.runpath("out/x.so") == "no file");
}

TEST_CASE("a file that loads is copied; if one of several cannot be repaired, none is written") {
  const Broken broken;
  CHECK(broken.repair({"lib/libdep.so.1", "-o", "out"}).status == 0);
  CHECK(text_of(broken.root / "out/libdep.so.1") == text_of(broken.root / "lib/libdep.so.1"));
  broken.root.add_file("bad.so", elf({.needed = {"libnone.so.1"}}));
  const auto bad = broken.repair({"x.so", "bad.so", "-o", "out"});
  CHECK(bad.status == 1);
  CHECK(bad.answer.find("not written   another file cannot be repaired\n") != std::string::npos);
  CHECK(broken.runpath("out/x.so") == "no file");
  broken.root.add_file("text", "text");
  const auto text = broken.repair({"x.so", "text", "-o", "out"});
  CHECK(text.status == 3);
  CHECK(text.complaints == "cudald: text: not an ELF file\n");
  CHECK(broken.repair({"none.so", "-o", "out"}).status == 3);
}

TEST_CASE("a file is never replaced by its own result") {
  const Broken broken;
  const auto complaint = [&](std::vector<std::string> words) {
    const auto answer = broken.repair(std::move(words));
    CHECK(answer.status == 2);
    return answer.complaints.substr(0, answer.complaints.find('\n'));
  };
  CHECK(complaint({"x.so", "-o", "x.so"}) == "cudald: -o x.so is the file itself; `repair` writes a new one");
  CHECK(complaint({"x.so", "-o", "."}) == "cudald: -o ./x.so is the file itself; `repair` writes a new one");
  std::filesystem::create_symlink("x.so", broken.root / "link.so");
  CHECK(complaint({"x.so", "-o", "link.so"}).starts_with("cudald: -o link.so is the file itself"));
  CHECK(complaint({"x.so", "lib/libdep.so.1", "-o", "new"}) ==
        "cudald: -o new: no such directory; several files need one");
  broken.root.add_file("lib/x.so", elf({}));
  CHECK(complaint({"x.so", "lib/x.so", "-o", "out"}) == "cudald: two results would be out/x.so");
  CHECK(complaint({"a-1.0-0.conda", "-o", "out"}) ==
        "cudald: a-1.0-0.conda is a package of conda; `cudald explain a-1.0-0.conda` prints what its author has "
        "to change");
  CHECK(complaint({"x.so"}) == "cudald: `repair` writes a new file; name it, or a directory, with -o");
  CHECK(complaint({"x.so", "-o", "json=a"}) == "cudald: `repair` reports to standard output, in the format of -f");
  CHECK(complaint({"-o", "out"}) == "cudald: a file is missing: cudald repair FILE... -o NEW|DIR, WHEEL... -w DIR");
}

TEST_CASE("a result that cannot be written is an error") {
  const Broken broken;
  const auto answer = broken.repair({"x.so", "-o", "none/x.so"});
  CHECK(answer.status == 3);
  CHECK(answer.complaints == "cudald: x.so: cannot write none/x.so: No such file or directory\n");
}

}  // namespace
}  // namespace cudald
