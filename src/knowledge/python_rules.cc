#include "knowledge/python_rules.h"

#include <stdexcept>

#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/version_order.h"
#include "embedded.h"

namespace cudald::python {
namespace {

/// What one row says, by key.
class Row {
 public:
  explicit Row(TableValue row) : entries_(row.entries()) {}

  TableValue at(std::string_view key) const {
    for (const auto& [name, value] : entries_)
      if (name == key) return value;
    return {};
  }
  bool has(std::string_view key) const { return at(key).is_there(); }
  std::string text(std::string_view key) const { return std::string(at(key).text()); }
  bool flag(std::string_view key) const { return at(key).flag(); }
  /// A list of texts, where they stand in the table; one text is a list of its own.
  std::vector<std::string_view> texts(std::string_view key) const {
    const auto value = at(key);
    if (const auto text = value.text(); !text.empty()) return {text};
    std::vector<std::string_view> texts;
    for (const auto& text : value.values()) texts.push_back(text.text());
    return texts;
  }
  std::vector<std::string> words(std::string_view key) const {
    const auto all = texts(key);
    return {all.begin(), all.end()};
  }

 private:
  std::vector<std::pair<std::string_view, TableValue>> entries_;
};

std::vector<RuleStep> steps_of(TableValue list) {
  std::vector<RuleStep> steps;
  for (const auto& item : list.values()) {
    const Row row(item);
    RuleStep step;
    step.load = row.words("load");
    step.all = row.flag("all");
    step.global = row.flag("global");
    step.required = !row.has("required") || row.flag("required");
    step.import = row.text("import");
    step.library = row.text("library");
    step.if_value = row.text("if_value");
    step.if_at_least = row.words("if_at_least");
    step.if_source = row.text("if_source");
    step.if_mapped = row.text("if_mapped");
    step.then = steps_of(row.at("then"));
    step.on_failure = steps_of(row.at("on_failure"));
    step.as_module = row.flag("as_module");
    step.raises = row.text("raises");
    steps.push_back(std::move(step));
  }
  return steps;
}

Rule rule_of(TableValue of) {
  const Row row(of);
  Rule rule;
  for (const auto& [name, value] : row.at("values").entries()) rule.values.emplace(name, value.text());
  rule.steps = steps_of(row.at("steps"));
  rule.returns = row.text("returns");
  for (auto& name : row.words("imports")) {
    RuleStep step;
    step.import = std::move(name);
    step.required = false;
    rule.steps.push_back(std::move(step));
  }
  for (const auto& item : row.at("soft").values()) {
    const Row soft(item);
    rule.soft.push_back({soft.words("name"), soft.text("note"), soft.flag("gpu"), soft.flag("global")});
  }
  rule.source = row.text("source");
  if (rule.source.empty()) throw std::invalid_argument("a rule for imports has no source");
  return rule;
}

LibraryRow library_of(TableValue of) {
  const Row row(of);
  return {row.words("names"), row.words("folders"), row.words("needs")};
}

ArrayRules arrays_of(TableValue of) {
  const Row row(of);
  const auto side = [&](std::string_view key) {
    const Row one(row.at(key));
    return ArrayRules::Side{one.text("capsule"), one.text("raises")};
  };
  ArrayRules arrays;
  arrays.package = row.text("package");
  arrays.spoken = row.text("spoken");
  arrays.border = row.text("border");
  arrays.older = side("older");
  arrays.newer = side("newer");
  const Row earlier(row.at("earlier"));
  arrays.earlier_capsule = earlier.text("capsule");
  arrays.earlier_check = earlier.text("checks");
  arrays.types = row.words("types");
  arrays.later = row.words("later");
  arrays.unheeded = row.words("unheeded");
  const Row type(row.at("type"));
  arrays.type = type.text("name");
  arrays.older_size = type.text("older");
  arrays.newer_size = type.text("newer");
  for (const auto& pair : row.at("words").values()) {
    const auto texts = pair.values();
    arrays.words.emplace_back(texts.at(0).text(), texts.at(1).text());
  }
  arrays.least = row.text("least");
  arrays.printed = row.text("printed");
  return arrays;
}

/// The built-in rules, read once for those who ask for a fact of them.
const Rules& built_in_rules() {
  static const auto rules = read_rules(embedded_python_rules(), false);
  return rules;
}

}  // namespace

std::optional<LeftModule> left_module(std::string_view name, std::string_view python) {
  const auto& rules = built_in_rules();
  const auto at = rules.left.find(name);
  if (at == rules.left.end() || python.empty() || version_less(python, at->second.release)) return std::nullopt;
  return at->second;
}

bool TimeOfName::lacks(std::string_view python) const {
  return (!added.empty() && version_less(python, added)) || (!gone.empty() && !version_less(python, gone));
}

TimeOfName time_of_name(const Rules& rules, std::string_view module, std::string_view name, std::string_view python) {
  TimeOfName time;
  const auto rows = rules.names.find(module);
  if (rows == rules.names.end() || python.empty()) return time;
  const bool is_newer = version_less(rules.newest_of_names, python);
  for (const auto& row : rows->second) {
    if (is_newer && row.release != "3.0") continue;  // those of Python 2 have not come back
    if (has_word(row.added, name, is_space)) time.added = row.release;
    if (has_word(row.gone, name, is_space)) time.gone = row.release;
  }
  return time;
}

TimeOfName time_of_name(std::string_view module, std::string_view name, std::string_view python) {
  return time_of_name(built_in_rules(), module, name, python);
}

std::optional<OptionalModule> optional_module(std::string_view name) {
  const auto& rules = built_in_rules();
  const auto at = rules.optional.find(name);
  return at == rules.optional.end() ? std::nullopt : std::optional(at->second);
}

std::string names_source() {
  const TableValue table(embedded_python_rules());
  return std::string(table.at("standard_library").at("names_source").text());
}

std::string name_of_today(std::string_view module, std::string_view name) {
  const TableValue table(embedded_python_rules());
  const auto names = table.at("standard_library").at("names_of_today").at("names");
  return std::string(names.at(std::string(module) + "." + std::string(name)).text());
}

std::string optional_modules_source() {
  const TableValue table(embedded_python_rules());
  return std::string(table.at("standard_library").at("built_with_source").text());
}

Rules read_rules(std::string_view bytes, bool windows) {
  const TableValue table(bytes);
  Rules rules;
  for (const auto& name : table.at("standard_library").at("names").values())
    rules.standard_library.emplace_hint(rules.standard_library.end(), name.text());
  for (const auto& item : table.at("standard_library").at("left").values()) {
    const Row row(item);
    rules.left.emplace(row.at("module").text(), LeftModule{row.at("release").text(), row.at("distribution").text()});
  }
  for (const auto& item : table.at("standard_library").at("names_by_release").values()) {
    const Row row(item);
    rules.names[row.at("module").text()].push_back(
        {row.at("release").text(), row.at("added").text(), row.at("gone").text()});
  }
  rules.newest_of_names = table.at("standard_library").at("names_newest").text();
  for (const auto& item : table.at("standard_library").at("built_with").values()) {
    const Row row(item);
    const auto own = row.texts("own");
    const OptionalModule module{row.at("library").text(), row.at("debian").text(), row.at("fedora").text(),
                                own.empty() ? std::string_view() : own.front(),
                                own.empty() ? std::string_view() : own.back()};
    for (const auto name : row.texts("modules")) rules.optional.emplace(name, module);
  }
  for (const auto& item : table.at("rules").values()) {
    const Row row(item);
    if (const auto system = row.at("system").text(); !system.empty() && (system == "windows") != windows) continue;
    for (const auto call : row.texts("call")) rules.calls.emplace(call, LateRow(item, rule_of));
    for (const auto module : row.texts("elsewhere")) rules.elsewhere.emplace(module, LateRow(item, rule_of));
    for (const auto module : row.texts("module")) rules.modules.emplace(module, LateRow(item, rule_of));
  }
  for (const auto& item : table.at("functions").at("rows").values()) {
    const Row row(item);
    for (const auto call : row.texts("call"))
      rules.functions.emplace(call, StandIn{row.at("as").text(), row.at("built_for").text()});
  }
  for (const auto& item : table.at("settings").at("rows").values()) {
    const Row row(item);
    rules.settings.emplace(row.at("attribute").text(), row.at("is_set").text());
  }
  for (const auto& item : table.at("copied_names").at("rows").values()) {
    const Row row(item);
    const auto attribute = row.at("attribute").text();
    const auto dot = attribute.rfind('.');
    rules.copied_names.emplace(std::pair(attribute.substr(0, dot), attribute.substr(dot + 1)),
                               CopiedNames{row.at("module").text(), row.texts("of")});
  }
  if (const auto arrays = table.at("array_abi"); arrays.is_there()) rules.arrays = arrays_of(arrays);
  for (const auto& [name, item] : table.at("libraries").at("rows").entries())
    rules.libraries.emplace(name, LateRow(item, library_of));
  return rules;
}

}  // namespace cudald::python
