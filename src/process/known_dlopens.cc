#include "process/known_dlopens.h"

#include <map>
#include <optional>

#include "base/json.h"
#include "base/path.h"
#include "base/version_order.h"
#include "cuda/knowledge.h"
#include "embedded.h"

namespace cudald {
namespace {

constexpr std::uint64_t max_source = 1 << 16;

const nlohmann::json& table() {
  static const auto parsed = parse_json(embedded_known_dlopens());
  return parsed;
}

/// The literal after 'KEY' in a Python source: ('cuda_version', '11.2') or "cuda_version": "11.2". Empty if there is
/// none.
std::string literal_after(std::string_view text, const std::string& key) {
  for (const char quote : {'\'', '"'}) {
    const auto quoted = quote + key + quote;
    const auto at = text.find(quoted);
    if (at == std::string_view::npos) continue;
    const auto open = text.find_first_not_of(" \t,:", at + quoted.size());
    if (open == std::string_view::npos || (text[open] != '\'' && text[open] != '"')) continue;
    const auto close = text.find(text[open], open + 1);
    if (close != std::string_view::npos) return std::string(text.substr(open + 1, close - open - 1));
  }
  return "";
}

/// The name that a library, "cufft", has in a release of CUDA; empty if that is not known.
std::string soname(std::string_view library, const std::string& release) {
  for (int kind = 0; kind <= static_cast<int>(CudaKind::driver); ++kind)
    if (to_string(static_cast<CudaKind>(kind)) == library)
      if (const auto named = Knowledge::current().name_of(static_cast<CudaKind>(kind), release, CudaPlatform::linux))
        return named->name;
  return "";
}

/// The values of a row, read from the files beside the library.
class Values {
 public:
  Values(const nlohmann::json& wanted, const std::string& folder, const FileSystem& files) {
    for (const auto& [name, place] : wanted.items()) {
      auto path = place.at("file").get<std::string>();
      path.replace(path.find("{folder}"), 8, folder);
      const auto text = read_file(files, path, max_source);
      values_[name] = text ? literal_after(*text, place.at("key").get<std::string>()) : "";
    }
  }

  /// {cuda}, {cudnn.major}, {cuda.cufft} filled in; nullopt if one of them is not known.
  std::optional<std::string> filled_in(std::string text) const {
    for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
      const auto close = text.find('}', open);
      const auto name = text.substr(open + 1, close - open - 1);
      const auto dot = name.find('.');
      const auto value = values_.find(name.substr(0, dot));
      if (value == values_.end() || value->second.empty()) return std::nullopt;
      auto filled = value->second;
      if (dot != std::string::npos) {
        const auto part = name.substr(dot + 1);
        filled = part == "major" ? filled.substr(0, filled.find('.')) : soname(part, filled);
      }
      if (filled.empty()) return std::nullopt;
      text.replace(open, close + 1 - open, filled);
      open += filled.size();
    }
    return text;
  }

 private:
  std::map<std::string, std::string> values_;
};

constexpr std::string_view site_folder = "{site}/";

/// Whether the condition of a row holds, if it has one.
bool holds(const nlohmann::json& row, const std::string& site, const FileSystem& files) {
  const auto condition = row.find("if");
  if (condition == row.end()) return true;
  const auto text = read_file(files, site + "/" + condition->at("file").get<std::string>(), max_source);
  return text && text->find(condition->at("contains").get_ref<const std::string&>()) != std::string::npos;
}

/// What a row says; `folder` is that of its library.
std::vector<KnownDlopen> requests_of(const nlohmann::json& row, const std::string& folder, const std::string& site,
                                     const FileSystem& files) {
  std::vector<KnownDlopen> known;
  const Values values(row.at("values"), folder, files);
  for (const auto& ask : row.at("asks")) {
    KnownDlopen request;
    auto asked = ask.at("name").get<std::string>();
    request.by_path = asked.starts_with(site_folder);
    if (request.by_path) asked.replace(0, site_folder.size(), site + "/");
    const auto name = request.by_path ? asked : values.filled_in(asked);
    if (!name) continue;
    if (const auto below = ask.find("below"); below != ask.end()) {
      const auto version = values.filled_in(below->at(0).get<std::string>());
      if (!version || !version_less(*version, below->at(1).get<std::string>())) continue;
    }
    request.altered_search_path = ask.value("altered_search_path", false);
    auto& call = request.call;
    call.name = *name;
    call.traits.optional = true;
    call.traits.when = ask.at("at").get_ref<const std::string&>() == "use" ? RequestTime::later : RequestTime::now;
    call.traits.gpu = ask.at("gpu").get<bool>();
    auto& without = call.traits.without;
    without = row.at("without").get<std::string>();
    if (const auto at = without.find("{name}"); at != std::string::npos) without.replace(at, 6, call.name);
    call.known.source = row.at("source").get<std::string>();
    call.known.pieces = ask.value("pieces", std::vector<std::string>());
    if (const auto facts = row.find("facts"); facts != row.end())
      for (const auto& fact : *facts) call.known.facts.push_back({fact.at("text"), fact.at("source")});
    known.push_back(std::move(request));
  }
  return known;
}

/// A soname, or the end of a path for what has none.
bool is_library(const std::string& known, std::string_view soname, std::string_view path) {
  return known.find('/') == std::string::npos ? known == soname : path.ends_with("/" + known);
}

}  // namespace

std::vector<KnownDlopen> known_dlopens(std::string_view soname, const std::string& path, const FileSystem& files) {
  for (const auto& row : table().at("rows")) {
    const auto libraries = row.find("libraries");
    if (libraries == row.end()) continue;
    for (const auto& known : *libraries)
      if (is_library(known.get_ref<const std::string&>(), soname, path))
        return requests_of(row, std::string(parent_path(path)), "", files);
  }
  return {};
}

std::vector<std::string> files_with_known_loads() {
  std::vector<std::string> names;
  for (const auto& row : table().at("rows"))
    if (const auto file = row.find("file"); file != row.end()) names.push_back(file->get<std::string>());
  return names;
}

std::vector<KnownDlopen> known_loads(std::string_view file, const std::string& site, const FileSystem& files) {
  for (const auto& row : table().at("rows"))
    if (row.value("file", "") == file && holds(row, site, files))
      return requests_of(row, std::string(parent_path(site + "/" + std::string(file))), site, files);
  return {};
}

}  // namespace cudald
