#pragma once

#include <optional>
#include <string>

#include <cudald/environment.h>
#include <cudald/image.h>
#include <cudald/resolution.h>

#include "machine/abi.h"

namespace cudald {

/// Executable stacks, as glibc decides on them since 2.41: a start makes the stack executable for the program and its
/// libraries, a dlopen does not. A file without PT_GNU_STACK counts as one that needs it, where the ABI's default is
/// so. Source: glibc elf/dl-load.c, _dl_map_object_from_fd; elf/dl-execstack-tunable.c; sysdeps/*/stackinfo.h. Checked
/// with the loader of Debian 13 (2.41-12), with and without the tunable glibc.rtld.execstack.
class ExecutableStack {
 public:
  ExecutableStack(const Abi&, const LibcVersion&, const std::optional<std::string>& glibc_tunables);

  static bool is_needed_by(const Image&, const Abi&);
  /// Whether a file that is mapped now is refused. `in_dlopen`: not part of the start.
  bool refuses(const Image&, const Resolution&, bool in_dlopen) const;
  /// Whether glibc ends a program that has one.
  bool refuses_program(const Image&) const;

 private:
  enum class Mode { forbidden, allowed, forced };

  const Abi& abi_;
  bool strict_;  ///< 2.41 or later
  Mode mode_ = Mode::allowed;
};

inline constexpr std::string_view executable_stack_refused =
    "cannot enable executable stack as shared object requires: Invalid argument";

}  // namespace cudald
