#include "knowledge/newer_tables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/row_form.h"

namespace cudald {
namespace {

using Json = nlohmann::json;

/// What stands below a key of a row: objects of a form in a list, one such object, several by name, or lists of texts
/// by name.
struct Inner {
  enum class Kind { list, one, by_name, lists_by_name };
  Kind kind;
  std::string_view key, form;
};

/// A list of rows in a table, and what a row of it is.
struct RowList {
  std::string_view key, form;
  std::vector<Inner> inner = {};
};

struct TableForm {
  std::string_view name;
  std::string_view (*embedded)();
  std::vector<RowList> lists;
};

constexpr auto system_row = "library:t command:t|version:T system:t folder:t";

const std::vector<TableForm>& table_forms() {
  constexpr auto list = Inner::Kind::list, one = Inner::Kind::one, by_name = Inner::Kind::by_name,
                 lists_by_name = Inner::Kind::lists_by_name;
  static const std::vector<TableForm> forms = {
      {"conda-packages",
       embedded_conda_packages,
       {{"rows", "package:t channel:t cuda:N requirement:l|libraries:l oldest:T newest:T read:T"}}},
      {"first-seen",
       embedded_first_seen,
       {{"rows",
         "library:t|oldest:t newest:t releases:n first:o last:o",
         {{lists_by_name, "first", ""}, {lists_by_name, "last", ""}}}}},
      {"gpu-use", embedded_gpu_use, {{"rows", "module:t through:t|extra:t require:t before:t lost:t"}}},
      {"known-dlopens",
       embedded_known_dlopens,
       {{"rows",
         "libraries:L file:T|values:o without:t if:O facts:O asks:o",
         {{list, "asks", "name:t|at:t gpu:b pieces:L below:L held:B altered_search_path:B if_there:B"},
          {list, "facts", "text:t source:t|"},
          {one, "if", "file:t contains:t|"},
          {by_name, "values", "file:t key:t|"}}}}},
      {"messages",
       embedded_messages,
       {{"rows",
         "text:m library:T|kind:t who:t means:t about:T effect:T speakers:L findings:L fix:T command:T "
         "also:L about_search:B native_binding:B of_dotnet:B opens:B plugin:T found_fix:T found_command:T unfit_for:T "
         "number:T extension_of:T cuda:T needs_newer_driver:B conda_fix:T conda_command:T beside:T "
         "unconfigured:T by_release:O",
         {{list, "by_release", "before:t|fix:t command:T"}}}}},
      {"providers",
       embedded_providers,
       {{"providers",
         "name:t|pip:o",
         {{list, "pip", "distribution:t oldest:t version:t folder:t platform:p|requirement:T"}}}}},
      {"system-packages", embedded_system_packages, {{"debian", system_row}, {"by_hand", system_row}}},
  };
  return forms;
}

const TableForm* form_of(std::string_view name) {
  const auto& forms = table_forms();
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const TableForm& form) { return form.name == name; });
  return found == forms.end() ? nullptr : &*found;
}

std::string fault_of_inner(const Inner& inner, const Json& value) {
  using Kind = Inner::Kind;
  if (inner.kind == Kind::one) return fault_of_row(inner.form, value);
  if (inner.kind == Kind::list ? !value.is_array() : !value.is_object()) return "must be a list, or an object by names";
  std::size_t number = 0;
  for (const auto& each : value) {
    ++number;
    const auto fault = inner.kind == Kind::lists_by_name ? fault_of_row("texts:l", Json{{"texts", each}})
                                                         : fault_of_row(inner.form, each);
    if (!fault.empty()) return fmt::format("{}: {}", number, fault);
  }
  return "";
}

std::string fault_of_list(const RowList& list, const Json& rows, bool has_source) {
  if (!rows.is_array()) return fmt::format("`{}` must be a list", list.key);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    const auto at = [&](const std::string& fault) { return fmt::format("{}, row {}: {}", list.key, i + 1, fault); };
    if (const auto fault = fault_of_row(list.form, row); !fault.empty()) return at(fault);
    if (!has_source && !row.contains("source")) return at("lacks `source`, as its table does");
    for (const auto& inner : list.inner)
      if (const auto value = row.find(std::string(inner.key)); value != row.end() && !value->is_null())
        if (const auto fault = fault_of_inner(inner, *value); !fault.empty())
          return at(fmt::format("{} {}", inner.key, fault));
  }
  return "";
}

/// Null is what is not there, but for a proof that is taken back.
void drop_nulls(Json& value) {
  if (value.is_object())
    for (auto part = value.begin(); part != value.end();)
      part = part->is_null() && part.key() != "proof" ? value.erase(part) : std::next(part);
  if (value.is_structured())
    for (auto& part : value) drop_nulls(part);
}

/// What a row does not say of itself, its table says. Of what names no test that repeats it, the source says that it is
/// likely, wherever it is told.
void complete(Json& row, const Json& table) {
  for (const auto* key : {"source", "checked", "proof"})
    if (!row.contains(key) && table.contains(key)) row[key] = table.at(key);
  if (row.value("proof", Json()).is_string()) return;
  row["proof"] = nullptr;
  row["source"] = "likely, by " + row.at("source").get<std::string>();
}

}  // namespace

std::string table_named(const Json& document) {
  if (!document.is_object() || !document.contains("schema") || !document.at("schema").is_string()) return "";
  const auto& schema = document.at("schema").get_ref<const std::string&>();
  constexpr std::string_view beginning = "cudald/";
  const auto name = schema.starts_with(beginning) ? schema.substr(beginning.size()) : "";
  return form_of(name) == nullptr ? "" : name;
}

std::string fault_of_table(const std::string& name, const Json& newer) {
  const auto& lists = form_of(name)->lists;
  if (!newer.contains("checked") || !newer.at("checked").is_string()) return "`checked` must be a text";
  if (newer.contains("source") && !newer.at("source").is_string()) return "`source` must be a text";
  if (const auto proof = newer.value("proof", Json()); !proof.is_null() && !proof.is_string())
    return "`proof` must be a text or null";
  for (const auto& [key, value] : newer.items()) {
    constexpr std::array about = {"schema", "version", "how_to_read", "checked", "source", "proof"};
    if (std::find(about.begin(), about.end(), key) != about.end()) continue;
    const auto list =
        std::find_if(lists.begin(), lists.end(), [&key = key](const RowList& each) { return each.key == key; });
    if (list == lists.end()) return fmt::format("`{}` is not known", key);
    if (auto fault = fault_of_list(*list, value, newer.contains("source")); !fault.empty()) return fault;
  }
  return "";
}

Json built_in_table(const std::string& name) { return parse_table(form_of(name)->embedded()); }

Json laid_over(const std::string& name, Json table, const Json& newer) {
  for (const auto& list : form_of(name)->lists) {
    const std::string key(list.key);
    if (!newer.contains(key)) continue;
    auto rows = newer.at(key);
    drop_nulls(rows);
    for (auto& row : rows) complete(row, newer);
    for (auto& row : table.at(key)) {
      if (std::any_of(newer.at(key).begin(), newer.at(key).end(),
                      [&](const Json& each) { return is_same_row(list.form, each, row); }))
        continue;
      if (!row.contains("checked") && table.contains("checked")) row["checked"] = table.at("checked");
      rows.push_back(std::move(row));
    }
    table[key] = std::move(rows);
  }
  table["checked"] = newer.at("checked");
  return table;
}

}  // namespace cudald
