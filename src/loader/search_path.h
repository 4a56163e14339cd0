#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>

namespace cudald {

/// Subfolders that glibc tries in every folder before the folder itself, best first, each with a slash at its
/// end: glibc-hwcaps since 2.33, and the legacy combinations up to 2.36.
/// Source: glibc elf/dl-hwcaps.c, _dl_important_hwcaps; `ld.so --help` prints them.
std::vector<std::string> hwcaps_subfolders(const LibcVersion&, const Cpu&);
/// The glibc-hwcaps names among them ("x86-64-v3"), best first.
std::vector<std::string> glibc_hwcaps_names(const LibcVersion&, const Cpu&);

/// Values of the dynamic string tokens in one object. An empty value means that there is none.
struct TokenValues {
  std::string origin, lib, platform;
};

/// One element of a path list, or a name, with $ORIGIN, $LIB and $PLATFORM replaced. Empty if a token has no
/// value: such an element is dropped. Source: glibc elf/dl-load.c, _dl_dst_substitute and is_dst.
std::string expand_tokens(std::string_view text, const TokenValues&);
/// Whether some token of the three stands in it.
bool has_tokens(std::string_view text);

/// The folders of a path list as glibc takes them: split, expanded, each once, with a slash at the end; the empty
/// string stands for the current folder. Source: glibc elf/dl-load.c, fillin_rpath.
std::vector<std::string> folders_of(std::string_view list, std::string_view separators, const TokenValues&);

}  // namespace cudald
