#include "lock/index_page.h"

#include <algorithm>

#include "base/bounded_json.h"
#include "base/json.h"
#include "lock/readers.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// An address as it stands in a page, which may be relative to that of the page.
std::string whole_address(const std::string& url, std::string_view page) {
  if (url.find("://") != std::string::npos) return url;
  const auto host = page.find("://");
  if (host == std::string_view::npos) return url;
  if (url.starts_with("//")) return std::string(page.substr(0, host + 1)) + url;
  if (url.starts_with('/')) return std::string(page.substr(0, page.find('/', host + 3))) + url;
  auto folder = std::string(page.substr(0, page.rfind('/')));
  auto rest = std::string_view(url);
  while (rest.starts_with("../")) {
    folder.resize(std::min(folder.rfind('/'), folder.size()));
    rest.remove_prefix(3);
  }
  return folder + "/" + std::string(rest);
}

}  // namespace

Result<std::vector<LockedFile>> read_index_page(std::string_view text, std::string_view page_url) {
  Budget budget(CostLimits{.kept = std::uint64_t{256} << 20});
  const auto page = parse_json(text, budget);
  if (!page) return page.error();
  const auto files = page->is_object() ? page->find("files") : page->end();
  if (!page->is_object() || files == page->end() || !files->is_array())
    return lock_error(ErrorCode::malformed, 0, "the index does not answer in the form of PEP 691");
  std::vector<LockedFile> wheels;
  for (const auto& entry : *files) {
    LockedFile file;
    file.name = text_at(entry, "filename");
    if (!file.name.ends_with(".whl")) continue;
    file.url = whole_address(text_at(entry, "url"), page_url);
    if (entry.contains("hashes")) file.sha256 = sha256_of(text_at(entry["hashes"], "sha256"));
    if (const auto size = entry.find("size"); size != entry.end() && size->is_number_unsigned())
      file.size = size->get<std::uint64_t>();
    wheels.push_back(std::move(file));
  }
  return wheels;
}

void take_wheels(const std::vector<LockedFile>& files, LockedPackage& package) {
  for (const auto& file : files) {
    const auto named = parse_wheel_file_name(file.name);
    if (!named || normal_version(named->version) != normal_version(package.version)) continue;
    const auto& hashes = package.hashes;
    if (hashes.empty() || std::find(hashes.begin(), hashes.end(), file.sha256) != hashes.end())
      package.wheels.push_back(file);
  }
}

}  // namespace cudald
