#include "binary/image_store.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/parallel.h"
#include "binary/elf/rehearsal.h"
#include "common/elf_builder.h"
#include "common/fatbin_file.h"
#include "common/memory_file_system.h"
#include "common/stream_tree.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

using Log = std::vector<std::string>;

TEST_CASE("a path is opened once, however often it is asked for") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so"}));
  ImageStore store(files);
  const auto& first = store.open("/lib/liba.so");
  CHECK(files.take_log() == Log{"open /lib/liba.so"});
  CHECK(&store.open("/lib/liba.so") == &first);
  CHECK(store.open("/lib/none.so").error->system_error == ENOENT);
  CHECK(store.open("/lib/none.so").error->system_error == ENOENT);
  CHECK(files.take_log() == Log{"open /lib/none.so"});
  CHECK(store.folder_exists("/lib"));
  CHECK(store.folder_exists("/lib"));
  CHECK_FALSE(store.folder_exists("/lib/liba.so"));
  CHECK_FALSE(store.folder_exists("/none"));
  CHECK_FALSE(store.folder_exists("/none"));
  CHECK(files.take_log() == Log{"status /lib", "status /lib/liba.so", "status /none"});
}

TEST_CASE("how a path can be read is asked of the tree once, and not at all of what was opened") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({.soname = "liba.so"}));
  files.add_file("/lib/libb.so", elf({.soname = "libb.so"}));
  ImageStore store(files);
  store.open("/lib/liba.so");
  (void)files.take_log();
  CHECK(store.access("/lib/liba.so") == FileAccess::any_order);
  CHECK(files.take_log().empty());
  for (int i = 0; i < 2; ++i) {
    CHECK(store.access("/lib/libb.so") == FileAccess::any_order);
    CHECK(store.access("/lib/none.so") == FileAccess::none);
  }
  CHECK(files.take_log() == Log{"open /lib/libb.so", "open /lib/none.so"});
}

TEST_CASE("two names of one file share what it says, and know where it really lies") {
  MemoryFileSystem files;
  files.add_file("/real/liba.so.1", elf({.soname = "liba.so"}));
  files.add_file("/real/copy.so", elf({.soname = "liba.so"}));
  files.add_symlink("/lib", "/real");
  files.add_hard_link("/other/hard.so", "/real/liba.so.1");
  ImageStore store(files);
  const auto& direct = store.open("/real/liba.so.1");
  const auto& linked = store.open("/lib/liba.so.1");
  const auto& hard = store.open("/other/hard.so");
  CHECK(linked.image == direct.image);
  CHECK(hard.image == direct.image);
  CHECK(linked.status.id == direct.status.id);
  CHECK(linked.real_path == "/real/liba.so.1");
  CHECK(hard.real_path == "/other/hard.so");
  CHECK(store.open("/real/copy.so").image != direct.image);
}

TEST_CASE("a file that was opened by a link is not opened again by its real path") {
  MemoryFileSystem files;
  files.add_file("/real/liba.so.1", elf({.soname = "liba.so"}));
  files.add_symlink("/lib", "/real");
  ImageStore store(files);
  const auto& linked = store.open("/lib/liba.so.1");
  files.take_log();
  const auto& real = store.open("/real/liba.so.1");
  CHECK(store.access("/real/liba.so.1") == FileAccess::any_order);
  CHECK(files.take_log().empty());
  CHECK(real.image == linked.image);
  CHECK(real.status.id == linked.status.id);
  CHECK(real.real_path == linked.real_path);
}

TEST_CASE("an error of the disk is the file's own error, and tried again under another name") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({}), {.broken_disk = true});
  files.add_hard_link("/lib/libb.so", "/lib/liba.so");
  ImageStore store(files);
  for (const std::string path : {"/lib/liba.so", "/lib/libb.so"}) {
    const auto& opened = store.open(path);
    REQUIRE(opened.error);
    CHECK(opened.error->system_error == EIO);
    CHECK(opened.error->path == path);
    CHECK_FALSE(opened.image);
  }
}

/// A tree in which one file cannot even be looked at.
class BrokenTree final : public FileSystem {
 public:
  Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path == "/lib/odd.so") throw std::runtime_error("no such thing");
    return files.open(path);
  }
  Result<std::string> real_path(const std::string& path) const override { return files.real_path(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files.list(path); }

  MemoryFileSystem files;
};

TEST_CASE("what is thrown while files are read ahead reaches who asked") {
  BrokenTree tree;
  tree.files.add_file("/lib/odd.so", elf({}));
  tree.files.add_file("/lib/liba.so", elf({}));
  for (const std::size_t threads : {1U, 4U}) {
    Budget budget;
    ThreadLimit limit(threads);
    ImageStore store(tree, budget, limit);
    CHECK_THROWS_WITH(store.prefetch({"/lib/odd.so", "/lib/liba.so"}), "no such thing");
  }
}

TEST_CASE("a tree in memory may be asked on several threads, as reading ahead does, and notes each look-up") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({}));
  ThreadLimit limit(4);
  for_each_index(limit, 50000, [&](std::size_t) { static_cast<void>(files.status("/lib/liba.so")); });
  CHECK(files.take_log() == Log(50000, "status /lib/liba.so"));
}

TEST_CASE("each question pays for each file, whether it was read before or ahead") {
  MemoryFileSystem files;
  for (const std::string name : {"a", "b"}) files.add_file("/lib/" + name, elf({.soname = name}));
  Budget measured;
  ThreadLimit limit(1);
  ImageStore first(files, measured, limit);
  REQUIRE(first.open("/lib/a").image);
  const auto cost = measured.cost();
  REQUIRE(cost.steps > 0);

  // Enough for one of them.
  const CostLimits limits{cost.read * 3 / 2, std::uint64_t{1} << 30, cost.steps * 3 / 2, 200};
  Budget budget(limits);
  ImageStore store(files, budget, limit);
  store.prefetch({"/lib/a", "/lib/b"});
  for (const std::string order : {"ab", "ba"}) {
    budget.restart(limits);
    store.begin_question();
    CHECK(store.open(std::string("/lib/") + order[0]).image);
    CHECK(store.open(std::string("/lib/") + order[0]).image);
    const auto& refused = store.open(std::string("/lib/") + order[1]);
    REQUIRE(refused.error);
    CHECK(refused.error->code == ErrorCode::limit);
    CHECK(store.open(std::string("/lib/") + order[0]).image);
  }
}

TEST_CASE("GPU code is read once for a file, of a stream when it is opened if that is expected") {
  MemoryFileSystem files;
  const StreamTree tree(files);
  files.add_file("/lib/liba.so", gpu_library({}, {{2, 70}}));
  files.add_hard_link("/lib/libb.so", "/lib/liba.so");
  files.add_file("/lib/plain.so", elf({}));
  for (const bool expected : {false, true}) {
    ImageStore store(tree);
    if (expected) store.expect_gpu_code();
    CHECK(store.open("/lib/liba.so").gpu.has_value() == expected);
    files.take_log();
    const auto code = store.gpu_code("/lib/liba.so");
    REQUIRE(code);
    CHECK(code->sass.size() == 1);
    CHECK(files.take_log() == (expected ? Log{} : Log{"open /lib/liba.so"}));
    CHECK(store.gpu_code("/lib/liba.so") == code);
    CHECK(store.gpu_code("/lib/libb.so") == code);
    CHECK(store.gpu_code("/lib/plain.so") == nullptr);
    CHECK(store.gpu_code("/lib/none.so") == nullptr);
  }
  ImageStore disk(files);
  disk.expect_gpu_code();
  CHECK_FALSE(disk.open("/lib/liba.so").gpu);
  CHECK(disk.gpu_code("/lib/liba.so")->sass.size() == 1);
}

TEST_CASE("GPU code that no budget is left for has a limit") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", gpu_library({}, {{2, 70}}));
  Budget measured;
  ThreadLimit limit(1);
  ImageStore first(files, measured, limit);
  REQUIRE(first.open("/lib/liba.so").image);
  const auto opened = measured.cost().steps;
  CHECK(first.gpu_code("/lib/liba.so")->defects.empty());
  CHECK(measured.cost().steps > opened);
  Budget budget({.steps = measured.cost().steps - 1});
  ImageStore store(files, budget, limit);
  const auto code = store.gpu_code("/lib/liba.so");
  REQUIRE(code);
  REQUIRE(code->defects.size() == 1);
  CHECK(code->defects[0].limit);
  CHECK(code->defects[0].message == budget.error().message);
}

TEST_CASE("GPU code is read ahead of files that were opened, and paid when it is asked for") {
  MemoryFileSystem files;
  for (const std::string name : {"a", "b", "c"}) files.add_file("/lib/" + name, gpu_library({}, {{2, 70}}));
  files.add_hard_link("/lib/same", "/lib/a");
  files.add_file("/lib/plain", with_sections(elf({}), {{".rodata", "text"}}));
  files.add_file("/lib/bare", elf({}));
  Budget budget;
  ThreadLimit limit(2);
  ImageStore store(files, budget, limit);
  for (const std::string name : {"a", "b", "same", "plain", "bare", "none"}) store.open("/lib/" + name);
  REQUIRE(store.gpu_code("/lib/b"));
  const auto before = budget.cost();
  files.take_log();
  const std::vector<std::string> paths = {"/lib/a",     "/lib/b",    "/lib/c",   "/lib/same",
                                          "/lib/plain", "/lib/bare", "/lib/none"};
  store.prefetch_gpu_code(paths);
  store.prefetch_gpu_code(paths);
  auto log = files.take_log();
  std::sort(log.begin(), log.end());
  CHECK(log == Log{"open /lib/a", "open /lib/bare"});
  CHECK(budget.cost() == before);
  CHECK(store.gpu_code("/lib/a")->sass.size() == 1);
  CHECK(store.gpu_code("/lib/same") == store.gpu_code("/lib/a"));
  CHECK(store.gpu_code("/lib/plain") == nullptr);
  CHECK(store.gpu_code("/lib/bare") == nullptr);
  CHECK(files.take_log().empty());
  const auto paid = budget.cost() - before;
  ImageStore now(files, budget, limit);
  for (const std::string name : {"a", "bare"}) now.open("/lib/" + name);
  const auto opened = budget.cost();
  for (const std::string name : {"a", "bare"}) (void)now.gpu_code("/lib/" + name);
  CHECK(budget.cost() - opened == paid);
}

TEST_CASE("GPU code of streams is not read ahead") {
  MemoryFileSystem files;
  const StreamTree tree(files);
  files.add_file("/lib/liba.so", gpu_library({}, {{2, 70}}));
  ImageStore store(tree);
  store.open("/lib/liba.so");
  store.prefetch_gpu_code({"/lib/liba.so"});
  CHECK(store.gpu_code("/lib/liba.so")->sass.size() == 1);
}

TEST_CASE("what is known of a file is not read of it") {
  MemoryFileSystem files;
  files.add_file("/lib/liba.so", elf({}));
  files.add_file("/lib/libb.so", elf({}));
  ImageStore store(files);
  const auto id = files.status("/lib/liba.so")->id;
  const auto image = std::make_shared<Image>();
  const auto gpu = std::make_shared<GpuCode>();
  LibraryTexts texts;
  texts.function = "dlopen";
  store.know(id, image);
  store.know(id, gpu, texts);
  CHECK(store.open("/lib/liba.so").image == image);
  CHECK(store.open("/lib/liba.so").real_path == "/lib/liba.so");
  CHECK(store.gpu_code("/lib/liba.so") == gpu);
  CHECK(store.library_texts("/lib/liba.so").function == "dlopen");
  CHECK(store.library_texts("/lib/libb.so").function == "");
  CHECK(store.library_texts("/lib/none.so").function == "");
  CHECK(store.known("/lib/libc.so") == nullptr);
  CHECK(store.known("/lib/liba.so")->image == image);
  store.prefetch({"/lib/libb.so", "/lib/none.so"});
  files.take_log();
  CHECK(store.open("/lib/libb.so").image);
  CHECK(store.open("/lib/none.so").error->code == ErrorCode::absent);
  CHECK(files.take_log().empty());
}

TEST_CASE("folders and names are asked about once, and not below what is none") {
  MemoryFileSystem files;
  files.add_file("/lib/file", "x");
  files.add_folder("/lib/sub");
  files.add_symlink("/lib/dangling", "nowhere");
  ImageStore store(files);
  using State = ImageStore::FolderState;
  CHECK(store.folder_state("/lib") == State::folder);
  CHECK(store.folder_state("/lib/sub") == State::folder);
  CHECK(store.folder_state("/lib/file") == State::not_a_folder);
  CHECK(store.folder_state("/none") == State::absent);
  CHECK(store.folder_exists("/lib"));
  CHECK_FALSE(store.folder_exists("/lib/file"));
  CHECK_FALSE(store.folder_exists("/none"));
  files.take_log();
  CHECK(store.folder_state("/none/below") == State::absent);
  CHECK(store.folder_state("/lib/file/below") == State::absent);
  CHECK(store.folder_state("/lib/sub") == State::folder);
  CHECK(files.take_log().empty());
  for (int again = 0; again < 2; ++again) {
    CHECK(store.has_name("/lib/dangling"));
    CHECK(store.has_name("/lib/file"));
    CHECK_FALSE(store.has_name("/lib/other"));
    CHECK(files.take_log().size() == (again == 0 ? 3 : 0));
  }
  CHECK(store.list("/lib") == Log{"dangling", "file", "sub"});
  CHECK(store.list("/none").empty());
  files.take_log();
  CHECK(store.list("/lib").size() == 3);
  CHECK(store.has_name("/lib/sub"));
  CHECK_FALSE(store.has_name("/lib/su"));
  CHECK(files.take_log().empty());
}

TEST_CASE("a rehearsal reads what binding symbols reads") {
  const auto reads = [](const std::string& bytes) {
    struct Counted final : File {
      explicit Counted(const std::string& text) : file(text) {}
      const FileStatus& status() const override { return file.status(); }
      Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
        ++count;
        return file.read(offset, into);
      }
      FaultyFile file;
      mutable int count = 0;
    };
    const Counted image(bytes), tables(bytes);
    (void)read_image(image);
    read_all_tables(tables);
    return tables.count - image.count;
  };
  CHECK(reads(elf({.defines = {{"f"}}, .uses = {{"g"}}})) > 3);
  CHECK(reads(elf({})) == 0);
  CHECK(reads("not an ELF file") == 0);
}

TEST_CASE("the largest files are read ahead first, and those that are not there last") {
  for (const bool texts : {false, true}) {
    MemoryFileSystem files;
    const auto padded = [](std::size_t more) { return elf({.uses = {{"dlopen"}}}) + std::string(more, 'x'); };
    files.add_file("/lib/small.so", padded(1));
    files.add_file("/lib/large.so", padded(300));
    files.add_file("/lib/middle.so", padded(20));
    files.add_file("/lib/byte", "x");
    const Log paths{"/lib/none.so", "/lib/byte", "/lib/small.so", "/lib/large.so", "/lib/middle.so"};
    Budget budget;
    ThreadLimit limit(1);
    ImageStore store(files, budget, limit);
    if (texts)
      for (const auto& path : paths) store.open(path);
    files.take_log();
    if (texts)
      store.prefetch_library_texts(paths);
    else
      store.prefetch(paths);
    Log opened;
    for (const auto& line : files.take_log())
      if (line.starts_with("open")) opened.push_back(line.substr(5));
    Log expected{"/lib/large.so", "/lib/middle.so", "/lib/small.so", "/lib/byte"};
    if (!texts) expected.push_back("/lib/none.so");
    CHECK(opened == expected);
    // Nothing is asked a second time.
    for (const auto& path : paths) store.open(path);
    CHECK(files.take_log().empty());
    store.prefetch(paths);
    CHECK(files.take_log().empty());
    store.prefetch_library_texts({paths[4], paths[4]});
    store.prefetch_library_texts(paths);
    files.take_log();
    store.prefetch_library_texts(paths);
    CHECK(files.take_log().empty());
  }
}

/// A tree whose files are damaged, as is only known at their end, and do not know where they lie.
class DamagedTree final : public FileSystem {
 public:
  class Damaged final : public File {
   public:
    explicit Damaged(std::unique_ptr<File> file) : file_(std::move(file)) {}
    const FileStatus& status() const override { return file_->status(); }
    Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
      return file_->read(offset, into);
    }
    std::optional<Error> verify() const override {
      return Error{ErrorCode::malformed, "another checksum", "/elsewhere", {}};
    }

   private:
    std::unique_ptr<File> file_;
  };

  Result<FileStatus> status(const std::string& path) const override { return files.status(path); }
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    auto file = files.open(path);
    if (!file) return file.error();
    if (path != "/bad") return std::move(*file);
    return std::unique_ptr<File>(std::make_unique<Damaged>(std::move(*file)));
  }
  Result<std::string> real_path(const std::string&) const override { return Error{}; }
  Result<std::vector<std::string>> list(const std::string& path) const override { return files.list(path); }

  MemoryFileSystem files;
};

TEST_CASE("a file that does not agree with its checksum is an error under the path that was asked for") {
  DamagedTree tree;
  tree.files.add_file("/bad", elf({.soname = "liba.so"}));
  tree.files.add_file("/good", elf({.soname = "libb.so"}));
  ImageStore store(tree);
  const auto& bad = store.open("/bad");
  REQUIRE(bad.error);
  CHECK(bad.error->code == ErrorCode::malformed);
  CHECK(bad.error->message == "another checksum");
  CHECK(bad.error->path == "/bad");
  CHECK_FALSE(bad.image);
  CHECK(bad.real_path == "");
  CHECK(store.gpu_code("/bad") == nullptr);
  // A path that nothing more is known of is its own.
  CHECK(store.open("/good").real_path == "/good");
  CHECK(store.open("/good").image);
}

TEST_CASE("what a question has no budget left for is told under each path") {
  MemoryFileSystem files;
  files.add_file("/a", elf({}));
  files.add_file("/b", elf({}));
  Budget budget({.steps = 0});
  ThreadLimit limit(1);
  ImageStore store(files, budget, limit);
  for (const std::string path : {"/a", "/b", "/a"}) {
    const auto& refused = store.open(path);
    REQUIRE(refused.error);
    CHECK(refused.error->code == ErrorCode::limit);
    CHECK(refused.error->message == budget.error().message);
    CHECK(refused.error->path == path);
    CHECK_FALSE(refused.image);
  }
  CHECK(store.known("/a")->image);
}

TEST_CASE("another view of the same files knows what was read of them") {
  MemoryFileSystem files;
  files.add_file("/a", elf({.soname = "liba.so"}));
  files.add_hard_link("/b", "/a");
  ImageStore first(files);
  const auto image = first.open("/a").image;
  const ImageStore& known = first;
  ImageStore second(files, known);
  CHECK(second.open("/b").image == image);
  CHECK(second.known("/a") == nullptr);
}

}  // namespace
}  // namespace cudald
