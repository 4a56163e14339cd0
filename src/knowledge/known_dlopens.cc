#include "knowledge/known_dlopens.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/path.h"
#include "base/version_order.h"
#include "binary/image_store.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

constexpr std::uint64_t max_source = 1 << 16;

const nlohmann::json& table(const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("known-dlopens")) return *newer;
  static const auto parsed = parse_table(embedded_known_dlopens());
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
std::string soname(std::string_view library, const std::string& release, const Knowledge& knowledge) {
  for (int kind = 0; kind <= static_cast<int>(CudaKind::driver); ++kind)
    if (to_string(static_cast<CudaKind>(kind)) == library)
      if (const auto named = knowledge.name_of(static_cast<CudaKind>(kind), release, CudaPlatform::linux))
        return named->name;
  return "";
}

/// The values of a row, read from the files beside the library.
class NameValues {
 public:
  NameValues(const nlohmann::json& wanted, const std::string& folder, const FileSystem& files,
             const Knowledge& knowledge)
      : knowledge_(knowledge) {
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
        filled = part == "major" ? filled.substr(0, filled.find('.')) : soname(part, filled, knowledge_);
      }
      if (filled.empty()) return std::nullopt;
      text.replace(open, close + 1 - open, filled);
      open += filled.size();
    }
    return text;
  }

 private:
  const Knowledge& knowledge_;
  std::map<std::string, std::string> values_;
};

/// Where a row says what it says: the folder of the library that asks, and the site-packages around it.
struct Place {
  std::string folder;
  std::string site;  ///< empty if it lies in none
};

Place place_of(const std::string& path) {
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.rfind(mark); at != std::string::npos)
      return {std::string(parent_path(path)), path.substr(0, at + mark.size() - 1)};
  return {std::string(parent_path(path)), ""};
}

/// The name that a row asks for, its values filled in; {site}/ and {folder}/ make a path of it. Nullopt if a value, or
/// the folder, is not known.
std::optional<std::string> name_of(std::string_view asked, const NameValues& values, const Place& place) {
  for (const auto& [mark, folder] :
       {std::pair<std::string_view, const std::string&>{"{site}/", place.site}, {"{folder}/", place.folder}}) {
    if (!asked.starts_with(mark)) continue;
    const auto rest = values.filled_in(std::string(asked.substr(mark.size())));
    return rest && !folder.empty() ? std::optional(normal_path(folder + "/" + *rest)) : std::nullopt;
  }
  return values.filled_in(std::string(asked));
}

/// Whether the condition of a row holds, if it has one.
bool holds(const nlohmann::json& row, const std::string& site, const FileSystem& files) {
  const auto condition = row.find("if");
  if (condition == row.end()) return true;
  const auto text = read_file(files, site + "/" + condition->at("file").get<std::string>(), max_source);
  return text && text->find(condition->at("contains").get_ref<const std::string&>()) != std::string::npos;
}

/// What a row says of a library that lies there.
std::vector<KnownDlopen> requests_of(const nlohmann::json& row, const Place& place, const FileSystem& files,
                                     const Knowledge& knowledge) {
  std::vector<KnownDlopen> known;
  const NameValues values(row.at("values"), place.folder, files, knowledge);
  for (const auto& ask : row.at("asks")) {
    KnownDlopen request;
    const auto name = name_of(ask.at("name").get_ref<const std::string&>(), values, place);
    if (!name || (ask.value("if_there", false) && !is_file(files, *name))) continue;
    request.by_path = name->find('/') != std::string::npos;
    if (const auto below = ask.find("below"); below != ask.end()) {
      const auto version = values.filled_in(below->at(0).get<std::string>());
      if (!version || !version_less(*version, below->at(1).get<std::string>())) continue;
    }
    request.altered_search_path = ask.value("altered_search_path", false);
    request.only_if_held = ask.value("held", false);
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

/// "libcudnn.so.8.9.7" for "libcudnn-11111111.so.8.9.7": what auditwheel bundles gets a hash into its name, and opens
/// by itself what it opened before.
std::string name_before_bundling(const std::string& soname) {
  constexpr std::size_t hash_length = 8;
  const auto end = soname.find(".so");
  const auto dash = soname.rfind('-', end);
  if (end == std::string::npos || dash == std::string::npos || end - dash != hash_length + 1) return soname;
  const auto hash = std::string_view(soname).substr(dash + 1, hash_length);
  if (hash.find_first_not_of("0123456789abcdef") != std::string_view::npos) return soname;
  return soname.substr(0, dash) + soname.substr(end);
}

constexpr std::string_view wildcards = "*?[]";

/// How a library is known: by its soname before it was bundled, or by its path.
struct LibraryNames {
  std::string original, path;
  bool bundled = false;
};

LibraryNames names_of(std::string_view soname, const std::string& path) {
  auto original = name_before_bundling(std::string(soname));
  const bool bundled = original != soname;
  return {std::move(original), path, bundled};
}

/// A row's name of a library: the soname, or the end of the path for what has none; `*` and `?` stand for what differs
/// from release to release.
class KnownName {
 public:
  /// `row`: its number in the table.
  KnownName(std::string_view name, std::size_t row)
      : row_(row),
        name_(name),
        is_path_(name.find('/') != std::string::npos),
        literal_(name.find_first_of(wildcards) == std::string::npos),
        beginning_(name.substr(0, name.find_first_of(wildcards))),
        end_(name.substr(literal_ ? 0 : name.find_last_of(wildcards) + 1)) {
    if (!is_path_) return;
    below_any_folder_ = "*/" + name_;
    below_slash_ = "/" + beginning_;
  }

  std::size_t row() const { return row_; }

  /// Few of all libraries are known, so most are told apart by what is no wildcard.
  bool means(const LibraryNames& names) const {
    if (is_path_)
      return names.path.ends_with(end_) && names.path.find(below_slash_) != std::string::npos &&
             ::fnmatch(below_any_folder_.c_str(), names.path.c_str(), 0) == 0;
    if (!names.original.starts_with(beginning_)) return false;
    if (literal_) return names.original == name_ || (names.bundled && names.original[name_.size()] == '.');
    return ::fnmatch(name_.c_str(), names.original.c_str(), 0) == 0;
  }

 private:
  std::size_t row_;
  std::string name_;
  bool is_path_, literal_;
  std::string beginning_, end_;                 ///< up to the first wildcard, and behind the last one
  std::string below_any_folder_, below_slash_;  ///< of a path: all of it as a pattern, and its beginning
};

std::vector<KnownName> names_in(const nlohmann::json& rows) {
  std::vector<KnownName> names;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto libraries = rows[i].find("libraries"); libraries != rows[i].end())
      for (const auto& name : *libraries) names.emplace_back(name.get_ref<const std::string&>(), i);
  return names;
}

/// The table that was compiled in: of its rows few questions need more than the names.
struct BuiltIn {
  std::vector<TableValue> rows = TableValue(embedded_known_dlopens()).at("rows").values();
  std::vector<KnownName> names;

  BuiltIn() {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& name : rows[i].at("libraries").values()) names.emplace_back(name.text(), i);
  }
};

/// The number of the row that knows a library.
std::optional<std::size_t> row_of(const std::vector<KnownName>& known, std::string_view soname,
                                  const std::string& path) {
  const auto names = names_of(soname, path);
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownName& each) { return each.means(names); });
  return found == known.end() ? std::nullopt : std::optional(found->row());
}

}  // namespace

bool is_opened_by(const KnownDlopen& known, const std::string& path, const Image& image, const ImageStore& images) {
  if (!known.only_if_held) return true;
  const auto& pieces = known.call.known.pieces;
  return image.source == ImageSource::file && std::all_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
           return images.constant_text(path, image, piece).has_value();
         });
}

std::vector<KnownDlopen> known_dlopens(std::string_view soname, const std::string& path, const FileSystem& files,
                                       const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("known-dlopens"))
    return known_dlopens(*newer, soname, path, files, knowledge);
  static const BuiltIn built_in;
  const auto row = row_of(built_in.names, soname, path);
  return row ? requests_of(built_in.rows[*row].json(), place_of(path), files, knowledge) : std::vector<KnownDlopen>();
}

std::vector<KnownDlopen> known_dlopens(const nlohmann::json& known_rows, std::string_view soname,
                                       const std::string& path, const FileSystem& files, const Knowledge& knowledge) {
  const auto& rows = known_rows.at("rows");
  const auto row = row_of(names_in(rows), soname, path);
  return row ? requests_of(rows[*row], place_of(path), files, knowledge) : std::vector<KnownDlopen>();
}

std::vector<std::string> files_with_known_loads(const Knowledge& knowledge) {
  std::vector<std::string> names;
  for (const auto& row : table(knowledge).at("rows"))
    if (const auto file = row.find("file"); file != row.end()) names.push_back(file->get<std::string>());
  return names;
}

std::vector<KnownDlopen> known_loads(std::string_view file, const std::string& site, const FileSystem& files,
                                     const Knowledge& knowledge) {
  for (const auto& row : table(knowledge).at("rows"))
    if (row.value("file", "") == file && holds(row, site, files))
      return requests_of(row, {std::string(parent_path(site + "/" + std::string(file))), site}, files, knowledge);
  return {};
}

}  // namespace cudald
