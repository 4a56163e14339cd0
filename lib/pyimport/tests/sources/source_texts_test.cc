#include "pyimport/sources/source_texts.h"

#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/table.h"
#include "pyimport/run_import.h"
#include "pyimport/sources/source.h"
#include "pyimport/sources/source_store.h"
#include "unit/tree/scratch_folder.h"

using namespace cudald;
using namespace cudald::python;

namespace {

constexpr std::uint64_t enough = 1'000;

SourceIdentity read_of(SourceTexts& texts, const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  REQUIRE(file);
  auto read = texts.read(**file, path, enough);
  REQUIRE(read);
  return *read;
}

/// Files on the disk, and their texts.
struct DiskTexts {
  ScratchFolder folder;
  std::unique_ptr<FileSystem> files = make_disk_file_system();
  SourceTexts texts{*files};

  SourceIdentity read(const std::string& name) { return read_of(texts, *files, folder / name); }
  void read_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto name = std::to_string(i);
      folder.add_file(name, name);
      read(name);
    }
  }
  /// Nothing that was read before is at hand any more.
  void read_others() { read_others(SourceTexts::most_recent); }
};

}  // namespace

TEST_CASE("a text of a file on a disk is read again, unless it was among the last ones") {
  DiskTexts disk;
  disk.folder.add_file("m.py", "import a\n");
  const auto known = disk.read("m.py");
  CHECK(known.text == nullptr);
  CHECK(known.size() == 9);
  const auto first = disk.texts.text(known);
  REQUIRE(first != nullptr);
  CHECK(*first == "import a\n");
  disk.read_others(SourceTexts::most_recent - 1);
  CHECK(disk.texts.text(known) == first);  // and is the last one now
  disk.read_others(SourceTexts::most_recent - 1);
  CHECK(disk.texts.text(known) == first);
  disk.read_others();
  const auto again = disk.texts.text(known);
  CHECK(again != first);
  CHECK(*again == *first);
  CHECK(disk.texts.text(known) == again);
}

TEST_CASE("a file that is another one by now has no text") {
  DiskTexts disk;
  disk.folder.add_file("m.py", "import a\n");
  const auto known = disk.read("m.py");
  disk.read_others();
  disk.folder.add_file("m.py", "import bc\n");
  CHECK(disk.texts.text(known) == nullptr);
  CHECK_FALSE(disk.read("m.py") == known);
  disk.read_others();
  std::filesystem::remove(disk.folder / "m.py");
  CHECK(disk.texts.text(known) == nullptr);
}

TEST_CASE("a text that cannot be read again as it was is kept") {
  MemoryFileSystem files;
  files.add_file("/m.py", "import a\n");
  SourceTexts texts(files);
  const auto known = read_of(texts, files, "/m.py");
  REQUIRE(known.text != nullptr);
  CHECK(*known.text == "import a\n");
  CHECK(known.size() == 9);
  CHECK(texts.text(known) == known.text);
  CHECK(read_of(texts, files, "/m.py") == known);
  files.add_file("/m.py", "import b\n");
  CHECK_FALSE(read_of(texts, files, "/m.py") == known);
}

TEST_CASE("a file is no source if it is longer than is read") {
  DiskTexts disk;
  disk.folder.add_file("m.py", std::string(enough + 1, 'a'));
  const auto file = disk.files->open(disk.folder / "m.py");
  REQUIRE(file);
  CHECK(disk.texts.read(**file, disk.folder / "m.py", enough).error().code == ErrorCode::limit);
}

TEST_CASE("the body of a function is read from the file again; where this has changed, it has no statements") {
  DiskTexts disk;
  disk.folder.add_file("m.py", "def f():\n  import a\n\ndef g():\n  import b\n");
  Budget budget;
  const auto source = Source::parse(disk.read("m.py"), disk.texts, budget);
  const auto before = budget.cost();
  disk.read_others();
  CHECK(source->body(source->block()[0])[0].is(NodeKind::import));
  CHECK(budget.cost().steps - before.steps >= 1);
  CHECK(source->complete());
  CHECK_FALSE(source->was_lost());
  disk.read_others();
  disk.folder.add_file("m.py", "import c\n");
  CHECK(source->body(source->block()[1]).size() == 0);
  CHECK(source->was_lost());
  CHECK_FALSE(source->complete());
  CHECK(source->body(source->block()[0])[0].is(NodeKind::import));
  CHECK(source->text()->empty());
  CHECK(source->line(1).empty());
  CHECK(source->first_trick() == 1);
  CHECK_FALSE(source->may_load_libraries());
}

TEST_CASE("of a source that is read again its trees keep the texts that they need, and pay for them") {
  DiskTexts disk;
  disk.folder.add_file("m.py", "def f(a, b):\n  import c\n# a remark\nx.y = 'text'\n");
  const auto identity = disk.read("m.py");
  SourceStore store;
  Budget budget;
  const auto source = Source::parse(identity, disk.texts, budget, &store);
  const auto unasked = [] { return SourceText(); };
  const auto whole = store.source(identity)->whole(unasked, budget);
  CHECK(whole->tree.bytes_of_texts() == std::string("fabxy'text'").size());
  CHECK(source->block()[0][0].text() == "f");
  CHECK(source->block()[1][0].text() == "'text'");
  const auto before = budget.cost().kept;
  CHECK(source->body(source->block()[0])[0][0][0].text() == "c");
  const auto body = store.source(identity)->body(source->block()[0].back(), unasked, budget);
  CHECK(body->tree.bytes_of_texts() == 1);
  CHECK(budget.cost().kept - before == 2 * body->cost.kept);
  CHECK(store.forget() == sizeof(ParsedSource) + 2 * sizeof(ParsedSource::Part) + whole->tree.bytes() +
                              whole->tree.bytes_of_texts() + body->tree.bytes() + 1);
}

TEST_CASE("what a file costs does not hang on whether its text is at hand") {
  DiskTexts disk;
  disk.folder.add_file("m.py", "def f():\n  import a\n" + std::string(500, '#'));
  const auto cost = [&](bool at_hand) {
    Budget budget;
    const auto source = Source::parse(disk.read("m.py"), disk.texts, budget);
    if (!at_hand) disk.read_others();
    source->body(source->block()[0]);
    return budget.cost();
  };
  CHECK(cost(true) == cost(false));
  CHECK(cost(true).steps >= 500 / 32);
  CHECK(cost(true).kept < sizeof(Source) + 500);
}

TEST_CASE("a module that changes while its import is followed leaves the import unknown") {
  ScratchFolder folder;
  folder.add_file("m.py", "import ctypes, n\nctypes.CDLL('x.so')\ndef f():\n  import a\n");
  std::string others = "import ctypes\n";
  for (std::size_t i = 0; i < SourceTexts::most_recent; ++i) {
    folder.add_file("n" + std::to_string(i) + ".py", "x = 1\n");
    others += "import n" + std::to_string(i) + "\n";
  }
  folder.add_file("n.py", others);
  folder.add_file("a.so", "");
  folder.add_file("top.py", "import m, n\nm.f()\n");
  PythonEnvironment python;
  python.version = "3.11";
  python.path = {folder.path()};
  python.extension_suffixes = {".so"};
  const auto rules = table_of(R"({"standard_library": {"names": ["ctypes"]}, "rules": [], "libraries": {"rows": {}}})");
  const auto files = make_disk_file_system();
  for (const bool changes : {false, true}) {
    CAPTURE(changes);
    PythonLoader loader;
    loader.load = [&](const LoadStep& step) {
      if (changes && step.path == "x.so") folder.add_file("m.py", "import ctypes\n");
      return LoadAnswer{true, ""};
    };
    Budget budget(python_limits);
    const auto result = run_import("top", python, *files, loader, rules, budget);
    CHECK(result.followed == !changes);
    REQUIRE(result.notes.size() == (changes ? 1 : 0));
    if (changes) CHECK(result.notes[0] == folder / "m.py" + " was changed while it was read");
  }
}
