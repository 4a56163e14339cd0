#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/knowledge_table.h"
#include "knowledge/newer_tables.h"
#include "knowledge/row_form.h"

namespace cudald {

using Json = nlohmann::json;

/// Makes rows of a section: facts of those that name a test, and nothing else does.
class RowReader {
 public:
  /// What a section says for its rows. It stands behind the rows, so it is looked for once.
  struct Section {
    explicit Section(const TableValue& section)
        : source(section.at("source").text()),
          checked(section.at("checked").text()),
          proof(section.at("proof").text()) {}
    std::string_view source, checked, proof;
  };

  RowReader(const Section& section, const TableValue& row) : section_(section), entries_(row.entries()) {}

  template <typename Row>
  Statement<Row> statement(Row row) const {
    std::string source(own("source", section_.source));
    source.append(", ").append(own("checked", section_.checked));
    const auto test = own("proof", section_.proof);
    if (test.empty()) return Likely<Row>(std::move(row), std::move(source));
    return Proven<Row>(std::move(row), Proof(std::move(source), std::string(test)));
  }
  bool is_proven() const { return !own("proof", section_.proof).empty(); }
  std::string text(std::string_view key) const { return std::string(at(key).text()); }
  int number(std::string_view key) const { return static_cast<int>(at(key).number()); }
  CudaPlatform platform() const { return text("platform") == "windows" ? CudaPlatform::windows : CudaPlatform::linux; }

 private:
  TableValue at(std::string_view key) const {
    for (const auto& [name, value] : entries_)
      if (name == key) return value;
    return {};
  }

  /// What a row says itself, or else its section. A row's own null takes back what the section says.
  std::string_view own(std::string_view key, std::string_view of_section) const {
    const auto value = at(key);
    return value.is_there() ? value.text() : of_section;
  }

  const Section& section_;
  std::vector<std::pair<std::string_view, TableValue>> entries_;
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
      {"frameworks", "project:t platform:p first:v|last:V cuda:V cudnn:V python_first:V python_last:V"},
  };
  return known;
}

const char* key_of(CudaPlatform platform) { return platform == CudaPlatform::linux ? "linux" : "windows"; }

/// What is wrong with a table of newer rows, and where; empty if nothing is.
std::string fault_of(const Json& table) {
  if (!table.is_object()) return "it is not an object";
  if (table.value("schema", Json()) != "cudald/cuda") return "`schema` must be \"cudald/cuda\"";
  for (const auto& [name, section] : table.items()) {
    if (name == "schema" || name == "version" || name == "how_to_read") continue;
    if (!forms().contains(name)) return fmt::format("`{}` is not a section", name);
    if (!section.is_object() || !section.contains("rows") || !section.at("rows").is_array())
      return fmt::format("{}: `rows` must be a list", name);
    for (const auto* key : {"source", "checked"})
      if (!section.contains(key) || !section.at(key).is_string())
        return fmt::format("{}: `{}` must be a text", name, key);
    const auto& rows = section.at("rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (const auto fault = fault_of_row(forms().at(name), rows[i]); !fault.empty())
        return fmt::format("{}, row {}: {}", name, i + 1, fault);
      if (const auto proof = rows[i].value("proof", section.value("proof", Json()));
          !proof.is_null() && !proof.is_string())
        return fmt::format("{}, row {}: `proof` must be a text or null", name, i + 1);
    }
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

using Table = Knowledge::Table;

/// As tools/embed.py writes tables.
std::string packed(const Json& table) {
  std::string bytes;
  Json::to_msgpack(table, bytes);
  return bytes;
}

/// Makes rows of a section: `take` gets a reader of each of its rows.
template <typename Take>
void each_row(const TableValue& section, Take take) {
  const RowReader::Section of_all(section);
  for (const auto& row : section.at("rows").values()) take(RowReader(of_all, row));
}

std::vector<Table::Driver> read_drivers(const TableValue& section) {
  std::vector<Table::Driver> rows;
  for (const auto platform : {CudaPlatform::linux, CudaPlatform::windows})
    each_row(section, [&](const RowReader& row) {
      rows.push_back({row.text("cuda"), platform, row.statement(DriverNeed{row.text(key_of(platform))})});
    });
  return rows;
}

std::vector<Table::Floor> read_floors(const TableValue& section) {
  std::vector<Table::Floor> rows;
  for (const auto platform : {CudaPlatform::linux, CudaPlatform::windows})
    each_row(section, [&](const RowReader& row) {
      rows.push_back({row.number("cuda_major"), platform, row.statement(DriverNeed{row.text(key_of(platform))})});
    });
  return rows;
}

std::vector<Table::Library> read_libraries(const TableValue& section) {
  std::vector<Table::Library> rows;
  each_row(section, [&](const RowReader& row) {
    for (const auto platform : {CudaPlatform::linux, CudaPlatform::windows})
      rows.push_back({platform, row.statement(NamedRelease{*kind_named(row.text("kind")), row.text(key_of(platform)),
                                                           row.text("first"), row.text("last")})});
  });
  return rows;
}

std::vector<Table::Architecture> read_architectures(const TableValue& section) {
  std::vector<Table::Architecture> rows;
  each_row(section, [&](const RowReader& row) {
    rows.push_back({row.text("sm"), row.statement(ArchitectureSpan{row.text("since"), row.text("until")})});
  });
  return rows;
}

std::vector<Table::SharedName> read_shared_names(const TableValue& section) {
  std::vector<Table::SharedName> rows;
  each_row(section, [&](const RowReader& row) {
    if (row.is_proven()) rows.push_back({*kind_named(row.text("kind")), row.text("since"), row.number("cuda_major")});
  });
  return rows;
}

std::vector<Table::Build> read_builds(const TableValue& section) {
  std::vector<Table::Build> rows;
  each_row(section, [&](const RowReader& row) {
    if (row.is_proven())
      rows.push_back({*kind_named(row.text("kind")), row.text("build_id"), row.text("first"), row.text("last")});
  });
  return rows;
}

std::vector<Table::Framework> read_frameworks(const TableValue& section) {
  std::vector<Table::Framework> rows;
  each_row(section, [&](const RowReader& row) {
    rows.push_back({row.platform(), row.statement(FrameworkBuild{row.text("project"), row.text("first"),
                                                                 row.text("last"), row.text("cuda"), row.text("cudnn"),
                                                                 row.text("python_first"), row.text("python_last")})});
  });
  return rows;
}

}  // namespace

Knowledge::Table::Table(std::string_view bytes) : Table(TableValue(bytes), "") {}

Knowledge::Table::Table(std::string bytes) : Table(TableValue(), std::move(bytes)) {}

Knowledge::Table::Table(TableValue built_in, std::string bytes)
    : own(std::move(bytes)),
      whole(own.empty() ? built_in : TableValue(own)),
      drivers(read_drivers, whole, "driver"),
      floors(read_floors, whole, "driver_floor"),
      libraries(read_libraries, whole, "libraries"),
      architectures(read_architectures, whole, "architectures"),
      shared_names(read_shared_names, whole, "shared_names"),
      builds(read_builds, whole, "builds"),
      frameworks(read_frameworks, whole, "frameworks") {}

std::vector<std::pair<std::string, std::string>> Knowledge::Table::days() const {
  std::vector<std::pair<std::string, std::string>> days;
  for (const auto& [name, form] : forms()) days.emplace_back(name, whole.at(name).at("checked").text());
  return days;
}

std::shared_ptr<const Knowledge> built_in_knowledge() {
  static const auto built_in = std::make_shared<const Knowledge>(std::make_unique<const Table>(embedded_cuda()));
  return built_in;
}

Result<std::shared_ptr<const Knowledge>> lay_over(const Knowledge& known, std::string_view json) {
  const auto fault = [](const std::string& text) { return Error{ErrorCode::usage, "no table of knowledge: " + text}; };
  constexpr int deepest = 10;
  constexpr std::uint64_t most_values = 1'000'000;
  const auto shape = shape_of_json(json);
  if (shape.depth > deepest) return fault("its values are nested too deep");
  if (shape.values > most_values) return fault("it has more values than any");
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
    auto table = cuda == tables.end() ? std::make_unique<const Table>(embedded_cuda())
                                      : std::make_unique<const Table>(packed(cuda->second));
    return std::make_shared<const Knowledge>(std::move(table), std::move(tables));
  } catch (const Json::parse_error& wrong) {
    // Its own words quote the text, which may hold anything.
    const auto before = json.substr(0, std::min(wrong.byte, json.size()));
    return fault(fmt::format("line {}: is not valid JSON", 1 + std::count(before.begin(), before.end(), '\n')));
  } catch (const Json::exception& wrong) {
    return fault(wrong.what());
  }
}

Result<std::shared_ptr<const Knowledge>> read_knowledge(std::string_view json) {
  return lay_over(*built_in_knowledge(), json);
}

}  // namespace cudald
