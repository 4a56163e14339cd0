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
      {"not an ELF file", [](Image& i) { i.elf.header.has_magic = false; }, "stop · not-elf · Exec format error"},
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

/// Takes note of the folders and answers `next` at each.
class MuslVisitor final : public SearchVisitor {
 public:
  explicit MuslVisitor(Next next) : next_(next) {}

  Next candidate(const Candidate& candidate) override {
    visited += candidate.folder + candidate.name + "\n";
    return next_;
  }
  void skipped(SkippedRule rule) override {
    visited += "not " + std::string(to_string(rule.rule)) + " of " + (rule.of ? std::to_string(*rule.of) : "none") +
               " [" + rule.value + "]: " + rule.reason + "\n";
  }

  std::string visited;

 private:
  Next next_;
};

std::string visited(const Musl& musl, ObjectId requester, SearchVisitor::Next next) {
  MuslVisitor visitor(next);
  musl.loader()->search({"x.so", EdgeKind::needed, requester, false}, musl.resolution, visitor);
  return visitor.visited;
}

TEST_CASE("whoever has enough ends the search in each of the lists, and only a stop does") {
  using Next = SearchVisitor::Next;
  Musl musl;
  musl.environment.variables["LD_LIBRARY_PATH"] = "/env1:/env2";
  add(musl.resolution, "/bin/app", with_rpath("/a:/b"));
  const std::string system = "/lib/x.so\n/usr/local/lib/x.so\n/usr/lib/x.so\n";
  CHECK(visited(musl, 0, Next::stop) == "/env1/x.so\n");
  CHECK(visited(musl, 0, Next::end_list) == "/env1/x.so\n/env2/x.so\n/a/x.so\n/b/x.so\n" + system);
  musl.environment.variables.clear();
  const std::string not_set = "not ld-library-path of none []: not set\n";
  CHECK(visited(musl, 0, Next::stop) == not_set + "/a/x.so\n");
  musl.environment.variables["LD_LIBRARY_PATH"] = "";
  CHECK(visited(musl, 0, Next::go_on) == not_set + "/a/x.so\n/b/x.so\n" + system);
  musl.environment.variables["LD_LIBRARY_PATH"] = "/env";
  musl.environment.secure = true;
  add(musl.resolution, "/opt/liba.so", with_runpath("/$LIB"), 0);
  const std::string why = "ignored: musl knows no token but $ORIGIN, and that not of a program in secure mode\n";
  CHECK(visited(musl, 1, Next::stop) ==
        "not ld-library-path of none [/env]: ignored in secure mode\nnot runpath of 1 [/$LIB]: " + why + "/a/x.so\n");
  musl.resolution.objects[0].image = std::make_shared<Image>(with_rpath("$ORIGIN"));
  CHECK(visited(musl, 0, Next::stop) ==
        "not ld-library-path of none [/env]: ignored in secure mode\nnot rpath of 0 [$ORIGIN]: " + why + "/lib/x.so\n");
}

TEST_CASE("an object without a folder of its own has the current one as its origin") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  add(musl.resolution, "/opt/liba.so", with_rpath("$ORIGIN/a:/b/${ORIGIN}"), 0);
  musl.resolution.objects[1].origin.clear();
  CHECK(musl.search("x.so", 1) == "./a/x.so · rpath of 1\n/b/./x.so · rpath of 1\n" + musl_defaults);
}

TEST_CASE("a list that grows beyond a megabyte by its tokens is void") {
  for (const std::size_t more : {0U, 1U}) {
    Musl musl;
    add(musl.resolution, "/bin/app", good_image());
    add(musl.resolution, "/opt/liba.so", with_rpath("$ORIGIN"), 0);
    musl.resolution.objects[1].origin = std::string((1 << 20) + more, '/');
    CHECK((skipped_in(musl.plan("x.so", 1)).find("rpath of 1: ignored") != std::string::npos) == (more == 1));
  }
}

TEST_CASE("where the loader's own file of folders cannot be, musl's folders count") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  musl.files.add_file("/etc", "a file");
  CHECK(musl.search("x.so", 0) == musl_defaults);
  Musl cut;
  add(cut.resolution, "/bin/app", good_image());
  cut.files.add_file("/etc/ld-musl-x86_64.path", std::string("/m1\0:/m2", 8));
  CHECK(cut.search("x.so", 0) == "/m1/x.so · default\n");
  Environment environment;
  const auto loader =
      make_musl_loader(interpreter, *find_abi(EM_X86_64, Format::elf64, ByteOrder::little), environment, "/own1:/own2");
  CHECK(text_of(loader->candidates({"x.so", EdgeKind::needed, 0, false}, cut.resolution)) ==
        "/own1/x.so · default\n/own2/x.so · default\n");
}

TEST_CASE("what is gone again answers to no name, and the loader answers to the one it has") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  add(musl.resolution, "/lib/ld-other.so", good_image());
  add(musl.resolution, "/opt/liba.so", good_image(), 0);
  add(musl.resolution, "/opt/more/liba.so", good_image(), 0);
  auto& objects = musl.resolution.objects;
  objects[1].dynamic_loader = true;
  for (auto& object : objects) object.names.push_back("liba.so");
  objects[1].names.clear();
  const auto reuse = [&](const std::string& name) {
    const auto found = musl.loader()->reuse({name, EdgeKind::needed, 0, false}, musl.resolution, {0, 1, 2, 3});
    return found ? std::to_string(found->object) + " by " + std::string(to_string(found->matched)) + ", " +
                       std::string(to_string(found->rule))
                 : "none";
  };
  CHECK(reuse("/lib/ld-other.so") == "1 by name, already-loaded");
  CHECK(reuse("libc.so") == "1 by name, already-loaded");
  CHECK(reuse(interpreter) == "1 by name, already-loaded");
  CHECK(reuse("liba.so") == "2 by name, already-loaded");
  CHECK(reuse("/opt/liba.so") == "none");  // one with a slash is opened, and may prove to be the same file
  objects[2].unmapped = true;
  CHECK(reuse("liba.so") == "3 by name, already-loaded");
  objects[1].unmapped = true;
  CHECK(reuse("/lib/ld-other.so") == "none");
  CHECK(reuse("libc.so") == "none");
  objects[1].unmapped = false;
  objects[1].dynamic_loader = false;
  CHECK(reuse("libc.so") == "none");
}

TEST_CASE("a judgement of musl has the error of the system") {
  const auto all_of = [](const OpenedFile& file) {
    const auto judgement = Musl().loader()->judge(file, {"x.so", EdgeKind::needed, 0, false});
    return musl_judgement(judgement) + " / " + judgement.text + " / " + std::to_string(judgement.system_error);
  };
  CHECK(all_of(failed(ENOENT)) == "next · absent /  / 2");
  CHECK(all_of(failed(ENOTDIR)) == "next · absent /  / 20");
  CHECK(all_of(failed(EACCES)) == "next · unreadable / Permission denied / 13");
  CHECK(all_of(failed(ENAMETOOLONG)) == "next · unreadable / Filename too long / " + std::to_string(ENAMETOOLONG));
  CHECK(all_of(failed(EIO)) == "stop · unreadable · I/O error / I/O error / 5");
  auto image = good_image();
  CHECK(all_of(opened(image)) == "take /  / 0");
  image.elf.header.program_header_size_ok = false;
  CHECK(all_of(opened(image)) == "stop · malformed · Exec format error / Exec format error / 0");
  const auto admitted = Musl().loader()->admit(opened(image), {"x.so", EdgeKind::needed, 0, false}, Resolution{});
  CHECK(admitted.action == Judgement::Action::take);
}

TEST_CASE("why a file is not there is what the last look said") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  const auto told = [&](const std::string& name, std::vector<int> errors) {
    Search search;
    for (const auto number : errors) search.probes.emplace_back().system_error = number;
    return musl.loader()->not_found({name, EdgeKind::dlopen, 0, true}, musl.resolution, search);
  };
  CHECK(told("", {}) == "Error loading shared library : Invalid argument");
  CHECK(told("x", {}) == "Error loading shared library x: No such file or directory");
  CHECK(told("x", {0}) == "Error loading shared library x: No such file or directory");
  CHECK(told("x", {EACCES, ENAMETOOLONG}) == "Error loading shared library x: Filename too long");
  CHECK(told("x", {ENAMETOOLONG, EACCES}) == "Error loading shared library x: Permission denied");
  const Request request{"x", EdgeKind::preload, 0, false};
  CHECK(musl.loader()->refused(request, "/lib/x", "Exec format error", musl.resolution) ==
        "Error loading shared library x: Exec format error (needed by /bin/app)");
}

TEST_CASE("what musl's loader is: a version that can be stated, no filters, no facts that are assumed") {
  Musl musl;
  const auto version = [&](std::optional<LibcVersion> stated) {
    musl.environment.libc = stated;
    return musl.loader()->libc();
  };
  CHECK(version(std::nullopt) == LibcVersion{LibcKind::musl, 1, 2});
  CHECK(version(LibcVersion{LibcKind::musl, 1, 1}) == LibcVersion{LibcKind::musl, 1, 1});
  CHECK(version(LibcVersion{LibcKind::glibc, 2, 36}) == LibcVersion{LibcKind::musl, 1, 2});
  const auto loader = musl.loader();
  CHECK_FALSE(loader->follows_filters());
  CHECK_FALSE(loader->dlopen_searches_for_caller());
  CHECK_FALSE(loader->knows_program_file());
  CHECK_FALSE(loader->known_by_name("/lib/libc.so"));
  CHECK(loader->subfolders().empty());
  CHECK(loader->notes().empty());
  CHECK(loader->limits().empty());
  CHECK(loader->origin("/opt/lib/x.so") == "/opt/lib");
  CHECK(loader->origin("x.so") == "");
  CHECK(*loader->expanded_name({"$ORIGIN/x", EdgeKind::needed, 0, false}, {}) == "$ORIGIN/x");
  auto image = good_image();
  image.elf.needed = {{NeededTag::filter, "f"}, {NeededTag::needed, "n"}, {NeededTag::auxiliary, "a"}};
  const auto needs = loader->needs(image);
  REQUIRE(needs.size() == 1);
  CHECK(needs[0].name == "n");
}

TEST_CASE("only initial-exec data of its own is in the way of a dlopen") {
  Musl musl;
  add(musl.resolution, "/bin/app", good_image());
  musl.resolution.targets.emplace_back().kind = TargetKind::dlopen;
  Image image;
  image.elf.tls_size = 8;
  CHECK(musl.loader()->objection(add(musl.resolution, "/opt/a.so", image), musl.resolution) == "");
}

TEST_CASE("a file of folders is read up to a megabyte") {
  for (const std::uint64_t more : {0U, 1U}) {
    Musl musl;
    add(musl.resolution, "/bin/app", good_image());
    musl.files.add_file("/etc/ld-musl-x86_64.path", "/m", {.claimed_size = (1 << 20) + more});
    CHECK(musl.search("x.so", 0) == (more == 0 ? "/m/x.so · default\n" : ""));
  }
}

}  // namespace
}  // namespace cudald
