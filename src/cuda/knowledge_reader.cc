#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cuda/knowledge_table.h"
#include "embedded.h"

namespace cudald {

using Json = nlohmann::json;

/// Makes rows of a section: facts of those that name a test, and nothing else does.
class RowReader {
 public:
  RowReader(const Json& section, const Json& row) : section_(section), row_(row) {}

  template <typename Row>
  Statement<Row> statement(Row row) const {
    auto source = fmt::format("{}, {}", inherited("source"), inherited("checked"));
    auto test = inherited("proof");
    if (test.empty()) return Likely<Row>(std::move(row), std::move(source));
    return Proven<Row>(std::move(row), Proof(std::move(source), std::move(test)));
  }
  bool is_proven() const { return !inherited("proof").empty(); }
  std::string text(const char* key) const {
    const auto found = row_.find(key);
    return found == row_.end() || found->is_null() ? "" : found->get<std::string>();
  }
  int number(const char* key) const { return row_.at(key).get<int>(); }
  CudaPlatform platform() const { return text("platform") == "windows" ? CudaPlatform::windows : CudaPlatform::linux; }

 private:
  /// What a row says itself, or else its section. A row's own null takes back what the section says.
  std::string inherited(const char* key) const {
    const auto own = row_.find(key);
    const auto& value = own != row_.end() ? *own : section_.value(key, Json());
    return value.is_null() ? "" : value.get<std::string>();
  }

  const Json& section_;
  const Json& row_;
};

namespace {

std::optional<CudaKind> kind_named(std::string_view word) {
  constexpr std::array kinds = {CudaKind::cudart,   CudaKind::cudnn,          CudaKind::cublas,    CudaKind::cublas_lt,
                                CudaKind::cufft,    CudaKind::curand,         CudaKind::cusolver,  CudaKind::cusparse,
                                CudaKind::nvrtc,    CudaKind::nvrtc_builtins, CudaKind::nvjitlink, CudaKind::nccl,
                                CudaKind::tensorrt, CudaKind::driver};
  for (const auto kind : kinds)
    if (to_string(kind) == word) return kind;
  return std::nullopt;
}

/// What the rows of a section are made of: the keys, of which those before `|` are what a row is known by, and how
/// each is written: v a version, t a text, n a number, k a kind of library, p a platform; a capital: or null.
const std::map<std::string, std::string, std::less<>>& forms() {
  static const std::map<std::string, std::string, std::less<>> known = {
      {"driver", "cuda:v|linux:V windows:V"},
      {"driver_floor", "cuda_major:n|linux:V windows:V"},
      {"libraries", "kind:k first:v|last:V linux:T windows:T"},
      {"architectures", "sm:t|since:v until:V"},
      {"shared_names", "kind:k since:v|cuda_major:n"},
      {"builds", "kind:k build_id:t|first:v last:v"},
      {"frameworks", "project:t platform:p first:v|last:V cuda:V cudnn:V"},
  };
  return known;
}

struct Key {
  std::string name;
  char type = 't';
  bool nullable = false, identifies = false;
};

std::vector<Key> keys_of(std::string_view form) {
  std::vector<Key> keys;
  bool identifies = true;
  std::string name;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == ' ') continue;
    if (form[i] == '|') {
      identifies = false;
    } else if (form[i] != ':') {
      name += form[i];
    } else {
      const char type = form[++i];
      const bool nullable = type >= 'A' && type <= 'Z';
      keys.push_back(
          {std::exchange(name, ""), nullable ? static_cast<char>(type + ('a' - 'A')) : type, nullable, identifies});
    }
  }
  return keys;
}

bool is_version(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.find_first_not_of("0123456789.post") == std::string::npos;
}

bool is_of_type(const Json& value, char type) {
  switch (type) {
    case 'v': return is_version(value);
    case 'n': return value.is_number_unsigned();
    case 'k': return value.is_string() && kind_named(value.get_ref<const std::string&>());
    case 'p': return value == "linux" || value == "windows";
    default: return value.is_string() && !value.get_ref<const std::string&>().empty();
  }
}

std::string_view wanted(char type) {
  switch (type) {
    case 'v': return "a version";
    case 'n': return "a number";
    case 'k': return "a kind of library that cudald knows";
    case 'p': return "\"linux\" or \"windows\"";
    default: return "a text";
  }
}

/// What is wrong with a row; empty if nothing is.
std::string fault_of_row(const std::string& section, const Json& row) {
  if (!row.is_object()) return "is no object";
  std::set<std::string> known = {"source", "checked", "proof"};
  for (const auto& key : keys_of(forms().at(section))) {
    known.insert(key.name);
    const auto value = row.find(key.name);
    if (value == row.end()) {
      if (!key.nullable) return fmt::format("lacks `{}`", key.name);
    } else if (!(key.nullable && value->is_null()) && !is_of_type(*value, key.type)) {
      return fmt::format("`{}` must be {}{}", key.name, wanted(key.type), key.nullable ? " or null" : "");
    }
  }
  for (const auto& [name, value] : row.items())
    if (!known.contains(name)) return fmt::format("`{}` is not known", name);
  return "";
}

/// What is wrong with a table of newer rows, and where; empty if nothing is.
std::string fault_of(const Json& table) {
  if (!table.is_object()) return "it is no object";
  if (table.value("schema", Json()) != "cudald/cuda") return "`schema` must be \"cudald/cuda\"";
  for (const auto& [name, section] : table.items()) {
    if (name == "schema" || name == "version" || name == "how_to_read") continue;
    if (!forms().contains(name)) return fmt::format("`{}` is no section", name);
    if (!section.is_object() || !section.contains("rows") || !section.at("rows").is_array())
      return fmt::format("{}: `rows` must be a list", name);
    for (const auto* key : {"source", "checked"})
      if (!section.contains(key) || !section.at(key).is_string())
        return fmt::format("{}: `{}` must be a text", name, key);
    const auto& rows = section.at("rows");
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const auto fault = fault_of_row(name, rows[i]); !fault.empty())
        return fmt::format("{}, row {}: {}", name, i + 1, fault);
  }
  return "";
}

bool is_same_row(const std::string& section, const Json& one, const Json& other) {
  for (const auto& key : keys_of(forms().at(section)))
    if (key.identifies && one.at(key.name) != other.at(key.name)) return false;
  return true;
}

/// Rows of a newer table take the place of those that are known by the same, and stand before the others.
void lay_over(const std::string& name, const Json& newer, Json& section) {
  for (const auto* key : {"source", "checked", "proof"})
    for (auto& row : section.at("rows"))
      if (!row.contains(key)) row[key] = section.value(key, Json());
  Json rows = Json::array();
  for (auto row : newer.at("rows")) {
    for (const auto* key : {"source", "checked", "proof"})
      if (!row.contains(key)) row[key] = newer.value(key, Json());
    rows.push_back(std::move(row));
  }
  for (const auto& row : section.at("rows"))
    if (std::none_of(newer.at("rows").begin(), newer.at("rows").end(),
                     [&](const Json& each) { return is_same_row(name, each, row); }))
      rows.push_back(row);
  section["rows"] = std::move(rows);
  section["checked"] = newer.at("checked");
}

void read_drivers(const Json& json, Knowledge::Table& table) {
  for (const auto platform : {CudaPlatform::linux, CudaPlatform::windows}) {
    const auto* key = platform == CudaPlatform::linux ? "linux" : "windows";
    for (const auto& row : json.at("driver").at("rows")) {
      const RowReader reader(json.at("driver"), row);
      table.drivers.push_back({reader.text("cuda"), platform, reader.statement(DriverNeed{reader.text(key)})});
    }
    for (const auto& row : json.at("driver_floor").at("rows")) {
      const RowReader reader(json.at("driver_floor"), row);
      table.floors.push_back({reader.number("cuda_major"), platform, reader.statement(DriverNeed{reader.text(key)})});
    }
  }
}

void read_libraries(const Json& json, Knowledge::Table& table) {
  const auto& section = json.at("libraries");
  for (const auto& row : section.at("rows")) {
    const RowReader reader(section, row);
    for (const auto platform : {CudaPlatform::linux, CudaPlatform::windows}) {
      NamedRelease release{*kind_named(reader.text("kind")),
                           reader.text(platform == CudaPlatform::linux ? "linux" : "windows"), reader.text("first"),
                           reader.text("last")};
      table.libraries.push_back({platform, reader.statement(std::move(release))});
    }
  }
}

std::unique_ptr<const Knowledge::Table> read(const Json& json) {
  auto table = std::make_unique<Knowledge::Table>();
  read_drivers(json, *table);
  read_libraries(json, *table);
  for (const auto& row : json.at("architectures").at("rows")) {
    const RowReader reader(json.at("architectures"), row);
    table->architectures.push_back(
        {reader.text("sm"), reader.statement(ArchitectureSpan{reader.text("since"), reader.text("until")})});
  }
  for (const auto& row : json.at("shared_names").at("rows"))
    if (const RowReader reader(json.at("shared_names"), row); reader.is_proven())
      table->shared_names.push_back(
          {*kind_named(reader.text("kind")), reader.text("since"), reader.number("cuda_major")});
  for (const auto& row : json.at("builds").at("rows"))
    if (const RowReader reader(json.at("builds"), row); reader.is_proven())
      table->builds.push_back(
          {*kind_named(reader.text("kind")), reader.text("build_id"), reader.text("first"), reader.text("last")});
  for (const auto& row : json.at("frameworks").at("rows")) {
    const RowReader reader(json.at("frameworks"), row);
    table->frameworks.push_back(
        {reader.platform(),
         reader.statement(FrameworkBuild{reader.text("project"), reader.text("first"), reader.text("last"),
                                         reader.text("cuda"), reader.text("cudnn")})});
  }
  for (const auto& [name, form] : forms()) table->days.emplace_back(name, json.at(name).at("checked"));
  return table;
}

}  // namespace

std::shared_ptr<const Knowledge> built_in_knowledge() {
  static const auto built_in = std::make_shared<const Knowledge>(read(parse_table(embedded_cuda())));
  return built_in;
}

Result<std::shared_ptr<const Knowledge>> read_knowledge(std::string_view json) {
  const auto fault = [](const std::string& text) {
    return Error{ErrorCode::usage, "no table of knowledge about CUDA: " + text};
  };
  constexpr int deepest = 10;
  if (shape_of_json(json).depth > deepest) return fault("its values lie too deep in one another");
  try {
    const auto newer = Json::parse(json);
    if (auto wrong = fault_of(newer); !wrong.empty()) return fault(wrong);
    auto whole = parse_table(embedded_cuda());
    for (const auto& [name, form] : forms())
      if (newer.contains(name)) lay_over(name, newer.at(name), whole.at(name));
    return std::make_shared<const Knowledge>(read(whole));
  } catch (const Json::exception& wrong) {
    return fault(wrong.what());
  }
}

}  // namespace cudald
