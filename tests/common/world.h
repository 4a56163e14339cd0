#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/knowledge.h>
#include <cudald/report.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"

namespace cudald {

/// ld.so of a glibc, as far as it is read: an ELF file that holds its version and its system folders.
std::string glibc_loader(const std::string& version = "2.37",
                         const std::vector<std::string>& folders = {"/lib", "/usr/lib"});

/// The same file, made a program for that loader.
ElfSpec program(ElfSpec);

/// A machine in memory: x86-64-v1 with glibc 2.37, whose system folders are /lib and /usr/lib. Without an
/// ld.so.cache, without variables, with `/` as the current folder, and with some driver of NVIDIA.
class TestWorld {
 public:
  TestWorld();

  void add(const std::string& path, const ElfSpec& spec) { files.add_file(path, elf(spec)); }
  void set(const std::string& variable, const std::string& value) { query.environment.variables[variable] = value; }
  /// What becomes of these targets, with `query` for all else.
  Report explain(std::vector<std::string> targets);

  MemoryFileSystem files;
  Query query;
  std::shared_ptr<const Knowledge> knowledge = built_in_knowledge();
};

// Answers as text, a line each, so that a test shows at a glance what is expected and what came.

/// The objects in load order: the path, and "(gone)" if a failed dlopen took it along.
std::string objects(const Report&);
/// The requests of the object at `path`: "liba.so: loaded by runpath", "libb.so: reused by soname", or the error.
std::string requests(const Report&, const std::string& path);
/// The search for `name` by the object at `path`: "/lib/liba.so · default · absent", and "(stop)" or "(next list)".
std::string probes(const Report&, const std::string& path, const std::string& name);
/// The same as rules that were passed over: "rpath of /bin/app: not used: ...".
std::string skipped(const Report&, const std::string& path, const std::string& name);
/// The first line that the loader itself would print for each target; "loads" if there is none.
std::string outcome(const Report&);

/// Lines in one text, each ended.
std::string lines(const std::vector<std::string>&);

}  // namespace cudald
