#include "index/index_page.h"

#include <algorithm>

#include "base/bounded_json.h"
#include "base/json.h"
#include "lock/readers.h"
#include "net/address.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// Whether METADATA lies beside the wheel, and its hash: true, false, or an object of hashes.
void take_metadata(const nlohmann::json& entry, LockedFile& file) {
  for (const auto* key : {"core-metadata", "dist-info-metadata", "data-dist-info-metadata"}) {
    const auto told = entry.find(key);
    if (told == entry.end()) continue;
    file.has_metadata = told->is_object() || *told == true;
    file.metadata_sha256 = sha256_of(text_at(*told, "sha256"));
    return;
  }
}

Result<std::vector<LockedFile>> read_index_json(std::string_view text, std::string_view page_url) {
  Budget budget(CostLimits{.kept = std::uint64_t{256} << 20});
  const auto page = parse_json(text, budget);
  if (!page) return page.error();
  const auto files = page->is_object() ? page->find("files") : page->end();
  if (!page->is_object() || files == page->end() || !files->is_array())
    return lock_error(ErrorCode::malformed, 0, "the index does not answer in the form of PEP 691");
  if (files->size() > most_index_files) return lock_error(ErrorCode::limit, 0, "the index names too many files");
  std::vector<LockedFile> wheels;
  for (const auto& entry : *files) {
    LockedFile file;
    file.name = text_at(entry, "filename");
    if (!file.name.ends_with(".whl")) continue;
    file.url = whole_address(text_at(entry, "url"), page_url);
    if (entry.contains("hashes")) file.sha256 = sha256_of(text_at(entry["hashes"], "sha256"));
    if (const auto size = entry.find("size"); size != entry.end() && size->is_number_unsigned())
      file.size = size->get<std::uint64_t>();
    take_metadata(entry, file);
    file.requires_python = text_at(entry, "requires-python");
    file.uploaded = text_at(entry, "upload-time");
    if (const auto yanked = entry.find("yanked"); yanked != entry.end())
      file.yanked = yanked->is_string() || *yanked == true;
    wheels.push_back(std::move(file));
  }
  return wheels;
}

}  // namespace

Result<std::vector<LockedFile>> read_index_page(std::string_view text, std::string_view page_url) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  return json ? read_index_json(text, page_url) : read_index_html(text, page_url);
}

void take_wheels(const std::vector<LockedFile>& files, LockedPackage& package) {
  for (const auto& file : files) {
    const auto named = parse_wheel_file_name(file.name);
    if (!named || !is_pinned(named->version, package.version)) continue;
    const auto& hashes = package.hashes;
    if (hashes.empty() || std::find(hashes.begin(), hashes.end(), file.sha256) != hashes.end())
      package.wheels.push_back(file);
  }
}

}  // namespace cudald
