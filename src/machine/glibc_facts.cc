#include "machine/glibc_facts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "binary/constants/read_only_data.h"
#include "machine/ld_so_conf.h"
#include "tree/buffered_file.h"

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

/// The string at `at`, if it is a path of a folder of libraries that ends with a slash: "/lib64/".
std::string_view system_folder_at(std::string_view bytes, std::size_t at) {
  constexpr std::size_t longest = 4096;
  const auto end = bytes.find('\0', at);
  if (at >= bytes.size() || bytes[at] != '/' || end == std::string_view::npos || end - at > longest) return "";
  const auto text = bytes.substr(at, end - at);
  return text.ends_with('/') && text.find("/lib") != std::string_view::npos ? text : "";
}

// ld.so keeps its folders as one run of strings, each with a slash at both ends; they begin with the prefix for which
// it was configured, if it has one: Nix, Guix, Gentoo Prefix.
std::vector<std::string> system_folders_in(std::string_view bytes) {
  std::vector<std::string> best;
  constexpr std::string_view start("\0/", 2);
  for (auto at = find_bytes(bytes, start); at != std::string_view::npos; at = find_bytes(bytes, start, at + 1)) {
    std::vector<std::string> run;
    auto next = at + 1;
    for (auto text = system_folder_at(bytes, next); !text.empty() && run.size() < most_system_folders;
         text = system_folder_at(bytes, next)) {
      run.emplace_back(text.substr(0, text.size() - 1));
      next += text.size() + 1;
    }
    if (!run.empty()) at = next - 2;  // what begins inside a run is a part of it
    if (run.size() > best.size()) best = std::move(run);
  }
  return best;
}

/// The absolute path in the bytes that ends with `name`: "/etc/ld.so.cache", below a loader's own prefix.
std::string path_ending_with(std::string_view bytes, std::string_view name) {
  const auto wanted = std::string(name) + '\0';
  for (auto at = find_bytes(bytes, wanted); at != std::string_view::npos; at = find_bytes(bytes, wanted, at + 1)) {
    const auto before = bytes.rfind('\0', at);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    if (bytes[begin] == '/') return std::string(bytes.substr(begin, at + name.size() - begin));
  }
  return "";
}

/// What a loader says of itself.
struct LoaderWords {
  std::optional<LibcVersion> version;
  std::vector<std::string> folders;
  std::string cache, preload;  ///< paths; empty: it names none
};

/// It is looked for among its constants, and in the whole file where those say less.
LoaderWords words_of_loader(const File& file, const std::string& path) {
  const auto words = [](std::string_view bytes) {
    return LoaderWords{version_in(bytes), system_folders_in(bytes), path_ending_with(bytes, "/ld.so.cache"),
                       path_ending_with(bytes, ".so.preload")};
  };
  if (const auto image = read_image(file); image && file.status().size <= most_loader_bytes) {
    auto said = words(read_constants(file, **image, most_loader_bytes));
    if (said.version && !said.folders.empty()) return said;
  }
  const auto whole = read_file(file, path, most_loader_bytes);
  return whole ? words(*whole) : LoaderWords();
}

void read_preload(const FileSystem& files, const std::string& path, GlibcFacts& facts) {
  const auto preload = read_file(files, path, 1 << 16);
  if (!preload) return;
  for (const auto line : split(*preload, "\n"))
    for (const auto name : split(line.substr(0, line.find('#')), " \t:"))
      if (!name.empty() && facts.preload.size() <= most_preloads) facts.preload.emplace_back(name);
  if (facts.preload.size() > most_preloads) {
    facts.preload.pop_back();
    facts.limits.push_back(path + " names more libraries than are looked for");
  }
}

/// The cache of ldconfig, or what ld.so.conf says where there is none.
void read_cached_folders(const FileSystem& files, const std::string& cache, GlibcFacts& facts) {
  auto cache_bytes = read_file(files, cache, most_cache_bytes);
  if (cache_bytes) {
    auto parsed = LdSoCache::parse(std::move(*cache_bytes));
    if (parsed) {
      facts.cache = std::move(*parsed);
    } else if (parsed.error().code == ErrorCode::limit) {
      facts.limits.push_back(cache + " is not read: " + parsed.error().message);
    } else {
      facts.notes.push_back(cache + " is unusable (" + parsed.error().message +
                            "): the loader acts as if there were none");
    }
  } else {
    bool complete;
    const auto conf = std::string(parent_path(cache)) + "/ld.so.conf";
    facts.conf_folders = read_ld_so_conf(files, conf, &complete);
    if (!complete) facts.limits.emplace_back("ld.so.conf includes more files than are read, or longer ones");
    if (!facts.conf_folders.empty())
      facts.notes.push_back("this root has no " + cache +
                            ": the directories of ld.so.conf are searched as if ldconfig had run; "
                            "the loader itself would not look there before that");
  }
}

}  // namespace

GlibcFacts read_glibc_facts(const FileSystem& files, const std::string& interpreter, const Abi& abi,
                            const Environment& environment) {
  GlibcFacts facts;
  std::optional<LibcVersion> version;
  std::string cache = "/etc/ld.so.cache", preload = "/etc/ld.so.preload";
  if (auto loader = files.open(interpreter)) {
    auto words = words_of_loader(*buffered(std::move(*loader)), interpreter);
    version = words.version;
    facts.system_folders = std::move(words.folders);
    if (!words.cache.empty()) cache = std::move(words.cache);
    if (!words.preload.empty()) preload = std::move(words.preload);
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
  const auto& first = facts.system_folders.front();
  const auto lib = first.rfind("/lib");
  facts.lib_token = first.substr(lib == std::string::npos ? 1 : lib + 1);

  if (cache != "/etc/ld.so.cache") facts.own_cache = cache;
  read_cached_folders(files, cache, facts);
  read_preload(files, preload, facts);
  return facts;
}

}  // namespace cudald
