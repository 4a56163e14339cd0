#include "session/loaded_libraries.h"

#include <doctest/doctest.h>

#include <cudald/session.h>

#include "binary/bytes/readers.h"
#include "common/built_in.h"
#include "common/code_file.h"
#include "common/wheel_file.h"
#include "common/world.h"
#include "knowledge/knowledge.h"
#include "process/process_record.h"
#include "unit/session/python_world.h"
#include "unit/tree/scratch_folder.h"

namespace cudald {
namespace {

/// A library that opens another one.
std::string opening(const std::string& name) {
  CodeFile file({"dlopen"});
  file.function();
  file.address(CodeFile::rdi, file.text(name)).call("dlopen");
  return file.bytes();
}

std::vector<Import::Unfollowed> unfollowed(const std::string& code, const std::string& library,
                                           std::shared_ptr<const Knowledge> known = built_in_knowledge()) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", code}, {"pkg/liba.so", library}}));
  world.query.targets = {path};
  return Session(world.files, std::move(known)).explain(world.query).resolution.imports.at(0).unfollowed;
}

TEST_CASE("what a library that an import loads may open by itself is told, and is not certain") {
  const std::string loading = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'liba.so'))\n";
  const auto told = unfollowed(loading, opening("libgpu.so.1"));
  REQUIRE(told.size() == 1);
  CHECK(told[0].what == "libraries that a loaded library may open");
  CHECK(told[0].code == "libgpu.so.1");
  CHECK(told[0].module == "liba.so");
  CHECK_FALSE(told[0].certain);
  CHECK(unfollowed(loading, elf({})).empty());
  CHECK(unfollowed("", opening("libgpu.so.1")).empty());
}

TEST_CASE("of a library whose requests a newer table knows, nothing is guessed") {
  const auto newer = lay_over(built_in(), R"({"schema": "cudald/known-dlopens", "checked": "2030-01-02",
    "source": "notes", "rows": [{"libraries": ["pkg/liba.so"], "values": {}, "without": "nothing",
                                 "asks": [{"name": "libgpu.so.1", "at": "use", "gpu": true}]}]})");
  REQUIRE(newer);
  const std::string loading = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'liba.so'))\n";
  CHECK(unfollowed(loading, opening("libgpu.so.1")).size() == 1);
  CHECK(unfollowed(loading, opening("libgpu.so.1"), *newer).empty());
}

TEST_CASE("of a library that is too large to be looked into, that is told") {
  auto large = elf({});
  large.resize((std::size_t{48} << 20) + 1);
  const auto told =
      unfollowed("import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'liba.so'))\n", large);
  REQUIRE(told.size() == 1);
  CHECK(told[0].module == "liba.so");
  CHECK(told[0].code == "(it is too large to be looked into)");
  CHECK_FALSE(told[0].certain);
}

TEST_CASE("only of libraries that packages bring it is told what they may open") {
  auto world = world_with_ctypes();
  for (const auto& path : {std::string("/opt/liba.so"), python_packages + "liba.so"}) {
    world.files.add_file(path, opening("libgpu.so.1"));
    world.files.add_file(python_packages + "pkg.py", "import ctypes\nctypes.CDLL('" + path + "')\n");
    const auto unfollowed = world.explain({"py:pkg"}).resolution.imports.at(0).unfollowed;
    CHECK(unfollowed.size() == (path.starts_with("/opt") ? 0 : 1));
  }
}

/// A process that has mapped one library.
class ProcessWith : public ProcessRecord {
 public:
  ProcessWith(const std::string& path, const FileSystem& files) {
    Object object;
    object.path = path;
    object.image = *read_image(**files.open(path));
    add_object(std::move(object));
  }
};

TEST_CASE("what a large library may ask for is found once for each kind of it, while it is not changed") {
  constexpr std::size_t large = std::size_t{256} << 10;
  const ScratchFolder folder;
  CodeFile file({"dlopen", "PyImport_ImportModule"});
  file.function();
  file.address(CodeFile::rdi, file.text("libgpu.so.1")).call("dlopen");
  file.address(CodeFile::rdi, file.text("uuid")).call("PyImport_ImportModule");
  auto bytes = file.bytes();
  bytes.resize(large);
  folder.add_file("site-packages/liba.so", bytes);
  wait_for_clock();
  const auto path = folder / "site-packages/liba.so";
  const auto files = make_disk_file_system();
  const ProcessWith process(path, *files);
  const auto told = [&](const std::vector<ImportedModule>& imported) {
    KeptReadings kept(folder / "kept", "requests", large);
    std::string all;
    for (const auto& one : requests_of_libraries(process, 0, *files, built_in(), imported, kept)) all += one.code + " ";
    return all + (kept.has_kept() ? "(read)" : "(kept)");
  };
  const ImportedModule itself{.name = "liba", .path = path}, other{.name = "uuid", .path = "/uuid.py"};
  CHECK(told({}) == "libgpu.so.1 uuid (read)");
  CHECK(told({itself}) == "libgpu.so.1 (read)");
  CHECK(told({itself}) == "libgpu.so.1 (kept)");
  CHECK(told({}) == "libgpu.so.1 uuid (kept)");
  CHECK(told({other}) == "libgpu.so.1 (kept)");
}

}  // namespace
}  // namespace cudald
