#include "python/rules.h"

#include <nlohmann/json.hpp>

namespace cudald::python {
namespace {

using Json = nlohmann::json;

std::vector<std::string> words(const Json& json, const char* key) {
  std::vector<std::string> result;
  if (const auto at = json.find(key); at != json.end()) {
    if (at->is_string())
      result.push_back(at->get<std::string>());
    else
      result = at->get<std::vector<std::string>>();
  }
  return result;
}

std::vector<RuleStep> read_steps(const Json& json, const char* key) {
  std::vector<RuleStep> steps;
  if (!json.contains(key)) return steps;
  for (const auto& item : json.at(key)) {
    RuleStep step;
    step.load = words(item, "load");
    step.all = item.value("all", false);
    step.global = item.value("global", false);
    step.required = item.value("required", true);
    step.import = item.value("import", "");
    step.library = item.value("library", "");
    step.if_value = item.value("if_value", "");
    step.if_at_least = words(item, "if_at_least");
    step.if_source = item.value("if_source", "");
    step.if_mapped = item.value("if_mapped", "");
    step.mentions = words(item, "mentions");
    step.then = read_steps(item, "then");
    step.on_failure = read_steps(item, "on_failure");
    step.again = item.value("again", false);
    step.raises = item.value("raises", "");
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Rules read_rules(std::string_view text, bool windows) {
  const auto json = Json::parse(text);
  Rules rules;
  for (const auto& name : json.at("standard_library").at("names"))
    rules.standard_library.insert(name.get<std::string>());
  for (const auto& item : json.at("rules")) {
    if (const auto system = item.value("system", ""); !system.empty() && (system == "windows") != windows) continue;
    Rule rule;
    rule.call = item.value("call", "");
    rule.module = item.value("module", "");
    rule.values = item.value("values", std::map<std::string, std::string>());
    rule.steps = read_steps(item, "steps");
    rule.returns = item.value("returns", "");
    for (const auto& name : words(item, "imports")) {
      RuleStep step;
      step.import = name;
      step.required = false;
      rule.steps.push_back(std::move(step));
    }
    if (item.contains("soft"))
      for (const auto& soft : item.at("soft"))
        rule.soft.push_back({soft.at("name").get<std::string>(), soft.value("note", ""), soft.value("gpu", false),
                             soft.value("global", false)});
    rule.source = item.at("source").get<std::string>();
    auto& table = rule.call.empty() ? rules.modules : rules.calls;
    table.emplace(rule.call.empty() ? rule.module : rule.call, std::move(rule));
  }
  for (const auto& [name, item] : json.at("libraries").at("rows").items())
    rules.libraries.emplace(name, LibraryRow{words(item, "names"), words(item, "folders"), words(item, "needs")});
  return rules;
}

}  // namespace cudald::python
