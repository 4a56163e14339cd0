#pragma once

#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// The folders that ldconfig would read, from /etc/ld.so.conf and what it includes, in order, each once.
/// Empty if there is no such file. Source: glibc elf/ldconfig.c, parse_conf.
/// `complete`, if given, becomes false where a limit was reached.
std::vector<std::string> read_ld_so_conf(const FileSystem&, const std::string& path = "/etc/ld.so.conf",
                                         bool* complete = nullptr);

}  // namespace cudald
