#pragma once

#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// The folders that ldconfig would read, from /etc/ld.so.conf and what it includes, in order, each once.
/// Empty if there is no such file. Source: glibc elf/ldconfig.c, parse_conf.
std::vector<std::string> read_ld_so_conf(const FileSystem&, const std::string& path = "/etc/ld.so.conf");

}  // namespace cudald
