#include <cerrno>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/world.h"
#include "unit/loader/loaded.h"

namespace cudald {
namespace {

const std::string interpreter = "/lib/ld-musl-x86_64.so.1";

class Musl {
 public:
  std::unique_ptr<ElfLoader> loader(const std::string& at = interpreter) const {
    return make_musl_loader(files, at, *find_abi(EM_X86_64, Format::elf64, ByteOrder::little), environment);
  }
  SearchPlan plan(const std::string& name, ObjectId requester, EdgeKind kind = EdgeKind::needed) const {
    return loader()->candidates({name, kind, requester, kind == EdgeKind::dlopen}, resolution);
  }
  std::string search(const std::string& name, ObjectId requester) const { return text_of(plan(name, requester)); }

  MemoryFileSystem files;
  Environment environment;
  Resolution resolution;
};

const std::string musl_defaults = "/lib/x.so · default\n/usr/local/lib/x.so · default\n/usr/lib/x.so · default\n";

TEST_CASE("LD_LIBRARY_PATH comes first, then the paths of the requester and of all above it, then the system's") {
  Musl musl;
  musl.environment.variables["LD_LIBRARY_PATH"] = "/env";
  auto both = with_runpath("/child-runpath");
  both.elf.rpath = "/child-rpath";
  const auto program = add(musl.resolution, "/bin/app", with_runpath("/program"));
  const auto parent = add(musl.resolution, "/opt/liba.so", with_rpath("/parent"), program);
  const auto child = add(musl.resolution, "/opt/libb.so", both, parent);
  CHECK(musl.search("x.so", child) ==
        "/env/x.so · ld-library-path\n"
        "/child-runpath/x.so · runpath of 2\n"
        "/parent/x.so · rpath of 1\n"
        "/program/x.so · runpath of 0\n" +
            musl_defaults);
}

TEST_CASE("lists are split at colons and newlines, and empty elements are nothing") {
  struct Row {
    std::string list, tried;
  };
  const Row rows[] = {
      {"/a:/b", "/a/x.so\n/b/x.so\n"}, {"/a\n/b", "/a/x.so\n/b/x.so\n"},  {":/a::", "/a/x.so\n"}, {"", ""}, {":", ""},
      {"/a;/b", "/a;/b/x.so\n"},       {"/a/:/a", "/a//x.so\n/a/x.so\n"}, {".", "./x.so\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.list);
    Musl musl;
    add(musl.resolution, "/bin/app", with_rpath(row.list));
    std::string tried;
    for (const auto& candidate : musl.plan("x.so", 0).candidates)
      if (candidate.of) tried += candidate.path + "\n";
    CHECK(tried == row.tried);
  }
}

TEST_CASE("the file beside the loader's folder names the system's folders") {
  struct Row {
    std::string text, tried;
  };
  const Row rows[] = {
      {"/m1:/m2\n/m3\n", "/m1/x.so · default\n/m2/x.so · default\n/m3/x.so · default\n"},
      {"", ""},
      {"# no comment:/m", "# no comment/x.so · default\n/m/x.so · default\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Musl musl;
    add(musl.resolution, "/bin/app", good_image());
    musl.files.add_file("/etc/ld-musl-x86_64.path", row.text);
    CHECK(musl.search("x.so", 0) == row.tried);
  }
  Musl moved;
  add(moved.resolution, "/bin/app", good_image());
  moved.files.add_file("/opt/musl/etc/ld-musl-x86_64.path", "/opt/musl/lib");
  const auto loader = moved.loader("/opt/musl/lib/ld-musl-x86_64.so.1");
  CHECK(text_of(loader->candidates({"x.so", EdgeKind::needed, 0, false}, moved.resolution)) ==
        "/opt/musl/lib/x.so · default\n");
  Musl closed;
  add(closed.resolution, "/bin/app", good_image());
  closed.files.add_file("/etc/ld-musl-x86_64.path", "/m", {.readable = false});
  CHECK(closed.search("x.so", 0) == "");
}

TEST_CASE("$ORIGIN is the only token; any other voids the whole list") {
  struct Row {
    std::string list, tried;
  };
  const Row rows[] = {
      {"$ORIGIN/../lib:/b", "/opt/app/../lib/x.so · rpath of 1\n/b/x.so · rpath of 1\n"},
      {"${ORIGIN}", "/opt/app/x.so · rpath of 1\n"},
      {"/a$ORIGIN", "/a/opt/app/x.so · rpath of 1\n"},
      {"$ORIGINAL", "/opt/appAL/x.so · rpath of 1\n"},
      {"/a:$LIB", ""},
      {"/a:$ORIGIN/$PLATFORM", ""},
      {"${ORIGIN", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.list);
    Musl musl;
    add(musl.resolution, "/bin/app", good_image());
    const auto library = add(musl.resolution, "/opt/app/liba.so", with_rpath(row.list), 0);
    CHECK(musl.search("x.so", library) == row.tried + musl_defaults);
    CHECK((skipped_in(musl.plan("x.so", library)).find("rpath of 1") != std::string::npos) == row.tried.empty());
  }
}

TEST_CASE("secure mode ignores LD_LIBRARY_PATH and the program's origin") {
  Musl musl;
  musl.environment.secure = true;
  musl.environment.variables["LD_LIBRARY_PATH"] = "/env";
  add(musl.resolution, "/bin/app", with_rpath("$ORIGIN/program:/b"));
  const auto library = add(musl.resolution, "/opt/liba.so", with_rpath("$ORIGIN/library"), 0);
  const auto relative = add(musl.resolution, "./libb.so", with_rpath("$ORIGIN/relative"), 0);
  CHECK(musl.search("x.so", library) == "/opt/library/x.so · rpath of 1\n" + musl_defaults);
  CHECK(musl.search("x.so", relative) == musl_defaults);
}

TEST_CASE("a name with a slash is opened as it is; one that is too long or empty is not looked for") {
  Musl musl;
  musl.environment.variables["LD_LIBRARY_PATH"] = "/env";
  add(musl.resolution, "/bin/app", good_image());
  CHECK(musl.search("./x.so", 0) == "./x.so · path\n");
  CHECK(musl.search(std::string(256, 'x'), 0) == "");
  CHECK(musl.search("", 0) == "");
  CHECK(musl.plan(std::string(255, 'x'), 0).candidates.size() == 4);
}

TEST_CASE("a path that does not fit into musl's buffer is passed over") {
  Musl musl;
  const std::string fits(511 - std::string("/x.so").size(), 'a');
  add(musl.resolution, "/bin/app", with_rpath(fits + "a:" + fits));
  const auto plan = musl.plan("x.so", 0);
  REQUIRE(plan.candidates.size() == 4);
  CHECK(plan.candidates[0].path.size() == 511);
}

TEST_CASE("preloads are searched without the program's own paths") {
  Musl musl;
  add(musl.resolution, "/bin/app", with_rpath("/program"));
  CHECK(text_of(musl.plan("x.so", 0, EdgeKind::preload)) == musl_defaults);
  musl.environment.preload = {"asked.so"};
  musl.environment.variables["LD_PRELOAD"] = " a.so:/b.so\tc.so\n";
  CHECK(lines(musl.loader()->preloads()) == "asked.so\na.so\n/b.so\nc.so\n");
  musl.environment.secure = true;
  CHECK(lines(musl.loader()->preloads()) == "asked.so\n");
}

TEST_CASE("names of musl's own parts are the loader itself; others answer to the names they were found by") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  auto image = good_image();
  image.soname = "libsoname.so";
  add(musl.resolution, "/opt/liba.so", image, 0);
  musl.resolution.objects[1].names = {"/opt/liba.so", "liba.so"};
  add(musl.resolution, interpreter, good_image());
  musl.resolution.objects[2].dynamic_loader = true;
  const auto reuse = [&](const std::string& name) {
    const auto found = musl.loader()->reuse({name, EdgeKind::needed, 0, false}, musl.resolution, {0, 1, 2});
    return found ? std::to_string(found->object) : "none";
  };
  for (const std::string name : {"libc.so", "libc.so.6", "libc.musl-x86_64.so.1", "libpthread.so.0", "librt.so.1",
                                 "libm.so.6", "libdl.so.2", "libutil.so.1", "libxnet.so", "/lib/ld-musl-x86_64.so.1"}) {
    CAPTURE(name);
    CHECK(reuse(name) == "2");
  }
  CHECK(reuse("liba.so") == "1");
  for (const std::string name : {"libsoname.so", "libcurl.so.4", "libcrypt.so.1", "libmvec.so.1", "libc",
                                 "/opt/liba.so", "ld-musl-x86_64.so.1", ""}) {
    CAPTURE(name);
    CHECK(reuse(name) == "none");
  }
}

std::string musl_judgement(const Judgement& judgement) {
  using Action = Judgement::Action;
  if (judgement.action == Action::take) return "take";
  if (judgement.action == Action::next) return "next · " + std::string(to_string(judgement.result));
  return "stop · " + std::string(to_string(judgement.result)) + " · " + judgement.text;
}

TEST_CASE("what opens is taken or ends the search: nothing is passed over") {
  struct Row {
    std::string fault;
    void (*spoil)(Image&);
    std::string verdict;
  };
  const Row rows[] = {
      {"none", [](Image&) {}, "take"},
      {"another machine", [](Image& i) { i.machine = EM_AARCH64; }, "take"},
      {"another OS ABI", [](Image& i) { i.elf.header.os_abi = ELFOSABI_FREEBSD; }, "take"},
      {"no ELF file", [](Image& i) { i.elf.header.has_magic = false; }, "stop · not-elf · Exec format error"},
      {"another class", [](Image& i) { i.format = Format::elf32; }, "stop · wrong-class · Exec format error"},
      {"an object file", [](Image& i) { i.type = FileType::relocatable; }, "stop · malformed · Exec format error"},
      {"a program", [](Image& i) { i.type = FileType::executable; }, "take"},
      {"no dynamic segment", [](Image& i) { i.elf.has_dynamic_segment = false; },
       "stop · malformed · Exec format error"},
      {"program headers cut off", [](Image& i) { i.elf.header.program_headers_readable = false; },
       "stop · malformed · Exec format error"},
  };
  const Musl musl;
  for (const Row& row : rows) {
    CAPTURE(row.fault);
    auto image = good_image();
    row.spoil(image);
    CHECK(musl_judgement(musl.loader()->judge(opened(image), {"x.so", EdgeKind::needed, 0, false})) == row.verdict);
  }
}

TEST_CASE("some errors of the system let the search go on, every other one ends it") {
  const std::pair<int, std::string> rows[] = {
      {ENOENT, "next · absent"},
      {ENOTDIR, "next · absent"},
      {EACCES, "next · unreadable"},
      {ENAMETOOLONG, "next · unreadable"},
      {ELOOP, "stop · unreadable · Symbolic link loop"},
      {EIO, "stop · unreadable · I/O error"},
      {EISDIR, "stop · unreadable · Is a directory"},
  };
  const Musl musl;
  for (const auto& [number, verdict] : rows) {
    const auto& shown_number = number;
    CAPTURE(shown_number);
    CHECK(musl_judgement(musl.loader()->judge(failed(number), {"x.so", EdgeKind::needed, 0, false})) == verdict);
  }
}

TEST_CASE("messages name the file that is wanted, and who needs it") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  const auto loader = musl.loader();
  const auto told = [&](EdgeKind kind, std::vector<Probe> probes) {
    return loader->not_found({"x.so", kind, 0, kind == EdgeKind::dlopen}, musl.resolution, {std::move(probes), {}});
  };
  Probe closed;
  closed.system_error = EACCES;
  CHECK(told(EdgeKind::needed, {}) ==
        "Error loading shared library x.so: No such file or directory (needed by /bin/app)");
  CHECK(told(EdgeKind::needed, {closed}) ==
        "Error loading shared library x.so: Permission denied (needed by /bin/app)");
  CHECK(told(EdgeKind::dlopen, {}) == "Error loading shared library x.so: No such file or directory");
}

TEST_CASE("a dlopen has no room for static thread-local data") {
  Image image;
  image.elf.static_tls = true;
  image.elf.tls_size = 1;
  Musl musl;
  const auto at_start = add(musl.resolution, "/opt/a.so", image);
  CHECK(musl.loader()->objection(at_start, musl.resolution) == "");
  musl.resolution.targets.emplace_back();
  musl.resolution.targets.back().kind = TargetKind::dlopen;
  const auto later = add(musl.resolution, "/opt/b.so", image);
  CHECK(musl.loader()->objection(later, musl.resolution) ==
        "Error relocating /opt/b.so: initial-exec TLS resolves to dynamic definition in /opt/b.so");
  // Of another object's data the file refers to alone.
  image.elf.tls_size = 0;
  CHECK(musl.loader()->objection(add(musl.resolution, "/opt/c.so", image), musl.resolution) == "");
}

}  // namespace
}  // namespace cudald
