#include <cudald/linux_host_file.h>

#include <algorithm>

#include "base/bounded_json.h"
#include "base/path.h"
#include "base/sha256.h"
#include "machine/abi.h"
#include "machine/host_library.h"
#include "machine/json_row.h"
#include "machine/ld_so_cache.h"
#include "tree/path_tree.h"

namespace cudald {
namespace {

constexpr CostLimits linux_host_limits{.kept = std::uint64_t{128}
                                               << 20};  // a workstation with symbols comes to half of it
constexpr std::ptrdiff_t deepest_path = 64;

bool is_path(const std::string& path) {
  return path.starts_with('/') && path.size() <= longest_path &&
         std::count(path.begin(), path.end(), '/') <= deepest_path;
}

/// [name, path, flags] or [name, path, flags, hwcap], which is a number, or a folder below glibc-hwcaps with its level.
std::string read_cache(const nlohmann::json& json) {
  const JsonRow row(json);
  std::vector<LdSoCache::Entry> entries;
  const auto names = row.texts("hwcaps");
  if (const auto& list = row.at("entries"); list.is_array())
    for (const auto& item : list) {
      if (!item.is_array() || item.size() < 3 || !item[0].is_string() || !item[1].is_string()) continue;
      entries.push_back({JsonRow::number<std::uint32_t>(item[2]), item[0].get_ref<const std::string&>(),
                         item[1].get_ref<const std::string&>(),
                         item.size() > 3 ? JsonRow::number<std::uint64_t>(item[3]) : 0});
    }
  return LdSoCache::bytes_of(entries, {names.begin(), names.end()});
}

/// Fills a description, part by part; each tells what is wrong.
class Reader {
 public:
  explicit Reader(const nlohmann::json& json) : row_(json) {}

  Result<LinuxHostFile> read() {
    host_.platform = row_.text("platform");
    host_.libc = row_.text("libc");
    host_.with_symbols = row_.flag("symbols");
    read_cpu();
    for (const auto& [path, text] : texts_of("variables")) host_.variables[path] = text;
    read_loaders();
    host_.texts = texts_of("texts");
    if (row_.at("cache").is_object()) host_.texts["/etc/ld.so.cache"] = read_cache(row_.at("cache"));
    host_.links = texts_of("links");
    host_.limits = row_.texts("limits");
    for (auto& folder : row_.texts("folders")) host_.folders.insert(std::move(folder));
    for (auto& folder : row_.texts("noexec")) host_.noexec.insert(std::move(folder));
    const auto& libraries = row_.at("libraries");
    if (!libraries.is_array()) return Error{ErrorCode::usage, "it does not say which libraries are there"};
    const auto usual = usual_machine(host_.platform);
    for (const auto& each : libraries) {
      auto library = read_library_row(each, usual);
      if (!library) return library.error();
      host_.libraries.push_back(std::move(*library));
    }
    if (const auto* wrong = wrong_path())
      return Error{ErrorCode::usage, "not a path of a file: " + wrong->substr(0, 200)};
    return std::move(host_);
  }

 private:
  std::map<std::string, std::string> texts_of(const char* key) const {
    std::map<std::string, std::string> result;
    if (const auto& object = row_.at(key); object.is_object())
      for (const auto& [name, value] : object.items())
        if (value.is_string()) result.emplace(name, value.get<std::string>());
    return result;
  }

  void read_cpu() {
    const auto isa = row_.text("isa");
    constexpr std::string_view start = "x86-64-v";
    if (!isa.starts_with(start) || isa.size() != start.size() + 1 || isa.back() < '1' || isa.back() > '4') return;
    host_.cpu = x86_64_cpu(isa.back() - '0');
    const JsonRow cpu(row_.at("cpu"));
    if (!cpu.has("platform")) return;
    host_.cpu->platform = cpu.text("platform");
    host_.cpu->hwcap_names = cpu.texts("hwcaps");
  }

  void read_loaders() {
    if (!row_.at("loaders").is_array()) return;
    for (const auto& each : row_.at("loaders")) {
      const JsonRow loader(each);
      host_.loaders.push_back({loader.text("path"), loader.text("version"), loader.texts("folders")});
    }
  }

  const std::string* wrong_path() const {
    for (const auto& loader : host_.loaders)
      if (!is_path(loader.path)) return &loader.path;
    for (const auto* list : {&host_.texts, &host_.links})
      for (const auto& [path, text] : *list)
        if (!is_path(path)) return &path;
    for (const auto* list : {&host_.folders, &host_.noexec})
      for (const auto& path : *list)
        if (!is_path(path)) return &path;
    for (const auto& library : host_.libraries)
      for (const auto& path : library.paths)
        if (!is_path(path)) return &path;
    return nullptr;
  }

  JsonRow row_;
  LinuxHostFile host_;
};

}  // namespace

Result<LinuxHostFile> read_linux_host(std::string_view json_text) {
  Budget budget(linux_host_limits);
  const auto parsed = parse_json(json_text, budget);
  if (!parsed) return Error{ErrorCode::usage, parsed.error().message};
  const JsonRow row(*parsed);
  if (row.text("schema") != "cudald/host")
    return Error{ErrorCode::usage, "no description of a machine (schema cudald/host)"};
  if (!row.text("schema_version").starts_with("1."))
    return Error{ErrorCode::usage, "a description of another version than 1"};
  if (!row.text("platform").starts_with("linux-"))
    return Error{ErrorCode::usage, "a description of another system than Linux"};
  auto host = Reader(*parsed).read();
  if (!host) return host;
  host->tells_driver = parsed->contains("driver");  // null tells that there is none
  host->sha256 = sha256(json_text);
  return host;
}

}  // namespace cudald
