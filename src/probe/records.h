#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/probe.h>

namespace cudald {

/// A file as the process had it mapped.
struct MappedFile {
  std::string path;  ///< symbolic links followed
  FileId id;
};

/// What a process told of itself (child/record.h). It shares a process with the target, so nothing in it is trusted to
/// be well formed: lines of another form are passed over.
struct Records {
  std::vector<ProbedTarget> targets;      ///< as far as they were answered
  std::vector<MappedFile> mapped, later;  ///< in the loader's order; without the vDSO
  std::vector<ProbeCheck> checks;
  std::string step;
  bool mapped_all = false, done = false;
};

Records read_records(std::string_view text);

/// What `ld.so --list` writes: the files, in order. Names without a file, such as the vDSO, are left out. musl's loader
/// names itself first, and again where it has its place.
std::vector<std::string> read_list(std::string_view text);

/// What `ld.so --list` complains of, as the simulation foresees it. glibc ends with the first error, behind the name of
/// the program; musl writes each in a line.
std::string read_refusal(std::string_view complaints);

}  // namespace cudald
