// The readers of strangers' bytes, as targets of libFuzzer: one program, whose variable CUDALD_FUZZ names the target.
// tools/fuzz builds and runs it. A fault is whatever the sanitizers report, a run of more than five seconds, or more
// than 512 MB. Source: https://llvm.org/docs/LibFuzzer.html

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <cudald/file_system.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "archive/image_tar.h"
#include "base/toml.h"
#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"
#include "common/memory_file_system.h"
#include "lock/lock_file.h"
#include "machine/ld_so_cache.h"
#include "package/package_tree.h"
#include "package/requirement.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "pyimport/run_import.h"
#include "pyimport/sources/source.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_bodies = 1000;

void read_library(ImageStore& images, const std::string& path) {
  const auto& opened = images.open(path);
  const auto file = images.files().open(path);
  if (!opened.image || !file) return;
  images.gpu_code(path);
  images.library_texts(path);
  (void)read_pe_symbols(**file, *opened.image);
  read_all_tables(**file);
}

void fuzz_library(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/libx.so", bytes);
  ImageStore images(files);
  read_library(images, "/libx.so");
}

void fuzz_package(const std::string& bytes, const std::string& name) {
  MemoryFileSystem files;
  files.add_file(name, bytes);
  PackageTree tree(files, read_all_tables);
  const auto number = tree.install(name);
  if (!number) return;
  ImageStore images(tree);
  for (const auto& library : tree.packages()[*number].libraries) read_library(images, library);
}

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

void fuzz_cache(const std::string& bytes) {
  const auto cache = LdSoCache::parse(bytes);
  if (!cache) return;
  for (std::size_t i = 0; i < cache->size() && i < most_bodies; ++i) {
    const auto entry = cache->entry(i);
    if (entry) (void)cache->find(entry->key, {.flags = entry->flags});
  }
  (void)cache->hwcap_names();
}

void fuzz_toml(const std::string& bytes) { (void)read_toml(bytes, "tool.cudald"); }

void fuzz_lock(const std::string& bytes) {
  const auto kinds = {LockKind::pylock,     LockKind::uv_lock,        LockKind::requirements,
                      LockKind::pip_report, LockKind::conda_explicit, LockKind::conda_lock};
  for (const auto kind : kinds)
    (void)read_lock(kind, bytes, [&](const std::string&) { return Result<std::string>(bytes); });
}

void fuzz_metadata(const std::string& bytes) {
  (void)parse_wheel_metadata(bytes);
  (void)parse_record(bytes);
  (void)parse_requirement(bytes);
  (void)parse_version(bytes);
}

/// All that was parsed, bodies of functions as well.
void visit(const python::Source& source, const python::Node& node, std::uint64_t& bodies) {
  if (node.is(python::NodeKind::unread_body) && ++bodies < most_bodies) visit(source, source.body(node), bodies);
  for (std::size_t i = 0; i < node.size(); ++i) visit(source, node[i], bodies);
}

void fuzz_python(const std::string& bytes) {
  Budget budget(python_limits);
  const auto source = python::Source::parse("/m.py", bytes, budget);
  std::uint64_t bodies = 0;
  visit(*source, source->block(), bodies);
  (void)source->first_trick();
}

void fuzz_import(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/s/m.py", bytes);
  files.add_file("/s/other.py", "x = 1\n");
  PythonEnvironment python;
  python.version = "3.11";
  python.path = {"/s"};
  PythonLoader loader;
  loader.load = [](const LoadStep& step) { return LoadAnswer{step.path.size() % 2 == 0, "no"}; };
  loader.mapped = [](const std::string&) { return false; };
  Budget budget({.kept = std::uint64_t{64} << 20, .steps = 10'000'000, .depth = 200});
  constexpr std::string_view rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob"]},
                                         "rules": [], "libraries": {"rows": {}}})";
  (void)run_import("m", python, files, loader, rules, budget);
}

const std::map<std::string_view, void (*)(const std::string&)> targets = {
    {"library", fuzz_library}, {"wheel", fuzz_wheel},   {"conda", fuzz_conda}, {"tar", fuzz_tar},
    {"cache", fuzz_cache},     {"toml", fuzz_toml},     {"lock", fuzz_lock},   {"metadata", fuzz_metadata},
    {"python", fuzz_python},   {"import", fuzz_import},
};

void (*target)(const std::string&) = nullptr;

}  // namespace
}  // namespace cudald

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  const char* name = std::getenv("CUDALD_FUZZ");
  const auto found = cudald::targets.find(name == nullptr ? "" : name);
  if (found == cudald::targets.end()) {
    std::fputs("CUDALD_FUZZ is one of:", stderr);
    for (const auto& known : cudald::targets) std::fprintf(stderr, " %s", known.first.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  cudald::target = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cudald::target(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
