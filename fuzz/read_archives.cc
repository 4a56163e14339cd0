// Packages and images: their directories, and the libraries in them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <cudald/file_system.h>

#include "archive/image_tar.h"
#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"
#include "common/memory_file_system.h"
#include "package/package_tree.h"
#include "targets.h"

namespace cudald {
namespace {

/// From its end, from its beginning, and as a whole.
void read_in_any_order(const File& file) {
  std::array<std::byte, 4096> block;
  const auto size = file.status().size;
  for (const auto at : {size - std::min<std::uint64_t>(size, block.size()), std::uint64_t{0}, size / 2})
    (void)file.read(at, block);
  (void)file.reads_anywhere(size / 2, block.size());
  (void)file.verify();
}

void fuzz_package(const std::string& bytes, const std::string& name) {
  MemoryFileSystem files;
  files.add_file(name, bytes);
  PackageTree tree(files, read_all_tables);
  const auto number = tree.install(name);
  if (!number) return;
  ImageStore images(tree);
  const auto& package = tree.packages()[*number];
  for (const auto& library : package.libraries) {
    read_library(images, library);
    (void)tree.path_of(*number, tree.shown(library));
    if (const auto file = tree.open(library)) read_in_any_order(**file);
  }
  for (const auto& program : package.programs)
    if (const auto file = tree.open(program)) read_in_any_order(**file);
  const auto copy = tree.empty_like();
  copy->install_all_of(tree);
  (void)copy->damaged_members();
  (void)copy->description();
}

}  // namespace

void fuzz_wheel(const std::string& bytes) { fuzz_package(bytes, "/x-1.0-cp311-cp311-linux_x86_64.whl"); }
void fuzz_conda(const std::string& bytes) {
  fuzz_package(bytes, bytes.starts_with("PK") ? "/x-1.0-py311_0.conda" : "/x-1.0-py311_0.tar.bz2");
}

namespace {

/// Everything in a tree, as far as `left` goes.
void read_all_below(const FileSystem& files, const std::string& path, std::size_t& left) {
  const auto status = files.status(path);
  (void)files.real_path(path);
  if (!status || left == 0) return;
  --left;
  if (status->kind != FileKind::folder) {
    if (const auto file = files.open(path)) read_in_any_order(**file);
    return;
  }
  const auto names = files.list(path);
  if (!names) return;
  for (const auto& name : *names) read_all_below(files, path == "/" ? "/" + name : path + "/" + name, left);
}

}  // namespace

void fuzz_tar(const std::string& bytes) {
  constexpr std::size_t most_files = 50;
  MemoryFileSystem files;
  files.add_file("/x.tar", bytes);
  auto file = files.open("/x.tar");
  if (!file) return;
  const auto tar = open_image_tar(std::shared_ptr<const File>(std::move(*file)), "/x.tar", read_all_tables, "amd64");
  if (!tar) return;
  auto left = most_files;
  read_all_below(*tar->files, "/", left);
  for (const auto* path : {"/a/../b", "/bin/p/x", "/lib/liba.so"}) {
    (void)tar->files->open(path);
    (void)tar->files->list(path);
  }
}

}  // namespace cudald
