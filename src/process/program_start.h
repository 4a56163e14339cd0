#pragma once

#include <string>

#include "binary/image_store.h"

namespace cudald {

/// What the kernel does before the dynamic loader runs, and who that loader is.
/// Source: Linux fs/binfmt_elf.c, load_elf_binary; execve(2).
enum class InterpreterKind {
  loader,
  absent,
  other_file,  ///< for another machine, or not an ELF file: ELIBBAD
  stub,        ///< a program that is not a dynamic loader
};

/// What lies at the path that a program's PT_INTERP names. A loader of any C library exports functions (or at least a
/// soname): a program that has neither only runs in the loader's place, as NixOS's stub-ld. nix-ld, which has neither
/// as well, hands on to a loader.
InterpreterKind interpreter_kind(const OpenedFile& interpreter, const Image& program, ImageStore&);

/// The error that whoever starts the program sees if the kernel refuses it for its mount; empty if it does not.
std::string refusal_of_kernel(const OpenedFile& program, const OpenedFile& interpreter, const std::string& path);

}  // namespace cudald
