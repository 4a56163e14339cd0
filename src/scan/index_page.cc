#include "scan/index_page.h"

#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "base/replace_all.h"
#include "index/index_page.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_page_bytes = std::uint64_t{256} << 20;

/// "a%2Bb" -> "a+b"
std::string unquoted(std::string_view text) {
  std::string result;
  const auto digit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ? c - '0' : (c | 0x20) - 'a' + 10;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size() &&
                       std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                       std::isxdigit(static_cast<unsigned char>(text[i + 2]));
    result += coded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return result;
}

bool has_host(std::string_view address) { return address.find("://") != std::string_view::npos; }

/// The target that an address on a page means; none if it is no package.
std::optional<WorkItem> item_of(std::string_view address, const std::string& folder) {
  WorkItem item;
  const auto hash = address.find('#');
  if (hash != std::string_view::npos) {
    const auto fragment = address.substr(hash + 1);
    if (fragment.starts_with("sha256=")) item.sha256 = fragment.substr(7);
    address = address.substr(0, hash);
  }
  if (has_host(address)) {
    item.target = address;
    if (!is_package_name(item.target.substr(0, item.target.find('?')))) return std::nullopt;
    return item;
  }
  const auto path = unquoted(address.substr(0, address.find('?')));
  if (!is_package_name(path)) return std::nullopt;
  // Relative to the page; a slash in front means the root of a server, which is not known here.
  item.target = normal_path(folder + "/" + path);
  return item;
}

/// The page of one project, in the form in which it has most to tell.
std::optional<std::vector<WorkItem>> read_project(const FileSystem& files, const std::string& folder) {
  for (const auto* name : {"index.v1_json", "index.json"})
    if (const auto text = read_file(files, folder + "/" + name, most_page_bytes))
      if (auto items = read_index_json(*text, folder)) return items;
  for (const auto* name : {"index.v1_html", "index.html"})
    if (const auto text = read_file(files, folder + "/" + name, most_page_bytes))
      return read_index_links(*text, folder);
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<WorkItem>> read_index_json(std::string_view text, const std::string& folder) {
  const auto files = read_index_page(text, "");
  if (!files) return std::nullopt;
  std::vector<WorkItem> items;
  for (const auto& file : *files) {
    auto item = item_of(file.url, folder);
    if (!item) continue;
    item->bytes = file.size;
    item->sha256 = file.sha256;
    items.push_back(std::move(*item));
  }
  return items;
}

std::vector<WorkItem> read_index_links(std::string_view html, const std::string& folder) {
  constexpr std::string_view mark = "href=";
  std::vector<WorkItem> items;
  for (auto at = html.find(mark); at != std::string_view::npos; at = html.find(mark, at)) {
    at += mark.size();
    if (at >= html.size() || (html[at] != '"' && html[at] != '\'')) continue;
    const auto end = html.find(html[at], at + 1);
    if (end == std::string_view::npos) break;
    std::string address(html.substr(at + 1, end - at - 1));
    replace_all(address, "&amp;", "&");
    if (auto item = item_of(address, folder)) items.push_back(std::move(*item));
    at = end;
  }
  return items;
}

std::optional<std::vector<WorkItem>> read_mirror(const FileSystem& files, const std::string& path) {
  const auto simple = is_folder(files, path + "/simple") ? path + "/simple" : path;
  const auto names = files.list(simple);
  if (!names) return std::nullopt;
  std::vector<WorkItem> all;
  bool is_mirror = false;
  for (const auto& name : *names) {
    const auto folder = simple + "/" + name;
    if (!is_folder(files, folder)) continue;
    auto items = read_project(files, folder);
    is_mirror |= items.has_value();
    if (items) all.insert(all.end(), items->begin(), items->end());
  }
  if (!is_mirror) return std::nullopt;
  for (auto& item : all)
    if (item.bytes == 0 && !is_remote(item))
      if (const auto status = files.status(item.target)) item.bytes = status->size;
  return all;
}

}  // namespace cudald
