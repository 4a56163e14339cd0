#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

#include "rewrite/new_file.h"

namespace cudald {

/// What is changed in a program or shared library; all of it at once.
struct ElfEdits {
  /// The new DT_RUNPATH, or DT_RPATH if the file has only that; empty: neither is left.
  std::optional<std::string> search_path = {};
  std::vector<std::pair<std::string, std::string>> renamed = {};  ///< DT_NEEDED: the name that it has, and the new one
  std::vector<std::string> added = {};                            ///< DT_NEEDED, behind those that are there
  std::optional<std::string> soname = {};                         ///< the new DT_SONAME
  bool clear_executable_stack = false;                            ///< PF_X of PT_GNU_STACK

  bool empty() const { return !search_path && renamed.empty() && added.empty() && !soname && !clear_executable_stack; }
  bool operator==(const ElfEdits&) const = default;
};

/// How the new bytes got room.
enum class EditRoom {
  in_place,      ///< no byte moved
  last_segment,  ///< the last load segment is longer in the file: its .bss is filled with zeros
  new_segment,   ///< there is one more load segment, and the program headers moved; `strip` damages such a file
};

struct EditedElf {
  std::vector<Piece> pieces;  ///< the new file
  EditRoom room = EditRoom::in_place;
  std::uint64_t growth = 0;  ///< bytes
};

/// Edits an ELF file so that all loaded bytes stay where they are. `largest_bss`: how much .bss may become zeros in the
/// file. The result was read again and says what it should. An Error says why the file cannot be edited safely, or that
/// what is to be changed is not there.
Result<EditedElf> edit_elf(std::shared_ptr<const File>, const std::string& path, const ElfEdits&,
                           std::uint64_t largest_bss = std::uint64_t{64} << 20);

}  // namespace cudald
