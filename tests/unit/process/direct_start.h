#pragma once

#include <elf.h>

#include <memory>
#include <optional>
#include <string>

#include "common/world.h"
#include "loader/loader.h"
#include "machine/abi.h"
#include "process/process.h"

namespace cudald {

/// A process of its own over a world, which is to be filled before it begins; what a start writes down in it, its
/// loader included.
struct DirectStart {
  explicit DirectStart(bool with_loader = true) {
    if (!with_loader) world.files = MemoryFileSystem();
  }
  explicit DirectStart(TestWorld filled) : world(std::move(filled)) {}
  Process& process() {
    loader = make_glibc_loader(world.files, interpreter, *abi, world.query.environment);
    return started.emplace(images, *loader, world.query.environment, *world.knowledge);
  }
  /// A process with no program but the one that asks.
  Process& host() {
    process().start_host("host", EM_X86_64, Format::elf64, interpreter);
    return *started;
  }

  const Abi* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  const std::string interpreter{abi->interpreter};
  TestWorld world;
  Budget budget;
  ThreadLimit threads{1};
  ImageStore images{world.files, budget, threads};
  std::unique_ptr<ElfLoader> loader;
  std::optional<Process> started;
};

}  // namespace cudald
