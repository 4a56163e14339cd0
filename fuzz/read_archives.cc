// Packages and images: their directories, and the libraries in them.

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

void fuzz_package(const std::string& bytes, const std::string& name) {
  MemoryFileSystem files;
  files.add_file(name, bytes);
  PackageTree tree(files, read_all_tables);
  const auto number = tree.install(name);
  if (!number) return;
  ImageStore images(tree);
  for (const auto& library : tree.packages()[*number].libraries) read_library(images, library);
}

}  // namespace

void fuzz_wheel(const std::string& bytes) { fuzz_package(bytes, "/x-1.0-cp311-cp311-linux_x86_64.whl"); }
void fuzz_conda(const std::string& bytes) { fuzz_package(bytes, "/x-1.0-py311_0.conda"); }

void fuzz_tar(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/x.tar", bytes);
  auto file = files.open("/x.tar");
  if (!file) return;
  const auto tar = open_image_tar(std::shared_ptr<const File>(std::move(*file)), "/x.tar", read_all_tables, "amd64");
  if (!tar) return;
  for (const auto* path : {"/", "/etc", "/lib", "/a/../b"}) {
    (void)tar->files->status(path);
    (void)tar->files->list(path);
  }
}

}  // namespace cudald
