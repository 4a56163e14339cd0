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
#include "cuda/newer_tables.h"
#include "cuda/row_form.h"
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

/// What the rows of a section are made of.
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
      if (const auto fault = fault_of_row(forms().at(name), rows[i]); !fault.empty())
        return fmt::format("{}, row {}: {}", name, i + 1, fault);
  }
  return "";
}

/// Rows of a newer table take the place of those that are known by the same, and stand before the others.
void lay_over_section(const std::string& name, const Json& newer, Json& section) {
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
                     [&](const Json& each) { return is_same_row(forms().at(name), each, row); }))
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

Result<std::shared_ptr<const Knowledge>> lay_over(const Knowledge& known, std::string_view json) {
  const auto fault = [](const std::string& text) { return Error{ErrorCode::usage, "no table of knowledge: " + text}; };
  constexpr int deepest = 10;
  if (shape_of_json(json).depth > deepest) return fault("its values lie too deep in one another");
  try {
    const auto newer = Json::parse(json);
    auto tables = known.newer_tables();
    const auto name = table_named(newer);
    if (auto wrong = name.empty() ? fault_of(newer) : fault_of_table(name, newer); !wrong.empty()) return fault(wrong);
    if (!name.empty()) {
      const auto place = tables.find(name);
      tables[name] = laid_over(name, place == tables.end() ? built_in_table(name) : place->second, newer);
    } else {
      auto& whole = tables.try_emplace("cuda", parse_table(embedded_cuda())).first->second;
      for (const auto& [section, form] : forms())
        if (newer.contains(section)) lay_over_section(section, newer.at(section), whole.at(section));
    }
    const auto cuda = tables.find("cuda");
    auto table = read(cuda == tables.end() ? parse_table(embedded_cuda()) : cuda->second);
    return std::make_shared<const Knowledge>(std::move(table), std::move(tables));
  } catch (const Json::exception& wrong) {
    return fault(wrong.what());
  }
}

Result<std::shared_ptr<const Knowledge>> read_knowledge(std::string_view json) {
  return lay_over(*built_in_knowledge(), json);
}

}  // namespace cudald
