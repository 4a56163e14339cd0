#include <cerrno>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/library_texts.h>
#include <cudald/message.h>
#include <cudald/pe_symbols.h>
#include <cudald/session.h>
#include <cudald/wheel.h>

#include "common/fatbin_file.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "knowledge/knowledge.h"
#include "session/shared_readings.h"
#include "unit/knowledge/library_file.h"
#include "unit/session/python_world.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// A tree in which the second open of one file is refused, as where no descriptor is left.
class RefusingTree final : public FileSystem {
 public:
  RefusingTree(const FileSystem& base, std::string path) : base_(base), path_(std::move(path)) {}
  Result<FileStatus> status(const std::string& path) const override { return base_.status(path); }
  Result<std::string> real_path(const std::string& path) const override { return base_.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return base_.list(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path == path_ && ++opened_ == 2)
      return Error{ErrorCode::unreadable, "Too many open files", path, std::nullopt, EMFILE};
    return base_.open(path);
  }

 private:
  const FileSystem& base_;
  std::string path_;
  mutable int opened_ = 0;
};

TEST_CASE("what the system refuses while an answer is made leaves it open, and the next question asks again") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .uses = {{"missing"}}});
  world.query.targets = {"/bin/app"};
  const RefusingTree tree(world.files, "/lib/liba.so");
  Session session(tree);
  const auto refused = session.explain(world.query);
  CHECK(refused.verdict == Verdict::unknown);
  REQUIRE(refused.findings.size() == 1);
  CHECK(refused.findings[0].code == "CUD904");
  CHECK(refused.findings[0].message == "/lib/liba.so cannot be read: Too many open files");
  CHECK(refused.findings[0].fixes.at(0).command == "ulimit -n 1024");
  CHECK(refused.headline == "/lib/liba.so cannot be read: Too many open files; nothing is claimed");
  CHECK(outcome(refused) == "unreadable: /lib/liba.so cannot be read: Too many open files\n");
  REQUIRE(refused.resolution.targets.at(0).unreadable);
  CHECK(session.explain(world.query).verdict != Verdict::unknown);
}

TEST_CASE("a library that the disk does not give is no library that is not found") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so", elf({.soname = "liba.so"}), {.broken_disk = true});
  const auto report = world.explain({"/bin/app"});
  CHECK(report.verdict == Verdict::unknown);
  CHECK(report.findings.at(0).code == "CUD904");
}

TEST_CASE("a session reads each file once, for many questions") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  world.add("/bin/other", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines = {{"f"}}});
  Session session(world.files);
  world.query.targets = {"/bin/app"};
  const auto first = session.explain(world.query);
  world.files.take_log();
  const auto again = session.explain(world.query);
  CHECK(objects(again) == objects(first));
  CHECK(lines(world.files.take_log()).empty());
  world.query.targets = {"/bin/other"};
  session.explain(world.query);
  std::string opened;
  for (const auto& line : world.files.take_log())
    if (line.starts_with("open")) opened += line + "\n";
  CHECK(opened == "open /bin/other\n");
}

TEST_CASE("what a dlopen mapped is gone where a symbol is missing; a program keeps what it has") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/lib/plugin.so", {.needed = {"liba.so"}, .uses = {{"f"}}});
  world.add("/lib/liba.so", {.soname = "liba.so"});
  world.query.dlopens = {{.name = "plugin.so"}};
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n/lib/plugin.so (gone)\n/lib/liba.so (gone)\n");
  world.add("/lib/liba.so", {.soname = "liba.so", .defines = {{"f"}}});
  CHECK(objects(world.explain({"/bin/app"})) == "/bin/app\n/lib/plugin.so\n/lib/liba.so\n");
  world.add("/bin/other", program({.needed = {"liba.so"}, .uses = {{"g"}}}));
  world.query.dlopens.clear();
  CHECK(objects(world.explain({"/bin/other"})) == "/bin/other\n/lib/liba.so\n");
}

TEST_CASE("a session shows one file's own words, or why it cannot") {
  TestWorld world;
  world.add("/lib/liba.so", {.soname = "liba.so.1"});
  Session session(world.files);
  const auto image = session.image("/lib/liba.so");
  REQUIRE(image);
  CHECK(soname_of(**image) == "liba.so.1");
  const auto none = session.image("/lib/none.so");
  REQUIRE_FALSE(none);
  CHECK(none.error().system_error == ENOENT);
}

TEST_CASE("each kind of file has its functions, and no other kind's") {
  TestWorld world;
  const auto path = [](const char* name) { return std::string("/d/") + name; };
  world.add(path("a.so"), {.needs_versions = {{"libb.so", {{.name = "W1"}}}},
                           .defines_versions = {"V1"},
                           .defines = {{"f"}, {"g", "V1"}},
                           .uses = {{"h"}, {.name = "i", .version = "W1"}}});
  world.files.add_file(path("a.dll"),
                       pe({.name = "a.dll", .imports = {{"b.dll", {{"h"}}}}, .exports = {{"f", 1, ""}}}));
  Session session(world.files);
  const auto elf_names = session.elf_symbols(path("a.so"));
  REQUIRE(elf_names);
  const auto joined = [](const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += name + " ";
    return text;
  };
  CHECK(joined(elf_names->exported) == "g@V1 f ");
  CHECK(joined(elf_names->imported) == "h i@W1 ");
  const auto none = session.elf_symbols(path("a.dll"));
  REQUIRE(none);
  CHECK(none->exported.empty());
  CHECK(none->imported.empty());
  const auto pe_names = session.pe_symbols(path("a.dll"));
  REQUIRE(pe_names);
  REQUIRE(pe_names->exports.size() == 1);
  CHECK(pe_names->exports[0].name == "f");
  REQUIRE(pe_names->imports.size() == 1);
  CHECK(pe_names->imports[0].at(0).name == "h");
  const auto of_elf = session.pe_symbols(path("a.so"));
  REQUIRE(of_elf);
  CHECK(of_elf->exports.empty());
  CHECK(of_elf->imports.empty());
}

TEST_CASE("what a file is to CUDA is told: its own library, or one that was linked in") {
  TestWorld world;
  world.files.add_file("/d/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
  world.files.add_file("/d/libframe.so", with_linked_runtime(11080));
  world.files.add_file("/d/libk.so", gpu_library({.soname = "libk.so"}, {{2, 90}}));
  world.add("/d/plain.so", {});
  Session session(world.files);
  const auto told = [&](const std::string& name) {
    const auto own = session.cuda_library("/d/" + name), linked = session.linked_runtime("/d/" + name);
    const auto code = session.gpu_code("/d/" + name);
    REQUIRE(own);
    REQUIRE(linked);
    REQUIRE(code);
    return (*own ? "own " + (*own)->version : "") + (*linked ? "linked " + (*linked)->version : "") +
           (*code && !(*code)->empty() ? "code" : "");
  };
  CHECK(told("libcudart.so.12") == "own 12.4");
  CHECK(told("libframe.so") == "linked 11.8code");
  CHECK(told("libk.so") == "code");
  CHECK(told("plain.so") == "");
}

TEST_CASE("GPU code of a large library is kept for the next session") {
  const ScratchFolder folder;
  auto bytes = gpu_library({}, {{2, 70}});
  bytes.resize(std::size_t{4} << 20);
  folder.add_file("liba.so", bytes);
  wait_for_clock();
  const auto files = make_disk_file_system();
  for (const bool is_first : {true, false}) {
    const auto shared = make_shared_readings(true, folder / "kept");
    Session session(*files, nullptr, nullptr, shared);
    const auto code = session.gpu_code(folder / "liba.so");
    REQUIRE(code);
    CHECK((*code)->sass == GpuEntries{{{70}, 1}});
    CHECK(shared->has_kept() == is_first);
  }
}

TEST_CASE("what is not there is an error, whatever is asked of it") {
  const TestWorld world;
  Session session(world.files);
  const std::string path = "/d/none.so";
  CHECK(session.pe_symbols(path).error().code == ErrorCode::absent);
  CHECK(session.elf_symbols(path).error().code == ErrorCode::absent);
  CHECK(session.gpu_code(path).error().code == ErrorCode::absent);
  CHECK(session.library_texts(path).error().code == ErrorCode::absent);
  CHECK(session.cuda_library(path).error().code == ErrorCode::absent);
  CHECK(session.linked_runtime(path).error().code == ErrorCode::absent);
  CHECK(session.wheel("/d/none-1.0-py3-none-any.whl").error().code == ErrorCode::absent);
}

TEST_CASE("what is known of a library's requests stands first, and is not told as a likelihood besides") {
  TestWorld world;
  const std::string constants("libgpu.so.1\0libother.so.1\0", 26);
  world.files.add_file("/site/pkg/liba.so",
                       with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", constants}}));
  const auto names = [&](std::shared_ptr<const Knowledge> known) {
    Session session(world.files, std::move(known));
    const auto texts = session.library_texts("/site/pkg/liba.so");
    REQUIRE(texts);
    std::string told;
    for (const auto& text : texts->texts) told += text.name + " " + text.source + "|";
    return told;
  };
  const auto newer = lay_over(*built_in_knowledge(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
    "source": "notes", "rows": [{"libraries": ["pkg/liba.so"], "values": {}, "without": "nothing",
                                 "asks": [{"name": "libgpu.so.1", "at": "use", "gpu": true}]}]})");
  REQUIRE(newer);
  CHECK(names(built_in_knowledge()) == "libgpu.so.1 |libother.so.1 |");
  CHECK(names(*newer) == "libgpu.so.1 likely, by notes|libother.so.1 |");
}

TEST_CASE("a file that cannot be opened any more has no functions to tell") {
  TestWorld world;
  world.add("/d/a.so", {.defines = {{"f"}}});
  world.files.add_file("/d/a.dll", pe({.name = "a.dll"}));
  Session session(world.files);
  REQUIRE(session.image("/d/a.so"));
  REQUIRE(session.image("/d/a.dll"));
  for (const auto* path : {"/d/a.so", "/d/a.dll"}) world.files.add_file(path, "", {.readable = false});
  const auto names = session.elf_symbols("/d/a.so");
  REQUIRE_FALSE(names);
  CHECK(names.error().code == ErrorCode::unreadable);
  CHECK(names.error().system_error == EACCES);
  const auto symbols = session.pe_symbols("/d/a.dll");
  REQUIRE_FALSE(symbols);
  CHECK(symbols.error().system_error == EACCES);
}

TEST_CASE("a version is no function, and files of Windows have no texts that an ELF file is known by") {
  TestWorld world;
  world.add("/d/a.so", {.defines_versions = {"V1"}, .defines = {{"V1", "V1"}, {"f", "V1"}}});
  world.files.add_file("/d/a.dll", pe({.name = "a.dll"}));
  Session session(world.files);
  const auto names = session.elf_symbols("/d/a.so");
  REQUIRE(names);
  CHECK(names->exported == std::vector<std::string>{"f@V1"});
  CHECK(names->imported.empty());
  const auto texts = session.library_texts("/d/a.dll");
  REQUIRE(texts);
  CHECK(texts->texts.empty());
}

TEST_CASE("no runtime is looked for in a file that needs one, be it there or not") {
  const auto linked = [](const std::vector<ElfNeeded>& needed, bool has_runtime) {
    TestWorld world;
    world.files.add_file("/d/libframe.so", with_linked_runtime(11080, {.needed = needed}));
    if (has_runtime) world.files.add_file("/lib/libcudart.so.12", cuda_runtime("libcudart.so.12", 12040));
    world.add("/lib/libother.so", {.soname = "libother.so"});
    const auto report = world.explain({"/d/libframe.so"});
    const auto& cuda = report.resolution.objects.front().cuda;
    return cuda && cuda->is_static ? cuda->version : "";
  };
  CHECK(linked({}, false) == "11.8");
  CHECK(linked({"libother.so"}, false) == "11.8");
  CHECK(linked({"libgone.so"}, false) == "11.8");
  CHECK(linked({"libcudart.so.12"}, true) == "");
  CHECK(linked({"libcudart.so.12"}, false) == "");
  CHECK(linked({{NeededTag::auxiliary, "libcudart.so.12"}}, false) == "11.8");
}

TEST_CASE("an object is told with the package that it belongs to, be that installed or asked about") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.add(packages + "made/a.abi3.so", {});
  world.files.add_file(packages + "made/__init__.py", "from . import a\n");
  world.files.add_file(packages + "made-2.0.dist-info/METADATA", "Name: made\nVersion: 2.0\n");
  world.files.add_file(packages + "made-2.0.dist-info/RECORD", "made/__init__.py,,\nmade/a.abi3.so,,\n");
  const auto package = [](const Report& report) {
    const auto& last = report.resolution.objects.back().package;
    return last ? last->name + " " + last->version : "none";
  };
  CHECK(package(world.explain({"py:made"})) == "made 2.0");
  world.query.prefix.reset();
  world.files.add_file("/w/pkg-1.0-py3-none-linux_x86_64.whl", wheel_file({{"pkg/liba.so", elf({})}}));
  CHECK(package(world.explain({"/w/pkg-1.0-py3-none-linux_x86_64.whl"})) == "pkg 1.0");
  world.add("/bin/app", program({}));
  CHECK(package(world.explain({"/bin/app"})) == "none");
}

TEST_CASE("GPU code is read where somebody wants to know of it") {
  const auto has_code = [](void (*ask)(Query&)) {
    TestWorld world;
    world.files.add_file("/lib/libk.so", gpu_library({.soname = "libk.so"}, {{2, 90}}));
    world.add("/bin/app", program({.needed = {"libk.so"}}));
    ask(world.query);
    const auto report = world.explain({"/bin/app"});
    const auto& code = report.resolution.objects.back().gpu;
    return code && !code->empty();
  };
  CHECK_FALSE(has_code([](Query&) {}));
  CHECK(has_code([](Query& query) { query.gpu_code = true; }));
  CHECK(has_code([](Query& query) { query.gpus = {GpuArchitecture{90, 0}}; }));
  CHECK(has_code([](Query& query) { query.policy.required_gpus = {GpuArchitecture{90, 0}}; }));
}

TEST_CASE("a package of one question is not there for the next, and what was asked stands in the report") {
  auto world = world_with_python();
  world.query.message.emplace().text = "the line";
  const std::string wheel = "/w/pkg-1.0-py3-none-any.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", ""}}));
  Session session(world.files);
  world.query.targets = {wheel};
  CHECK(session.explain(world.query).resolution.imports.size() == 1);
  world.query.targets = {"py:pkg"};
  const auto report = session.explain(world.query);
  CHECK(report.resolution.imports.at(0).failed);
  REQUIRE(report.message);
  CHECK(report.message->text == "the line");
  CHECK(report.query.targets == std::vector<std::string>{"py:pkg"});
  CHECK(report.query.world == WorldKind::here);
  CHECK(report.knowledge != nullptr);
}

TEST_CASE("of what an import comes to, the first that fails is its error, and what may fail is none") {
  auto world = world_with_python();
  const auto& packages = python_packages;
  world.files.add_file(packages + "pkg.py", "import a\nimport b\n");
  world.add(packages + "a.abi3.so", {.uses = {{"no_a"}}});
  world.add(packages + "b.abi3.so", {.uses = {{"no_b"}}});
  CHECK(world.explain({"py:pkg"}).resolution.targets.at(1).error ==
        "ImportError: " + packages + "a.abi3.so: undefined symbol: no_a");
  world.files.add_file(packages + "pkg.py", "try:\n  import a\nexcept ImportError:\n  pass\nimport b\n");
  CHECK(world.explain({"py:pkg"}).resolution.targets.at(1).error ==
        "ImportError: " + packages + "b.abi3.so: undefined symbol: no_b");
}

TEST_CASE("what calls a symbol that nobody has fails when it calls, an assertion of the loader at once") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"},
                                 .needs_versions = {{"liba.so", {{"V1"}}}},
                                 .uses = {{"f", ElfUse::call, "V1"}, {"g", ElfUse::call}}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines = {{"f"}}});
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
  world.set("LD_BIND_NOW", "1");
  CHECK(outcome(world.explain({"/bin/app"})).find("Assertion") != std::string::npos);
}

TEST_CASE("a request that only releases make which hold its pieces is known of these alone") {
  const auto newer = lay_over(*built_in_knowledge(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
    "source": "notes", "rows": [{"libraries": ["pkg/liba.so"], "values": {}, "without": "nothing",
      "asks": [{"name": "libheld.so.1", "at": "use", "gpu": true, "held": true,
                "pieces": ["libheld.so", "suffix"]}]}]})");
  REQUIRE(newer);
  const auto first_name = [&](const std::string& constants) {
    TestWorld world;
    world.files.add_file("/site/pkg/liba.so",
                         with_sections(elf({.uses = {{"dlopen", ElfUse::call}}}), {{".rodata", constants}}));
    Session session(world.files, *newer);
    const auto texts = session.library_texts("/site/pkg/liba.so");
    REQUIRE(texts);
    std::string told;
    for (const auto& text : texts->texts) told += text.name + "|";
    return told;
  };
  CHECK(first_name(std::string("\0libheld.so\0suffix\0libx.so\0", 27)) == "libheld.so.1|libx.so|");
  CHECK(first_name(std::string("\0libheld.so\0libx.so\0", 20)) == "libheld.so|libx.so|");
}

TEST_CASE("a Windows on which nothing was installed is asked as well where code catches what it lacks") {
  const auto level = [](const std::string& handler) {
    TestWorld world;
    const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
    const auto module = pe({.imports = {{"MSVCP140.dll", {{"f"}}}}});
    world.files.add_file(
        wheel, wheel_file({{"pkg/__init__.py", "try:\n  from . import _a\nexcept ImportError:\n  " + handler + "\n"},
                           {"pkg/_a.pyd", module},
                           {"pkg/_b.pyd", module}}));
    world.query.packages = {wheel};
    const auto report = world.explain({"py:pkg"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].subject == "MSVCP140.dll");
    CHECK(report.query.symbols == world.query.symbols);
    return report.findings[0].level;
  };
  CHECK(level("pass") == Level::note);
  CHECK(level("from . import _b") == Level::warning);
}

}  // namespace
}  // namespace cudald
