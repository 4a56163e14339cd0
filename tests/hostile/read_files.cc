// Reads each file that it is given as whatever its name says it is, and says nothing of it. It is built with
// sanitizers, which end it at the first fault; read_files.py gives it the hostile files of the other scripts.

#include <cstdio>
#include <memory>
#include <string>

#include <cudald/file_system.h>

#include "archive/image_tar.h"
#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"
#include "common/read_library.h"
#include "package/package_tree.h"
#include "rewrite/edit_elf.h"

namespace cudald {
namespace {

/// An edit reads all that it may change, and verifies what it made.
void edit_library(const FileSystem& files, const std::string& path) {
  auto file = files.open(path);
  if (!file) return;
  const std::shared_ptr<const File> source(std::move(*file));
  const ElfEdits edits{.search_path = std::string(300, 'x'), .added = {"liba.so"}, .soname = "libb.so"};
  for (const auto largest_bss : {0, 1 << 20})
    (void)edit_elf(source, path, edits, static_cast<std::uint64_t>(largest_bss));
}

void read_library(ImageStore& images, const std::string& path) {
  if (read_library_tables(images, path) != nullptr) edit_library(images.files(), path);
}

void read_package(PackageTree& tree, ImageStore& images, const std::string& path) {
  const auto number = tree.install(path);
  if (!number) return;
  for (const auto& library : tree.packages()[*number].libraries) read_library(images, library);
}

/// The first folders of a tree, and the files in them.
void read_tree(const FileSystem& files, const std::string& folder, int depth) {
  const auto names = files.list(folder);
  if (!names || depth == 0) return;
  for (const auto& name : *names) {
    const auto path = folder + "/" + name;
    const auto status = files.status(path);
    if (!status) continue;
    if (status->kind == FileKind::folder) read_tree(files, path, depth - 1);
    if (status->kind == FileKind::regular) {
      ImageStore images(files);
      read_library(images, path);
    }
  }
}

void read_any(const FileSystem& disk, const std::string& path) {
  if (is_tar_name(path)) {
    auto file = disk.open(path);
    if (!file) return;
    const auto tar = open_image_tar(std::shared_ptr<const File>(std::move(*file)), path, read_all_tables, "amd64");
    if (tar) read_tree(*tar->files, "", 4);
    return;
  }
  PackageTree tree(disk, read_all_tables);
  ImageStore images(tree);
  if (is_package_name(path)) read_package(tree, images, path);
  read_library(images, path);
}

}  // namespace
}  // namespace cudald

int main(int count, char** arguments) {
  const auto disk = cudald::make_disk_file_system("/");
  for (int i = 1; i < count; ++i) cudald::read_any(*disk, arguments[i]);
  std::puts("read to the end");
}
