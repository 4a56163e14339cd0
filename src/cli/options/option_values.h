#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"

// How the values of options are understood. Each returns what is wrong with the value, or nothing.

namespace cudald {

std::optional<std::string> set(bool& flag);
/// Any text but an empty one.
std::optional<std::string> set_text(std::string&, const std::string& value);
std::optional<std::string> add_text(std::vector<std::string>&, const std::string& value);
/// Names with commas between them, in the form in which metadata compares them.
std::optional<std::string> add_extras(std::vector<std::string>&, const std::string& value);
std::optional<std::string> set_number(std::optional<std::size_t>&, const std::string& value, std::size_t least,
                                      std::size_t most);
std::optional<std::string> set_number(std::uint64_t&, const std::string& value, std::size_t least, std::size_t most);
/// Seconds: 60, 60s; or 5min.
std::optional<std::string> set_time(std::chrono::milliseconds&, const std::string& value);
/// Bytes: 500, 64MiB, 8GiB.
std::optional<std::string> set_size(std::uint64_t&, const std::string& value);
/// I/N
std::optional<std::string> set_shard(Options&, const std::string& value);
std::optional<std::string> set_libc(std::optional<LibcVersion>&, const std::string& value);
/// "linux-aarch64", "windows-x86_64", "host".
std::optional<std::string> set_platform(Options&, const std::string& value);
/// "3.11"
std::optional<std::string> set_python(std::string&, const std::string& value);
std::optional<std::string> set_progress(ProgressWish&, const std::string& value);
std::optional<std::string> set_sandbox(SandboxWish&, const std::string& value);
/// LOAD_LIBRARY_SEARCH flags.
std::optional<std::string> set_search_flags(std::optional<std::uint32_t>& flags, const std::string& value);
std::optional<std::string> set_cpu(std::optional<int>& level, const std::string& value);
/// "sm_120" or "12.0"
std::optional<std::string> add_gpu(std::vector<GpuArchitecture>&, const std::string& value);
/// The same, or "none": not even that of this machine counts.
std::optional<std::string> add_gpus(Options&, const std::string& value);
/// "535.104.05"
std::optional<std::string> set_driver(std::string&, const std::string& value);
std::optional<std::string> set_level(std::optional<Level>&, const std::string& value);
std::optional<std::string> set_format(OutputFormat&, const std::string& value);
/// FILE, - or FORMAT=FILE.
std::optional<std::string> add_output(Options&, const std::string& value);
std::optional<std::string> set_colour(ColourWish&, const std::string& value);
/// NAME=VALUE
std::optional<std::string> add_variable(Options&, const std::string& value);
/// NAME[@CALLER][,global][,now][,deepbind]
std::optional<std::string> add_dlopen(std::vector<DlopenRequest>&, const std::string& value);
/// CODE=LEVEL
std::optional<std::string> add_level(std::vector<std::pair<std::string, Level>>&, const std::string& value);
/// Codes, names or beginnings of codes, with commas between; kept as codes or beginnings of codes.
std::optional<std::string> add_codes(std::vector<std::string>&, const std::string& value);

}  // namespace cudald
