#include <cerrno>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/world.h"
#include "loader/executable_stack.h"
#include "unit/loader/loaded.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

/// A glibc loader for x86-64 in a root of its own.
class Glibc {
 public:
  explicit Glibc(const std::string& version = "2.37") {
    files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader(version));
    environment.cpu = x86_64_cpu(1);
  }

  std::unique_ptr<ElfLoader> loader() const {
    const auto* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
    return make_glibc_loader(files, "/lib64/ld-linux-x86-64.so.2", *abi, environment);
  }
  SearchPlan plan(const std::string& name, ObjectId requester, EdgeKind kind = EdgeKind::needed) const {
    return loader()->candidates({name, kind, requester, kind == EdgeKind::dlopen}, resolution);
  }
  std::string search(const std::string& name, ObjectId requester) const { return text_of(plan(name, requester)); }

  MemoryFileSystem files;
  Environment environment;
  Resolution resolution;
};

const std::string defaults = "/lib/x.so · default\n/usr/lib/x.so · default\n";

TEST_CASE("DT_RPATH, LD_LIBRARY_PATH, the cache and the system folders follow one another") {
  Glibc glibc;
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/opt/cached/x.so"}}));
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env1:/env2";
  const auto program = add(glibc.resolution, "/bin/app", with_rpath("/program1:/program2"));
  CHECK(glibc.search("x.so", program) ==
        "/program1/x.so · rpath of 0\n"
        "/program2/x.so · rpath of 0\n"
        "/env1/x.so · ld-library-path\n"
        "/env2/x.so · ld-library-path\n"
        "/opt/cached/x.so · cache\n" +
            defaults);
  CHECK(skipped_in(glibc.plan("x.so", program)) == "");
}

TEST_CASE("up to 2.35 a library whose note asks for a newer kernel is passed over") {
  auto image = good_image();
  image.elf.abi_note = AbiNote{0, 5, 17, 0};
  const Request request{"x.so", EdgeKind::needed, 0, false};
  const auto judged = [&](const std::string& version, std::optional<KernelRelease> kernel) {
    Glibc glibc(version);
    glibc.environment.kernel = kernel;
    return glibc.loader()->judge(opened(image), request);
  };
  const auto old = judged("2.31", KernelRelease{3, 10, 0});
  CHECK(old.action == Judgement::Action::next);
  CHECK(old.result == ProbeResult::abi_too_new);
  CHECK(old.text == "its ABI note (.note.ABI-tag) asks for Linux 5.17.0, and the kernel is 3.10.0");
  CHECK(judged("2.31", KernelRelease{5, 17, 0}).action == Judgement::Action::take);
  CHECK(judged("2.31", {}).action == Judgement::Action::take);
  CHECK(judged("2.36", KernelRelease{3, 10, 0}).action == Judgement::Action::take);
}

TEST_CASE("the release of a kernel is its first three numbers") {
  CHECK(kernel_release("6.1.0-18-amd64") == KernelRelease{6, 1, 0});
  CHECK(kernel_release("3.10") == KernelRelease{3, 10, 0});
  CHECK(kernel_release("5") == std::nullopt);
  CHECK(kernel_release("") == std::nullopt);
}

TEST_CASE("from 2.36 on packed relocations need the version that says so, of what asks libc for versions") {
  auto image = good_image();
  image.elf.tables.relr.present = true;
  image.elf.version_needs = {{"libc.so.6", {{.name = "GLIBC_2.2.5"}}}};
  const auto objection = [&](const std::string& version) {
    Glibc glibc(version);
    const auto id = add(glibc.resolution, "/lib/liba.so", image);
    return glibc.loader()->objection(id, glibc.resolution);
  };
  CHECK(objection("2.36") == "/lib/liba.so: DT_RELR without GLIBC_ABI_DT_RELR dependency");
  CHECK(objection("2.35") == "");
  image.elf.version_needs[0].versions.push_back({.name = "GLIBC_ABI_DT_RELR"});
  CHECK(objection("2.36") == "");
  image.elf.version_needs.clear();
  CHECK(objection("2.36") == "");
}

TEST_CASE("DT_RUNPATH comes after LD_LIBRARY_PATH and switches every DT_RPATH off") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env";
  const auto program = add(glibc.resolution, "/bin/app", with_rpath("/program"));
  auto both = with_runpath("/runpath");
  both.elf.rpath = "/rpath";
  const auto library = add(glibc.resolution, "/opt/liba.so", both, program);
  CHECK(glibc.search("x.so", library) == "/env/x.so · ld-library-path\n/runpath/x.so · runpath of 1\n" + defaults);
  CHECK(skipped_in(glibc.plan("x.so", library)) ==
        "rpath of 1: ignored: the same object has a DT_RUNPATH\n"
        "rpath of 0: not used: the requester has a DT_RUNPATH\n"
        "cache: there is none\n");
}

TEST_CASE("DT_RPATH is inherited from all that loaded the requester, nearest first") {
  Glibc glibc;
  const auto program = add(glibc.resolution, "/bin/app", with_rpath("/program"));
  const auto parent = add(glibc.resolution, "/opt/liba.so", with_rpath("/parent"), program);
  const auto child = add(glibc.resolution, "/opt/libb.so", with_rpath("/child"), parent);
  CHECK(glibc.search("x.so", child) ==
        "/child/x.so · rpath of 2\n/parent/x.so · rpath of 1\n/program/x.so · rpath of 0\n" + defaults);
}

TEST_CASE("a parent with DT_RUNPATH is passed over, the grandparent's DT_RPATH still counts") {
  Glibc glibc;
  const auto program = add(glibc.resolution, "/bin/app", with_rpath("/program"));
  auto both = with_runpath("/parent-runpath");
  both.elf.rpath = "/parent-rpath";
  const auto parent = add(glibc.resolution, "/opt/liba.so", both, program);
  const auto child = add(glibc.resolution, "/opt/libb.so", good_image(), parent);
  CHECK(glibc.search("x.so", child) == "/program/x.so · rpath of 0\n" + defaults);
  CHECK(skipped_in(glibc.plan("x.so", child)) ==
        "rpath of 1: ignored: the same object has a DT_RUNPATH\n"
        "ld-library-path: not set\n"
        "runpath of 1: not inherited: a DT_RUNPATH applies only to the file that contains it\n"
        "cache: there is none\n");
}

TEST_CASE("the program's DT_RPATH counts for what a dlopen brought in, and not twice") {
  Glibc glibc;
  add(glibc.resolution, "/bin/app", with_rpath("/program"));
  const auto plugin = add(glibc.resolution, "/opt/plugin.so", with_rpath("/plugin"));  // nobody loaded it
  CHECK(glibc.search("x.so", plugin) == "/plugin/x.so · rpath of 1\n/program/x.so · rpath of 0\n" + defaults);
}

TEST_CASE("an empty path is no folder; LD_LIBRARY_PATH that is empty is not set") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "";
  add(glibc.resolution, "/bin/app", with_rpath(""));
  const auto library = add(glibc.resolution, "/opt/liba.so", with_runpath(""), 0);
  CHECK(glibc.search("x.so", 0) == defaults);
  CHECK(glibc.search("x.so", library) == defaults);
  // But an empty DT_RUNPATH is one, and hides a DT_RPATH.
  auto both = with_runpath("");
  both.elf.rpath = "/rpath";
  CHECK(glibc.search("x.so", add(glibc.resolution, "/opt/libb.so", both, 0)) == defaults);
}

TEST_CASE("a name with a slash is opened as it is") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env";
  add(glibc.resolution, "/bin/app", with_rpath("/program"));
  CHECK(glibc.search("./x.so", 0) == "./x.so · path\n");
  CHECK(glibc.search("/opt/x.so", 0) == "/opt/x.so · path\n");
  CHECK(skipped_in(glibc.plan("./x.so", 0)) == "");
}

TEST_CASE("$ORIGIN is that of the object whose list it stands in, or of the program for the environment") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "$ORIGIN/env;${LIB}";
  add(glibc.resolution, "/app/bin/app", with_rpath("$ORIGIN/../program"));
  const auto library = add(glibc.resolution, "/opt/lib/liba.so", with_rpath("$ORIGIN/:$ORIGIN/$PLATFORM"), 0);
  CHECK(glibc.search("x.so", library) ==
        "/opt/lib/x.so · rpath of 1\n"
        "/opt/lib/x86_64/x.so · rpath of 1\n"
        "/app/bin/../program/x.so · rpath of 0\n"
        "/app/bin/env/x.so · ld-library-path\n"
        "lib/x.so · ld-library-path\n" +
            defaults);
}

TEST_CASE("an empty element is the current folder, in each list") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = ":/env";
  add(glibc.resolution, "/bin/app", with_runpath("/a:"));
  CHECK(glibc.search("x.so", 0) ==
        "x.so · ld-library-path\n/env/x.so · ld-library-path\n/a/x.so · runpath of 0\nx.so · runpath of 0\n" +
            defaults);
}

TEST_CASE("in each folder its hwcaps subfolders come first, but not beside a cache entry") {
  Glibc glibc("2.37");
  glibc.environment.cpu = x86_64_cpu(2);
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/opt/x.so"}}));
  add(glibc.resolution, "/bin/app", with_runpath("/a"));
  const auto plan = glibc.plan("x.so", 0);
  CHECK(text_of(plan) ==
        "/a/glibc-hwcaps/x86-64-v2/x.so · runpath of 0\n"
        "/a/x.so · runpath of 0\n"
        "/opt/x.so · cache\n"
        "/lib/glibc-hwcaps/x86-64-v2/x.so · default\n"
        "/lib/x.so · default\n"
        "/usr/lib/glibc-hwcaps/x86-64-v2/x.so · default\n"
        "/usr/lib/x.so · default\n");
  CHECK(plan.candidates[0].optional_folder);
  CHECK_FALSE(plan.candidates[1].optional_folder);
}

/// Notes where a search leads that takes `next` at each folder.
class Answering final : public SearchVisitor {
 public:
  explicit Answering(Next next) : next_(next) {}

  Next candidate(const Candidate& candidate) override {
    visited += candidate.folder + candidate.name + "\n";
    return next_;
  }
  void skipped(SkippedRule) override {}

  std::string visited;

 private:
  Next next_;
};

TEST_CASE("a search can be ended, or only the list that it is in") {
  Glibc glibc;
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/opt/x.so"}}));
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/e1:/e2";
  add(glibc.resolution, "/bin/app", with_rpath("/a:/b"));
  const auto child = add(glibc.resolution, "/opt/liba.so", with_rpath("/c:/d"), 0);
  const auto parted = add(glibc.resolution, "/opt/libb.so", with_runpath("/r1:/r2"), 0);
  const auto visited = [&](ObjectId requester, SearchVisitor::Next next) {
    Answering visitor(next);
    glibc.loader()->search({"x.so", EdgeKind::needed, requester, false}, glibc.resolution, visitor);
    return visitor.visited;
  };
  CHECK(visited(child, SearchVisitor::Next::stop) == "/c/x.so\n");
  CHECK(visited(child, SearchVisitor::Next::end_list) == "/c/x.so\n/a/x.so\n/e1/x.so\n/opt/x.so\n/lib/x.so\n");
  CHECK(visited(parted, SearchVisitor::Next::end_list) == "/e1/x.so\n/r1/x.so\n/opt/x.so\n/lib/x.so\n");
}

TEST_CASE("DF_1_NODEFLIB forbids the system folders, in the cache too") {
  auto nodeflib = good_image();
  nodeflib.elf.flags_1 = df_1_nodeflib;
  struct Row {
    std::string cached, plan;
  };
  const std::string why = " · in a system directory, which the requester forbids (DF_1_NODEFLIB)\n";
  const Row rows[] = {
      {"/lib/x.so", "/lib/x.so · cache" + why},
      {"/usr/lib/sub/x.so", "/usr/lib/sub/x.so · cache" + why},
      {"/opt/x.so", "/opt/x.so · cache\n"},
      {"/lib64/x.so", "/lib64/x.so · cache\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.cached);
    Glibc glibc;
    glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", row.cached}}));
    add(glibc.resolution, "/bin/app", nodeflib);
    CHECK(glibc.search("x.so", 0) == row.plan);
    // It counts for the requester alone.
    const auto library = add(glibc.resolution, "/opt/liba.so", good_image(), 0);
    CHECK(glibc.search("x.so", library) == row.cached + " · cache\n" + defaults);
  }
}

TEST_CASE("folders of ld.so.conf stand in for a cache that is not there") {
  Glibc glibc;
  glibc.files.add_file("/etc/ld.so.conf", "/opt/cuda\n/opt/other\n");
  add(glibc.resolution, "/bin/app", good_image());
  CHECK(glibc.search("x.so", 0) == "/opt/cuda/x.so · cache\n/opt/other/x.so · cache\n" + defaults);
}

TEST_CASE("secure mode trusts neither LD_LIBRARY_PATH nor a movable origin") {
  Glibc glibc;
  glibc.environment.secure = true;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env";
  const auto program =
      add(glibc.resolution, "/usr/bin/app", with_rpath("/a:$ORIGIN/lib:$ORIGIN/../lib/app:/b/$ORIGIN"));
  const auto library =
      add(glibc.resolution, "/opt/lib/liba.so", with_runpath("$ORIGIN/lib:/b$ORIGIN:${ORIGIN}"), program);
  CHECK(glibc.search("x.so", program) ==
        "/a/x.so · rpath of 0\n"
        "/usr/bin/../lib/app/x.so · rpath of 0\n" +  // it leads into a system folder
            defaults);
  CHECK(skipped_in(glibc.plan("x.so", program)) ==
        "rpath of 0: $ORIGIN is not trusted in secure mode\n"
        "rpath of 0: $ORIGIN is not trusted in secure mode\n"
        "ld-library-path: ignored in secure mode\n"
        "cache: there is none\n");
  CHECK(glibc.search("x.so", library) == "/opt/lib/lib/x.so · runpath of 1\n/opt/lib/x.so · runpath of 1\n" + defaults);
}

TEST_CASE("an object that forbids it is searched in no system folder, and that is told") {
  Glibc glibc;
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"y.so", "/opt/y.so"}, {"x.so", "/lib/x.so"}}));
  auto image = good_image();
  image.elf.flags_1 |= df_1_nodeflib;
  const auto program = add(glibc.resolution, "/bin/app", image);
  CHECK(glibc.search("x.so", program) ==
        "/lib/x.so · cache · in a system directory, which the requester forbids (DF_1_NODEFLIB)\n");
  CHECK(skipped_in(glibc.plan("x.so", program)) ==
        "ld-library-path: not set\ndefault of 0: the requester forbids it (DF_1_NODEFLIB)\n");
  CHECK(glibc.search("y.so", program) == "/opt/y.so · cache\n");
}

TEST_CASE("in secure mode a preload is searched in the system folders alone") {
  Glibc glibc;
  glibc.environment.secure = true;
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/opt/x.so"}}));
  add(glibc.resolution, "/bin/app", good_image());
  CHECK(text_of(glibc.plan("x.so", 0, EdgeKind::preload)) == defaults);
  CHECK(text_of(glibc.plan("x.so", 0, EdgeKind::needed)) == "/opt/x.so · cache\n" + defaults);
}

TEST_CASE("tokens in a name are expanded before the search, and refused in secure mode") {
  Glibc glibc;
  const auto program = add(glibc.resolution, "/bin/app", good_image());
  const auto expanded = [&](const std::string& name, EdgeKind kind = EdgeKind::needed) {
    const auto result = glibc.loader()->expanded_name({name, kind, program, false}, glibc.resolution);
    return result ? *result : "refused: " + result.error().message;
  };
  CHECK(expanded("$ORIGIN/x.so") == "/bin/x.so");
  CHECK(expanded("lib$PLATFORM.so") == "libx86_64.so");
  CHECK(expanded("$ORIGINAL.so") == "$ORIGINAL.so");
  glibc.environment.secure = true;
  CHECK(expanded("$ORIGIN/x.so") == "refused: DST not allowed in SUID/SGID programs");
  CHECK(expanded("x.so") == "x.so");
  CHECK(expanded("$ORIGIN/x.so", EdgeKind::dlopen) == "/bin/x.so");
  glibc.environment.cpu.platform = "";
  CHECK(expanded("lib$PLATFORM.so", EdgeKind::dlopen) == "refused: empty dynamic string token substitution");
}

TEST_CASE("what is loaded answers to the names it was found by, then to its soname") {
  Glibc glibc;
  add(glibc.resolution, "/bin/app", good_image());
  auto image = good_image();
  image.soname = "libcudart.so.11.0";
  add(glibc.resolution, "/opt/libcudart-e409450e.so.11.0", image, 0);
  add(glibc.resolution, "/opt/second.so", image, 0);
  glibc.resolution.objects[2].names.push_back("by-link.so");
  const auto reuse = [&](const std::string& name) {
    const auto found = glibc.loader()->reuse({name, EdgeKind::needed, 0, false}, glibc.resolution, {0, 1, 2});
    return found ? std::to_string(found->object) + " by " + std::string(to_string(found->matched)) : "none";
  };
  CHECK(reuse("libcudart.so.11.0") == "1 by soname");
  CHECK(reuse("/opt/second.so") == "2 by name");
  CHECK(reuse("by-link.so") == "2 by name");
  CHECK(reuse("libcudart-e409450e.so.11.0") == "none");  // the name of the file is none of its names
  CHECK(reuse("libcudart.so") == "none");
  glibc.resolution.objects[1].unmapped = true;
  CHECK(reuse("libcudart.so.11.0") == "2 by soname");
}

std::string text_of(const Judgement& judgement) {
  using Action = Judgement::Action;
  const auto action = judgement.action == Action::take       ? "take"
                      : judgement.action == Action::next     ? "next"
                      : judgement.action == Action::end_list ? "end list"
                                                             : "stop";
  if (judgement.action == Action::take) return action;
  return std::string(action) + " · " + std::string(to_string(judgement.result)) +
         (judgement.action == Action::stop ? " · " + judgement.text : "");
}

TEST_CASE("each fault of a header has its verdict, in the loader's order") {
  struct Row {
    std::string fault;
    void (*spoil)(Image&);
    std::string verdict;
  };
  // Each row spoils the image further down the loader's list, so that an earlier fault hides a later one.
  const Row rows[] = {
      {"the number and size of program headers", [](Image& i) { i.elf.header.program_headers_readable = false; },
       "stop · malformed · cannot read file data"},
      {"their size", [](Image& i) { i.elf.header.program_header_size_ok = false; },
       "stop · malformed · ELF file's phentsize not the expected size"},
      {"the type", [](Image& i) { i.type = FileType::relocatable; },
       "stop · malformed · only ET_DYN and ET_EXEC can be loaded"},
      {"the machine", [](Image& i) { i.machine = EM_AARCH64; }, "next · wrong-machine"},
      {"the version", [](Image& i) { i.elf.header.version = 2; },
       "stop · malformed · ELF file version does not match current one"},
      {"the padding", [](Image& i) { i.elf.header.zero_padding = false; },
       "stop · malformed · nonzero padding in e_ident"},
      {"the version of the OS ABI", [](Image& i) { i.elf.header.abi_version = 1; },
       "stop · malformed · ELF file ABI version invalid"},
      {"the OS ABI", [](Image& i) { i.elf.header.os_abi = ELFOSABI_FREEBSD; },
       "stop · malformed · ELF file OS ABI invalid"},
      {"the version of the ident", [](Image& i) { i.elf.header.ident_version = 0; },
       "stop · malformed · ELF file version ident does not match current one"},
      {"the byte order", [](Image& i) { i.elf.header.data_encoding = ELFDATA2MSB; },
       "stop · wrong-machine · ELF file data encoding not little-endian"},
      {"the class", [](Image& i) { i.elf.header.file_class = ELFCLASS32; }, "next · wrong-class"},
      {"the magic bytes", [](Image& i) { i.elf.header.has_magic = false; }, "stop · not-elf · invalid ELF header"},
      {"the length", [](Image& i) { i.file_size = 63; }, "stop · malformed · file too short"},
  };
  const Glibc glibc;
  const auto loader = glibc.loader();
  const Request request{"x.so", EdgeKind::needed, 0, false};
  auto image = good_image();
  CHECK(text_of(loader->judge(opened(image), request)) == "take");
  for (const Row& row : rows) {
    CAPTURE(row.fault);
    row.spoil(image);
    CHECK(text_of(loader->judge(opened(image), request)) == row.verdict);
  }
}

TEST_CASE("GNU's own OS ABI and its first versions are taken") {
  const Glibc glibc;
  const auto verdict = [&](std::uint8_t os_abi, std::uint8_t version) {
    auto image = good_image();
    image.elf.header.os_abi = os_abi;
    image.elf.header.abi_version = version;
    return text_of(glibc.loader()->judge(opened(image), {"x.so", EdgeKind::needed, 0, false}));
  };
  CHECK(verdict(ELFOSABI_SYSV, 0) == "take");
  CHECK(verdict(ELFOSABI_GNU, 0) == "take");
  CHECK(verdict(ELFOSABI_GNU, 3) == "take");
  CHECK(verdict(ELFOSABI_GNU, 4) == "stop · malformed · ELF file ABI version invalid");
}

TEST_CASE("what the system says to an open decides how the search goes on") {
  struct Row {
    int system_error;
    std::string at_start, in_dlopen;
  };
  const Row rows[] = {
      {ENOENT, "next · absent", "next · absent"},
      {ENOTDIR, "next · absent", "next · absent"},
      {EACCES, "next · unreadable", "next · unreadable"},
      {ELOOP, "end list · unreadable", "end list · unreadable"},
      {ENAMETOOLONG, "end list · unreadable", "end list · unreadable"},
      {EIO, "end list · unreadable", "end list · unreadable"},
      // Before libc is there, ld.so knows the texts of a few errors only.
      {EISDIR, "stop · unreadable · cannot read file data: Error 21",
       "stop · unreadable · cannot read file data: Is a directory"},
  };
  const Glibc glibc;
  for (const Row& row : rows) {
    CAPTURE(row.system_error);
    CHECK(text_of(glibc.loader()->judge(failed(row.system_error), {"x.so", EdgeKind::needed, 0, false})) ==
          row.at_start);
    CHECK(text_of(glibc.loader()->judge(failed(row.system_error), {"x.so", EdgeKind::dlopen, 0, true})) ==
          row.in_dlopen);
  }
}

TEST_CASE("in secure mode a preload needs the set-user-ID bit") {
  Glibc glibc;
  glibc.environment.secure = true;
  auto file = opened(good_image());
  CHECK(text_of(glibc.loader()->judge(file, {"x.so", EdgeKind::preload, 0, false})) == "next · unreadable");
  CHECK(text_of(glibc.loader()->judge(file, {"x.so", EdgeKind::needed, 0, false})) == "take");
  file.status.set_user_id = true;
  CHECK(text_of(glibc.loader()->judge(file, {"x.so", EdgeKind::preload, 0, false})) == "take");
}

TEST_CASE("a new file is mapped only if it is a library") {
  struct Row {
    std::string fault;
    void (*spoil)(Image&);
    EdgeKind kind;
    std::string verdict;
  };
  const Row rows[] = {
      {"none", [](Image&) {}, EdgeKind::needed, "take"},
      {"an address that is not the offset's", [](Image& i) { i.elf.load_segments[0].address = 0x1010; },
       EdgeKind::needed, "stop · malformed · ELF load command address/offset not page-aligned"},
      {"an address that differs by pages", [](Image& i) { i.elf.load_segments[0] = {0x10, 0x5010, 8, 8, 4096}; },
       EdgeKind::needed, "take"},
      {"no segments", [](Image& i) { i.elf.load_segments.clear(); }, EdgeKind::needed,
       "stop · malformed · object file has no loadable segments"},
      {"a program of fixed address", [](Image& i) { i.type = FileType::executable; }, EdgeKind::needed,
       "stop · malformed · cannot dynamically load executable"},
      {"no dynamic segment", [](Image& i) { i.elf.has_dynamic_segment = false; }, EdgeKind::needed,
       "stop · malformed · object file has no dynamic section"},
      {"debug information only", [](Image& i) { i.elf.empty_dynamic_segment = true; }, EdgeKind::needed,
       "stop · malformed · object file has no dynamic section"},
      {"a program", [](Image& i) { i.elf.flags_1 = df_1_pie; }, EdgeKind::needed,
       "stop · malformed · cannot dynamically load position-independent executable"},
      {"not for dlopen", [](Image& i) { i.elf.flags_1 = df_1_noopen; }, EdgeKind::dlopen,
       "stop · malformed · shared object cannot be dlopen()ed"},
      {"memory behind a piece that is more than there is",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, 1ULL << 47, 4096}, {0, 0x5000, 8, 8, 4096}}; }, EdgeKind::needed,
       "stop · malformed · cannot map zero-fill pages"},
      {"a byte less of it",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, (1ULL << 47) - 1, 4096}, {0, 0x5000, 8, 8, 4096}}; },
       EdgeKind::needed, "take"},
      {"an end that overflows",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, -(1ULL << 47), 4096}, {0, 0x5000, 8, 8, 4096}}; },
       EdgeKind::needed, "take"},
      {"a last piece that is more than there is",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, 8, 4096}, {0, 0x5000, 8, 1ULL << 47, 4096}}; }, EdgeKind::needed,
       "stop · malformed · failed to map segment from shared object"},
      {"pieces that are too far from each other",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, 8, 4096}, {0, (1ULL << 47) - 4096, 8, 8, 4096}}; },
       EdgeKind::needed, "stop · malformed · failed to map segment from shared object"},
      {"pieces that are just near enough",
       [](Image& i) { i.elf.load_segments = {{0, 0, 8, 8, 4096}, {0, (1ULL << 47) - 3 * 4096, 8, 8, 4096}}; },
       EdgeKind::needed, "take"},
      {"pieces in the wrong order",
       [](Image& i) { i.elf.load_segments = {{0, 0x5000, 8, 8, 4096}, {0, 0, 8, 8, 4096}}; }, EdgeKind::needed,
       "stop · malformed · failed to map segment from shared object"},
      {"an alignment that is more than there is", [](Image& i) { i.elf.load_segments = {{0, 0, 8, 8, 1ULL << 47}}; },
       EdgeKind::needed, "stop · malformed · failed to map segment from shared object"},
      {"an alignment that is none", [](Image& i) { i.elf.load_segments = {{0, 0, 8, 8, (1ULL << 47) + 1}}; },
       EdgeKind::needed, "take"},
      {"not for dlopen, but needed", [](Image& i) { i.elf.flags_1 = df_1_noopen; }, EdgeKind::needed, "take"},
  };
  const Glibc glibc;
  for (const Row& row : rows) {
    CAPTURE(row.fault);
    auto image = good_image();
    row.spoil(image);
    CHECK(text_of(glibc.loader()->admit(opened(image), {"x.so", row.kind, 0, row.kind == EdgeKind::dlopen},
                                        Resolution{})) == row.verdict);
  }
}

TEST_CASE("a file for a newer processor is refused by its highest ISA bit") {
  const std::pair<std::uint32_t, int> rows[] = {{0, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {8, 4}, {0xf, 4}};
  for (const auto& [bits, level] : rows) {
    const auto& shown_bits = bits;
    CAPTURE(shown_bits);
    for (int cpu = 1; cpu <= 4; ++cpu) {
      CAPTURE(cpu);
      Glibc glibc;
      glibc.environment.cpu = x86_64_cpu(cpu);
      auto image = good_image();
      image.elf.x86_isa_needed = bits;
      const auto id = add(glibc.resolution, "/opt/x.so", image);
      CHECK(glibc.loader()->objection(id, glibc.resolution) ==
            (cpu >= level ? "" : "/opt/x.so: CPU ISA level is lower than required"));
    }
  }
}

TEST_CASE("up to glibc 2.32 nobody asks what processor a file is for") {
  for (const auto& [version, text] :
       {std::pair{"2.32", ""}, {"2.33", "/opt/x.so: CPU ISA level is lower than required"}}) {
    Glibc glibc(version);
    glibc.environment.cpu = x86_64_cpu(1);
    auto image = good_image();
    image.elf.x86_isa_needed = 8;
    const auto id = add(glibc.resolution, "/opt/x.so", image);
    CHECK(glibc.loader()->objection(id, glibc.resolution) == text);
  }
}

TEST_CASE("records of versions in another form than the first are refused") {
  for (const auto& [format, text] :
       {std::pair(std::optional<std::uint16_t>(), ""), std::pair(std::optional<std::uint16_t>(1), ""),
        std::pair(std::optional<std::uint16_t>(0), "/opt/x.so: unsupported version 0 of Verneed record"),
        std::pair(std::optional<std::uint16_t>(2), "/opt/x.so: unsupported version 2 of Verneed record")}) {
    Glibc glibc;
    auto image = good_image();
    image.elf.version_needs_format = format;
    const auto id = add(glibc.resolution, "/opt/x.so", image);
    CHECK(glibc.loader()->objection(id, glibc.resolution) == text);
  }
}

/// A process that has started, with a dlopen in progress.
ObjectId add_plugin(Glibc& glibc, const std::string& path, const Image& image) {
  if (glibc.resolution.objects.empty()) add(glibc.resolution, "/bin/app", good_image());
  glibc.resolution.targets.emplace_back();
  glibc.resolution.targets.back().kind = TargetKind::dlopen;
  const auto id = add(glibc.resolution, path, image);
  glibc.resolution.targets.back().search_list = {id};
  return id;
}

TEST_CASE("a dlopen has little room for static thread-local data, and shares it with those before") {
  auto image = good_image();
  image.elf.static_tls = true;
  image.elf.tls_size = 1000;
  Glibc glibc;
  const auto first = add_plugin(glibc, "/opt/a.so", image);
  CHECK(glibc.loader()->objection(first, glibc.resolution) == "");
  const auto second = add_plugin(glibc, "/opt/b.so", image);
  CHECK(glibc.loader()->objection(second, glibc.resolution) == "/opt/b.so: cannot allocate memory in static TLS block");
  glibc.resolution.objects[first].unmapped = true;
  CHECK(glibc.loader()->objection(second, glibc.resolution) == "");

  Glibc other;
  image.elf.tls_size = 100'000;
  const auto large = add_plugin(other, "/opt/a.so", image);
  CHECK(other.loader()->objection(large, other.resolution) != "");
  image.elf.static_tls = false;
  const auto dynamic = add_plugin(other, "/opt/b.so", image);
  CHECK(other.loader()->objection(dynamic, other.resolution) == "");
  // At the start the block is made as large as it must be.
  Glibc start;
  image.elf.static_tls = true;
  CHECK(start.loader()->objection(add(start.resolution, "/opt/a.so", image), start.resolution) == "");
}

TEST_CASE("since 2.41 a dlopen no longer makes the stack executable") {
  auto image = good_image();
  image.elf.executable_stack = true;
  for (const auto& [version, refused] : {std::pair{std::string("2.40"), false}, {"2.41", true}}) {
    const auto& shown_version = version;
    CAPTURE(shown_version);
    Glibc glibc(version);
    auto program = good_image();
    program.elf.executable_stack = false;
    add(glibc.resolution, "/bin/app", program);
    const auto admitted = [&](EdgeKind kind) {
      return text_of(
          glibc.loader()->admit(opened(image), {"x.so", kind, 0, kind == EdgeKind::dlopen}, glibc.resolution));
    };
    CHECK(admitted(EdgeKind::dlopen) ==
          (refused ? "stop · malformed · " + std::string(executable_stack_refused) : std::string("take")));
    CHECK(admitted(EdgeKind::needed) == "take");
  }
}

TEST_CASE("a miss is told with the reason of the last look, or with the wrong class") {
  const Glibc glibc;
  const auto told = [&](std::vector<Probe> probes, bool in_dlopen = false) {
    return glibc.loader()->not_found({"x.so", EdgeKind::needed, 0, in_dlopen}, {}, {std::move(probes), {}});
  };
  const auto probe = [](ProbeResult result, int system_error) {
    Probe made;
    made.result = result;
    made.system_error = system_error;
    return made;
  };
  const std::string cannot = "x.so: cannot open shared object file";
  CHECK(told({}) == cannot);
  CHECK(told({probe(ProbeResult::absent, ENOENT)}) == cannot + ": No such file or directory");
  CHECK(told({probe(ProbeResult::absent, ENOENT), probe(ProbeResult::unreadable, EACCES)}) ==
        cannot + ": Permission denied");
  CHECK(told({probe(ProbeResult::unreadable, EACCES), probe(ProbeResult::absent, ENOENT)}) ==
        cannot + ": No such file or directory");
  CHECK(told({probe(ProbeResult::unreadable, ELOOP)}) == cannot + ": Error 40");
  CHECK(told({probe(ProbeResult::unreadable, ELOOP)}, true) == cannot + ": Too many levels of symbolic links");
  CHECK(told({probe(ProbeResult::unreadable, EACCES), probe(ProbeResult::refused, ENOENT)}) ==
        cannot + ": Permission denied");
  CHECK(told({probe(ProbeResult::wrong_class, ENOENT), probe(ProbeResult::absent, ENOENT)}) ==
        "x.so: wrong ELF class: ELFCLASS32");
  CHECK(told({probe(ProbeResult::wrong_machine, ENOENT)}) == cannot + ": No such file or directory");
}

TEST_CASE("preloads are those asked for, then LD_PRELOAD's, then those of /etc/ld.so.preload") {
  Glibc glibc;
  glibc.environment.preload = {"asked.so"};
  glibc.environment.variables["LD_PRELOAD"] = " a.so:/opt/b.so  c.so;d.so\t:";
  glibc.files.add_file("/etc/ld.so.preload", "file.so");
  CHECK(lines(glibc.loader()->preloads()) == "asked.so\na.so\n/opt/b.so\nc.so;d.so\t\nfile.so\n");
  glibc.environment.secure = true;
  CHECK(lines(glibc.loader()->preloads()) == "asked.so\na.so\nc.so;d.so\t\nfile.so\n");
}

TEST_CASE("$ORIGIN is the folder of the name as found, made absolute") {
  Glibc glibc;
  glibc.environment.cwd = "/here";
  CHECK(glibc.loader()->origin("/opt/lib/x.so") == "/opt/lib");
  CHECK(glibc.loader()->origin("x.so") == "/here");
  CHECK(glibc.loader()->origin("./lib/x.so") == "/here/./lib");
  CHECK(glibc.loader()->origin("/x.so") == "/");
}

/// The text of a judgement with all that it says.
std::string all_of(const Judgement& judgement) {
  using Action = Judgement::Action;
  const auto* action = judgement.action == Action::take       ? "take"
                       : judgement.action == Action::next     ? "next"
                       : judgement.action == Action::end_list ? "end list"
                                                              : "stop";
  return std::string(action) + " · " + std::string(to_string(judgement.result)) + " · " + judgement.text + " · " +
         std::to_string(judgement.system_error);
}

TEST_CASE("a judgement says what is wrong with the file, and which error the loader is left with") {
  const auto file = [](void (*spoil)(Image&)) {
    auto image = good_image();
    spoil(image);
    return opened(image);
  };
  const std::pair<OpenedFile, std::string> rows[] = {
      {file([](Image&) {}), "take · found ·  · 0"},
      {file([](Image& i) { i.type = FileType::executable; }), "take · found ·  · 0"},
      {file([](Image& i) { i.file_size = 64; }), "take · found ·  · 0"},
      {file([](Image& i) { i.elf.header.file_class = ELFCLASS32; }), "next · wrong-class ·  · 2"},
      {file([](Image& i) { i.machine = EM_AARCH64; }), "next · wrong-machine ·  · 2"},
      {file([](Image& i) { i.elf.header.has_magic = false; }), "stop · not-elf · invalid ELF header · 0"},
      {failed(ENOENT), "next · absent ·  · 2"},
      {failed(ENOTDIR), "next · absent ·  · 2"},
      {failed(EACCES), "next · unreadable · as the system says · 13"},
      {failed(EISDIR), "stop · unreadable · cannot read file data: Error 21 · 21"},
      {failed(EINVAL), "stop · unreadable · cannot read file data: as the system says · 22"},
      {failed(EIO), "end list · unreadable · as the system says · 5"},
  };
  for (const auto& [opened_file, verdict] : rows) {
    const Glibc glibc;
    CHECK(all_of(glibc.loader()->judge(opened_file, {"x.so", EdgeKind::needed, 0, false})) == verdict);
  }
  Glibc secure;
  secure.environment.secure = true;
  CHECK(all_of(secure.loader()->judge(opened(good_image()), {"x.so", EdgeKind::preload, 0, false})) ==
        "next · unreadable · without the set-user-ID bit it is not preloaded in secure mode · 2");
  CHECK(all_of(Glibc().loader()->judge(opened(good_image()), {"x.so", EdgeKind::preload, 0, false})) ==
        "take · found ·  · 0");
}

/// The rules of glibc on another processor, with facts that no file tells.
std::unique_ptr<ElfLoader> loader_on(std::uint16_t machine, Format format, ByteOrder order,
                                     const Environment& environment = {}, GlibcFacts facts = {}) {
  facts.lib_token = "lib";
  return make_glibc_loader(std::move(facts), *find_abi(machine, format, order), environment);
}

TEST_CASE("class, byte order and size of the header are those of the processor") {
  const auto small = loader_on(EM_386, Format::elf32, ByteOrder::little);
  const auto big = loader_on(EM_S390, Format::elf64, ByteOrder::big);
  const Request request{"x.so", EdgeKind::needed, 0, false};
  auto image = good_image();
  image.machine = EM_386;
  CHECK(all_of(small->judge(opened(image), request)) == "next · wrong-class ·  · 2");
  image.elf.header.file_class = ELFCLASS32;
  image.file_size = 52;
  CHECK(all_of(small->judge(opened(image), request)) == "take · found ·  · 0");
  image.file_size = 51;
  CHECK(all_of(small->judge(opened(image), request)) == "stop · malformed · file too short · 0");
  image = good_image();
  image.machine = EM_S390;
  CHECK(all_of(big->judge(opened(image), request)) ==
        "stop · wrong-machine · ELF file data encoding not big-endian · 0");
  image.elf.header.data_encoding = ELFDATA2MSB;
  CHECK(all_of(big->judge(opened(image), request)) == "take · found ·  · 0");
  Search search;
  search.probes.resize(2);
  search.probes[1].result = ProbeResult::wrong_class;
  CHECK(small->not_found(request, {}, search) == "x.so: wrong ELF class: ELFCLASS64");
  CHECK(big->not_found(request, {}, search) == "x.so: wrong ELF class: ELFCLASS32");
}

TEST_CASE("what x86-64 has beside, other processors have not: folders of levels, levels that a file needs") {
  Environment environment;
  environment.cpu = x86_64_cpu(1);
  environment.cpu.platform = "haswell";
  Resolution resolution;
  auto image = good_image();
  image.elf.x86_isa_needed = 8;
  add(resolution, "/bin/app", image);
  const auto x86 = loader_on(EM_X86_64, Format::elf64, ByteOrder::little, environment);
  const auto arm = loader_on(EM_ARM, Format::elf32, ByteOrder::little, environment);
  CHECK_FALSE(x86->subfolders().empty());
  CHECK(arm->subfolders().empty());
  CHECK(x86->objection(0, resolution) == "/bin/app: CPU ISA level is lower than required");
  CHECK(arm->objection(0, resolution) == "");
  const Request request{"lib$PLATFORM.so", EdgeKind::needed, 0, false};
  CHECK(*x86->expanded_name(request, resolution) == "libhaswell.so");
  CHECK(*arm->expanded_name(request, resolution) == "libv7l.so");
}

TEST_CASE("of the cache those lines count that the processor and the version of glibc can use") {
  struct Row {
    std::string what, version;
    int level;
    CacheLine line;
    bool taken;
  };
  const Row rows[] = {
      {"a plain line", "2.37", 1, {"x.so", "/special/x.so"}, true},
      {"of another ABI", "2.37", 4, {"x.so", "/special/x.so", 0x0803}, false},
      {"of a level", "2.37", 2, {"x.so", "/special/x.so", 0x0303, hwcaps_folder(0)}, true},
      {"of a level above the processor's", "2.37", 1, {"x.so", "/special/x.so", 0x0303, hwcaps_folder(0)}, false},
      {"for a level", "2.37", 3, {"x.so", "/special/x.so", 0x0303, hwcaps_folder(0, 2)}, true},
      {"for a level above the processor's", "2.37", 2, {"x.so", "/special/x.so", 0x0303, hwcaps_folder(0, 2)}, false},
      {"of a level, before there were any", "2.32", 3, {"x.so", "/special/x.so", 0x0303, hwcaps_folder(0)}, false},
      {"of an old directory for x86_64", "2.36", 1, {"x.so", "/special/x.so", 0x0303, 2}, true},
      {"of an old directory for AVX-512", "2.36", 1, {"x.so", "/special/x.so", 0x0303, 4}, false},
      {"of an old directory, which 2.37 does not know", "2.37", 1, {"x.so", "/special/x.so", 0x0303, 2}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Glibc glibc(row.version);
    glibc.environment.cpu = x86_64_cpu(row.level);
    glibc.files.add_file("/etc/ld.so.cache", new_cache({row.line, {"x.so", "/plain/x.so"}}, {"x86-64-v2"}));
    add(glibc.resolution, "/bin/app", good_image());
    const auto found = glibc.search("x.so", 0);
    CHECK((found.find("/special/x.so · cache\n") != std::string::npos) == row.taken);
    CHECK((found.find("/plain/x.so · cache\n") != std::string::npos) != row.taken);
  }
  Glibc intel("2.36");
  intel.environment.cpu.hwcap_names = {"x86_64", "avx512_1"};
  for (const std::uint64_t hwcap : {2U, 4U, 6U}) {
    intel.files.add_file("/etc/ld.so.cache",
                         new_cache({{"x.so", "/special/x.so", 0x0303, hwcap}, {"x.so", "/plain/x.so"}}));
    intel.resolution = {};
    add(intel.resolution, "/bin/app", good_image());
    CHECK(intel.search("x.so", 0).find("/special/x.so · cache\n") != std::string::npos);
  }
  intel.environment.cpu.hwcap_names = {"avx512_1"};
  intel.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/special/x.so", 0x0303, 2}, {"x.so", "/plain/x.so"}}));
  CHECK(intel.search("x.so", 0).find("/plain/x.so · cache\n") != std::string::npos);
}

TEST_CASE("rules that are passed over are told with the list that does not count") {
  Glibc glibc;
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env";
  glibc.environment.secure = true;
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"y.so", "/opt/y.so"}}));
  auto both = with_runpath("/own-runpath");
  both.elf.rpath = "/own-rpath";
  auto parent = with_runpath("/parent-runpath");
  parent.elf.rpath = "/parent-rpath";
  add(glibc.resolution, "/bin/app", with_rpath("/program"));
  add(glibc.resolution, "/opt/liba.so", parent, 0);
  add(glibc.resolution, "/opt/libb.so", both, 1);
  const auto told = [&](const std::string& name, EdgeKind kind) {
    std::string text;
    for (const auto& rule : glibc.plan(name, 2, kind).skipped)
      text += std::string(to_string(rule.rule)) + " of " + (rule.of ? std::to_string(*rule.of) : "none") + " [" +
              rule.value + "] " + rule.reason + ", before " + std::to_string(rule.before) + "\n";
    return text;
  };
  const std::string first =
      "rpath of 2 [/own-rpath] ignored: the same object has a DT_RUNPATH, before 0\n"
      "rpath of 1 [/parent-rpath] ignored: the same object has a DT_RUNPATH, before 0\n"
      "rpath of 0 [/program] not used: the requester has a DT_RUNPATH, before 0\n"
      "ld-library-path of none [/env] ignored in secure mode, before 0\n"
      "runpath of 1 [/parent-runpath] not inherited: a DT_RUNPATH applies only to the file that contains it, before "
      "1\n";
  CHECK(told("x.so", EdgeKind::needed) == first + "cache of none [] no entry for this name, before 1\n");
  CHECK(told("y.so", EdgeKind::needed) == first);
  CHECK(told("y.so", EdgeKind::preload) == first + "cache of none [] not used for preloads in secure mode, before 1\n");
  glibc.environment.secure = false;
  glibc.environment.variables.clear();
  const auto plan = glibc.plan("y.so", 2, EdgeKind::preload);
  CHECK(text_of(plan) == "/own-runpath/y.so · runpath of 2\n/opt/y.so · cache\n/lib/y.so · default\n" +
                             std::string("/usr/lib/y.so · default\n"));
  CHECK(skipped_in(plan).find("ld-library-path: not set\n") != std::string::npos);
}

TEST_CASE(
    "the program's DT_RPATH serves what a dlopen brought in only if a program is there, and DT_RUNPATH hides it") {
  Glibc glibc;
  add(glibc.resolution, "/bin/app", with_rpath("/program"));
  const auto plugin = add(glibc.resolution, "/opt/plugin.so", with_runpath("/plugin"));
  CHECK(glibc.search("x.so", plugin) == "/plugin/x.so · runpath of 1\n" + defaults);
  CHECK(skipped_in(glibc.plan("x.so", plugin)).starts_with("rpath of 0: not used: the requester has a DT_RUNPATH\n"));
  const auto other = add(glibc.resolution, "/opt/other.so", good_image());
  CHECK(glibc.search("x.so", other) == "/program/x.so · rpath of 0\n" + defaults);
  glibc.resolution.objects[0].main_program = false;
  CHECK(glibc.search("x.so", other) == defaults);
}

TEST_CASE("a search through the folders of ld.so.conf and of DT_RUNPATH can be ended as well") {
  Glibc glibc;
  glibc.files.add_file("/etc/ld.so.conf", "/c1\n/c2\n");
  add(glibc.resolution, "/bin/app", good_image());
  const auto parted = add(glibc.resolution, "/opt/libb.so", with_runpath("/r1:/r2"), 0);
  const auto visited = [&](ObjectId requester, SearchVisitor::Next next) {
    Answering visitor(next);
    glibc.loader()->search({"x.so", EdgeKind::needed, requester, false}, glibc.resolution, visitor);
    return visitor.visited;
  };
  CHECK(visited(0, SearchVisitor::Next::stop) == "/c1/x.so\n");
  CHECK(visited(0, SearchVisitor::Next::end_list) == "/c1/x.so\n/lib/x.so\n");
  CHECK(visited(0, SearchVisitor::Next::go_on) == "/c1/x.so\n/c2/x.so\n/lib/x.so\n/usr/lib/x.so\n");
  CHECK(visited(parted, SearchVisitor::Next::stop) == "/r1/x.so\n");
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/e1:/e2";
  CHECK(visited(parted, SearchVisitor::Next::stop) == "/e1/x.so\n");
  glibc.environment.variables.clear();
  glibc.files.add_file("/etc/ld.so.cache", new_cache({{"x.so", "/opt/x.so"}}));
  CHECK(visited(0, SearchVisitor::Next::stop) == "/opt/x.so\n");
}

TEST_CASE("in secure mode each folder counts once, and a system folder is trusted with what is below it alone") {
  const auto searched = [](const std::string& program, const std::string& list) {
    Glibc glibc;
    glibc.environment.secure = true;
    add(glibc.resolution, program, with_rpath(list));
    return glibc.search("x.so", 0);
  };
  CHECK(searched("/bin/app", "/a:/b:/a/:/a") == "/a/x.so · rpath of 0\n/b/x.so · rpath of 0\n" + defaults);
  CHECK(searched("/usr/lib/app", "$ORIGIN") == "/usr/lib/x.so · rpath of 0\n" + defaults);
  CHECK(searched("/usr/lib/deep/app", "${ORIGIN}/x") == "/usr/lib/deep/x/x.so · rpath of 0\n" + defaults);
  CHECK(searched("/usr/library/app", "$ORIGIN") == defaults);
  CHECK(searched("/usr/app", "$ORIGIN") == defaults);
  CHECK(searched("/usr/lib/app", "x$ORIGIN:${LIB}") == "lib/x.so · rpath of 0\n" + defaults);
}

TEST_CASE("GLIBC_TUNABLES sizes the room for static thread-local data, but not in secure mode") {
  auto image = good_image();
  image.elf.static_tls = true;
  image.elf.tls_size = 1700;
  image.elf.tls_alignment = 16;
  const auto objection = [&](bool secure, const std::string& tunables) {
    Glibc glibc;
    glibc.environment.secure = secure;
    if (!tunables.empty()) glibc.environment.variables["GLIBC_TUNABLES"] = tunables;
    const auto id = add_plugin(glibc, "/opt/a.so", image);
    return glibc.loader()->objection(id, glibc.resolution);
  };
  const std::string refused = "/opt/a.so: cannot allocate memory in static TLS block";
  const std::string more = "glibc.rtld.optional_static_tls=1000";
  CHECK(objection(false, "") == refused);
  CHECK(objection(false, more) == "");
  CHECK(objection(true, more) == refused);
}

TEST_CASE("places and sizes that no address space has are refused, each by itself") {
  constexpr std::uint64_t page = 4096, whole = std::uint64_t{1} << 47;
  const std::string refused = "stop · malformed · failed to map segment from shared object";
  const std::string unaligned = "stop · malformed · ELF load command address/offset not page-aligned";
  const std::pair<std::vector<LoadSegment>, std::string> rows[] = {
      {{{0, 0, 8, 8, page}, {0, -page, 8, 2 * page, page}}, refused},  // the distance, where the sum overflows
      {{{0, 0, 8, 8, page}, {0, whole, 8, 8, page}}, refused},
      {{{0, 0, 8, -page, 2 * page}}, refused},                  // the size, where the sum overflows
      {{{0, -page, 8, 8, page}, {0, 0, 8, 8, page}}, refused},  // the order, where the distance is small
      {{{0, 0, 8, whole - 2 * page, page}}, "take"},
      {{{0, 0, 8, whole - page - 1, page}}, "take"},
      {{{0, 0, 8, whole - page, page}}, refused},
      {{{0, 0, 8, 8, whole / 2}, {0, page, 8, whole / 2 - page, page}}, refused},
      {{{0, 0, 8, 8, whole / 2}, {0, page, 8, whole / 2 - page - 1, page}}, "take"},
      {{{0, whole, 8, 8, page}, {0, whole + page, 8, 8, page}}, "stop · malformed · cannot map zero-fill pages"},
      {{{0, whole, 8, 8, page}}, "take"},
      {{{0, -whole - page, 8, page - 1, page}, {0, -whole, 8, 8, page}},
       "stop · malformed · cannot map zero-fill pages"},
      {{{0, -whole - page, 8, page, page}, {0, -whole, 8, 8, page}}, "take"},
      {{{0, 1, 8, 8, page}}, unaligned},
      {{{0, page / 2, 8, 8, page}}, unaligned},
      {{{page / 2, page / 2, 8, 8, page}}, "take"},
  };
  for (const auto& [segments, verdict] : rows) {
    auto image = good_image();
    image.elf.load_segments = segments;
    CHECK(text_of(Glibc().loader()->admit(opened(image), {"x.so", EdgeKind::needed, 0, false}, Resolution{})) ==
          verdict);
  }
  CHECK(all_of(Glibc().loader()->admit(opened(good_image()), {"x.so", EdgeKind::needed, 0, false}, Resolution{})) ==
        "take · found ·  · 0");
}

TEST_CASE("messages spell a name as the requester does") {
  Glibc glibc;
  add(glibc.resolution, "/bin/app", good_image());
  const Request request{"/bin/x.so", EdgeKind::needed, 0, false, "$ORIGIN/x.so"};
  Search search;
  CHECK(glibc.loader()->not_found(request, glibc.resolution, search) == "$ORIGIN/x.so: cannot open shared object file");
  search.probes.resize(1);
  search.probes[0].result = ProbeResult::wrong_class;
  CHECK(glibc.loader()->not_found(request, glibc.resolution, search) == "$ORIGIN/x.so: wrong ELF class: ELFCLASS32");
  CHECK(glibc.loader()->refused(request, "/bin/x.so", "invalid ELF header", glibc.resolution) ==
        "/bin/x.so: invalid ELF header");
  glibc.environment.secure = true;
  const auto name = glibc.loader()->expanded_name({"$LIB/y.so", EdgeKind::needed, 0, false}, glibc.resolution);
  REQUIRE_FALSE(name.has_value());
  CHECK(name.error().code == ErrorCode::malformed);
  CHECK(name.error().message == "DST not allowed in SUID/SGID programs");
  CHECK(name.error().path == "$LIB/y.so");
}

TEST_CASE("before libc is there, ld.so knows the texts of six errors") {
  const auto told = [](int number) {
    Search search;
    search.probes.resize(1);
    search.probes[0].result = ProbeResult::unreadable;
    search.probes[0].system_error = number;
    return Glibc().loader()->not_found({"x", EdgeKind::needed, 0, false}, {}, search);
  };
  const std::string cannot = "x: cannot open shared object file: ";
  CHECK(told(ENOMEM) == cannot + "Cannot allocate memory");
  CHECK(told(EINVAL) == cannot + "Invalid argument");
  CHECK(told(ENOENT) == cannot + "No such file or directory");
  CHECK(told(EPERM) == cannot + "Operation not permitted");
  CHECK(told(EIO) == cannot + "Input/output error");
  CHECK(told(EACCES) == cannot + "Permission denied");
  CHECK(told(ENOTDIR) == cannot + "Error 20");
  CHECK(told(ENAMETOOLONG) == cannot + "Error 36");
}

TEST_CASE("what glibc's loader is, and what was assumed or left out of its facts") {
  Glibc glibc("2.35");
  const auto loader = glibc.loader();
  CHECK(loader->libc() == LibcVersion{LibcKind::glibc, 2, 35});
  CHECK(loader->follows_filters());
  CHECK(loader->dlopen_searches_for_caller());
  CHECK_FALSE(loader->knows_program_file());
  CHECK_FALSE(loader->known_by_name("/lib/libc.so.6"));
  CHECK(lines(loader->notes()) == "");
  CHECK(lines(loader->limits()) == "");
  GlibcFacts facts;
  facts.notes = {"a note"};
  facts.limits = {"a limit"};
  const auto assumed = loader_on(EM_AARCH64, Format::elf64, ByteOrder::little, {}, facts);
  CHECK(lines(assumed->notes()) == "a note\n");
  CHECK(lines(assumed->limits()) == "a limit\n");
}

TEST_CASE("a file asks for its libraries in its own order, and an auxiliary filter may be missing") {
  auto image = good_image();
  image.elf.needed = {{NeededTag::filter, "b.so"}, {NeededTag::needed, "a.so"}, {NeededTag::auxiliary, "c.so"}};
  std::string text;
  for (const auto& need : Glibc().loader()->needs(image))
    text += need.name + " " + std::string(to_string(need.kind)) + (need.hard ? " hard" : "") +
            (need.on_use ? " on use" : "") + "\n";
  CHECK(text == "b.so filter hard\na.so needed hard\nc.so auxiliary\n");
}

TEST_CASE("a new object is known by its path and by the name that was asked for, one that was there by that name") {
  const auto names = [](const std::string& name, const std::string& path, bool is_new) {
    return lines(Glibc().loader()->names({name, EdgeKind::needed, 0, false}, path, is_new));
  };
  CHECK(names("a.so", "/lib/a.so", true) == "/lib/a.so\na.so\n");
  CHECK(names("/lib/a.so", "/lib/a.so", true) == "/lib/a.so\n");
  CHECK(names("a.so", "/lib/a.so", false) == "a.so\n");
}

TEST_CASE("only folders of lists have subfolders: not a path, nor what stands in for the cache") {
  Glibc glibc;
  glibc.environment.cpu = x86_64_cpu(2);
  glibc.files.add_file("/etc/ld.so.conf", "/opt\n");
  glibc.environment.variables["LD_LIBRARY_PATH"] = "/env";
  add(glibc.resolution, "/bin/app", with_rpath("/a"));
  CHECK(glibc.search("/opt/x.so", 0) == "/opt/x.so · path\n");
  CHECK(glibc.search("x.so", 0) ==
        "/a/glibc-hwcaps/x86-64-v2/x.so · rpath of 0\n/a/x.so · rpath of 0\n"
        "/env/glibc-hwcaps/x86-64-v2/x.so · ld-library-path\n/env/x.so · ld-library-path\n"
        "/opt/x.so · cache\n"
        "/lib/glibc-hwcaps/x86-64-v2/x.so · default\n/lib/x.so · default\n"
        "/usr/lib/glibc-hwcaps/x86-64-v2/x.so · default\n/usr/lib/x.so · default\n");
  std::string folders;
  for (const auto& candidate : glibc.plan("x.so", 0).candidates) folders += candidate.optional_folder ? "s" : "f";
  CHECK(folders == "sfsffsfsf");
}

}  // namespace
}  // namespace cudald
