#include "env/glibc_facts.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "env/ld_so_conf.h"
#include "fs/buffered_file.h"
#include "image/read_only_data.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_loader_bytes = 16 << 20;
constexpr std::uint64_t most_cache_bytes = 64 << 20;
constexpr std::size_t most_system_folders = 256, most_preloads = 256;

// "... release version 2.36." stands in ld.so since 2.33 and in libc.so.6 of every version.
std::optional<LibcVersion> version_in(std::string_view bytes) {
  constexpr std::string_view phrase = "release version ";
  for (auto at = find_bytes(bytes, phrase); at != std::string_view::npos; at = find_bytes(bytes, phrase, at + 1)) {
    const auto* begin = bytes.data() + at + phrase.size();
    const auto* end = bytes.data() + bytes.size();
    LibcVersion version;
    const auto major = std::from_chars(begin, end, version.major);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') continue;
    if (std::from_chars(major.ptr + 1, end, version.minor).ec == std::errc()) return version;
  }
  return std::nullopt;
}

// ld.so keeps its folders as one run of strings, each with a slash at both ends.
std::vector<std::string> system_folders_in(std::string_view bytes) {
  std::vector<std::string> best;
  for (std::string_view start : {std::string_view("\0/lib", 5), std::string_view("\0/usr/lib", 9)})
    for (auto at = find_bytes(bytes, start); at != std::string_view::npos; at = find_bytes(bytes, start, at + 1)) {
      std::vector<std::string> run;
      for (auto next = at + 1; next < bytes.size() && bytes[next] == '/' && run.size() < most_system_folders;) {
        const auto end = bytes.find('\0', next);
        if (end == std::string_view::npos || end - next > 4096 || bytes[end - 1] != '/') break;
        run.emplace_back(bytes.substr(next, end - next - 1));
        next = end + 1;
      }
      // What begins inside a run is a part of it.
      for (const auto& folder : run) at += folder.size() + 2;
      at -= run.empty() ? 0 : 1;
      if (run.size() > best.size()) best = std::move(run);
    }
  return best;
}

/// What a loader says of itself. It is looked for among its constants, and in the whole file where those say less.
std::pair<std::optional<LibcVersion>, std::vector<std::string>> words_of_loader(const File& file,
                                                                                const std::string& path) {
  const auto words = [](std::string_view bytes) { return std::pair(version_in(bytes), system_folders_in(bytes)); };
  if (const auto image = read_image(file); image && file.status().size <= most_loader_bytes) {
    auto said = words(read_constants(file, **image, most_loader_bytes));
    if (said.first && !said.second.empty()) return said;
  }
  const auto whole = read_file(file, path, most_loader_bytes);
  return whole ? words(*whole) : std::pair<std::optional<LibcVersion>, std::vector<std::string>>();
}

void read_preload(const FileSystem& files, GlibcFacts& facts) {
  const auto preload = read_file(files, "/etc/ld.so.preload", 1 << 16);
  if (!preload) return;
  for (const auto line : split(*preload, "\n"))
    for (const auto name : split(line.substr(0, line.find('#')), " \t:"))
      if (!name.empty() && facts.preload.size() <= most_preloads) facts.preload.emplace_back(name);
  if (facts.preload.size() > most_preloads) {
    facts.preload.pop_back();
    facts.limits.emplace_back("/etc/ld.so.preload names more libraries than are looked for");
  }
}

}  // namespace

GlibcFacts read_glibc_facts(const FileSystem& files, const std::string& interpreter, const Abi& abi,
                            const Environment& environment) {
  GlibcFacts facts;
  std::optional<LibcVersion> version;
  if (auto loader = files.open(interpreter)) {
    std::tie(version, facts.system_folders) = words_of_loader(*buffered(std::move(*loader)), interpreter);
    if (facts.system_folders.size() == most_system_folders)
      facts.limits.push_back("the dynamic loader " + interpreter + " has more system directories than are searched");
  }
  facts.folders_known = !facts.system_folders.empty();
  if (!facts.folders_known) {
    const std::string folder(abi.library_folder);
    facts.system_folders = {"/" + folder, "/usr/" + folder};
    facts.notes.push_back("the dynamic loader " + interpreter +
                          " is not in this root: its system directories are assumed to be /" + folder + " and /usr/" +
                          folder);
  }
  if (!version) {
    for (const auto& folder : facts.system_folders) {
      const auto libc = read_file(files, folder + "/libc.so.6", most_loader_bytes);
      if (libc && (version = version_in(*libc))) break;
    }
  }
  if (environment.libc) version = environment.libc;
  if (!version) facts.notes.push_back("no glibc in this root says its version: 2.36 is assumed (--libc glibc-X.Y)");
  facts.version = version.value_or(LibcVersion{});
  facts.version_known = version.has_value();
  // Where a distribution has one folder for each ABI, $LIB is that folder.
  facts.lib_token = facts.system_folders.front().substr(1);
  if (facts.lib_token.starts_with("usr/")) facts.lib_token.erase(0, 4);

  auto cache_bytes = read_file(files, "/etc/ld.so.cache", most_cache_bytes);
  if (cache_bytes) {
    auto cache = LdSoCache::parse(std::move(*cache_bytes));
    if (cache) {
      facts.cache = std::move(*cache);
    } else if (cache.error().code == ErrorCode::limit) {
      facts.limits.push_back("/etc/ld.so.cache is not read: " + cache.error().message);
    } else {
      facts.notes.push_back("/etc/ld.so.cache is unusable (" + cache.error().message +
                            "): the loader acts as if there were none");
    }
  } else {
    bool complete;
    facts.conf_folders = read_ld_so_conf(files, "/etc/ld.so.conf", &complete);
    if (!complete) facts.limits.emplace_back("ld.so.conf includes more files than are read, or longer ones");
    if (!facts.conf_folders.empty())
      facts.notes.push_back(
          "this root has no /etc/ld.so.cache: the directories of ld.so.conf are searched as if ldconfig had run; "
          "the loader itself would not look there before that");
  }

  read_preload(files, facts);
  return facts;
}

}  // namespace cudald
