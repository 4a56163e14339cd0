#include "cli/commands/config.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "cli/options/option_table.h"
#include "cli/options/policy_table.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

/// A basic string of TOML.
std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : escaped(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

bool is_list(const std::string& key) {
  const auto* rule = find_option(key);
  return rule != nullptr && rule->in_files == InFiles::list;
}

std::string value_text(const std::string& key, const Setting& setting) {
  if (setting.values.size() == 1 && !is_list(key))
    return setting.values[0] == "true" || setting.values[0] == "false" ? setting.values[0]
                                                                       : toml_text(setting.values[0]);
  std::vector<std::string> values;
  for (const auto& value : setting.values) values.push_back(toml_text(value));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

void show_text(const Settings& settings, std::ostream& out) {
  for (const auto& file : settings.files) out << fmt::format("# read: {}\n", escaped(file));
  if (settings.files.empty()) out << "# no cudald.toml and no pyproject.toml with [tool.cudald] was found\n";
  for (const auto& [key, setting] : settings.keys)
    out << fmt::format("{} = {}  # {}\n", key, value_text(key, setting), escaped(setting.origin));
  for (const auto& entry : settings.suppressions) {
    out << fmt::format("\n[[ignore]]  # {}\ncode = {}\n", escaped(entry.origin), toml_text(entry.code));
    if (!entry.object.empty()) out << "object = " << toml_text(entry.object) << '\n';
    if (!entry.subject.empty()) out << "subject = " << toml_text(entry.subject) << '\n';
    out << "reason = " << toml_text(entry.reason) << '\n';
    if (!entry.until.empty()) out << "until = " << entry.until << '\n';
  }
}

void show_json(const Settings& settings, bool compact, std::ostream& out) {
  Json::array_t keys;
  for (const auto& [key, setting] : settings.keys)
    keys.push_back(JsonObject(3)
                       .add("key", json_text(key))
                       .add("values", json_texts(setting.values))
                       .add("from", json_text(setting.origin))
                       .take());
  const auto entry_json = [](const Suppression& entry) {
    return JsonObject(6)
        .add("code", json_text(entry.code))
        .add("object", json_text_or_null(entry.object))
        .add("subject", json_text_or_null(entry.subject))
        .add("reason", json_text(entry.reason))
        .add("until", json_text_or_null(entry.until))
        .add("from", json_text(entry.origin))
        .take();
  };
  write_document(JsonObject(5)
                     .add("schema", "cudald/config")
                     .add("schema_version", "1.0")
                     .add("files", json_texts(settings.files))
                     .add("settings", std::move(keys))
                     .add("ignore", json_array(settings.suppressions, entry_json))
                     .take(),
                 compact, out);
}

std::string example_of(const OptionRule& rule) {
  std::string value = "true";
  if (!rule.values.empty())
    value = fmt::format("\"{}\"", rule.values.substr(0, rule.values.find('|')));
  else if (rule.takes_value())
    value = fmt::format("\"{}\"", rule.argument);
  return rule.in_files == InFiles::list ? "[" + value + "]" : value;
}

void write_template(std::ostream& out) {
  out << "# cudald.toml, or the table [tool.cudald] of pyproject.toml. `cudald config show` says what counts.\n";
  for (const auto& rule : option_table())
    if (rule.in_files != InFiles::no)
      out << fmt::format("\n# {}\n# {} = {}\n", rule.summary, rule.name, example_of(rule));
  out << "\n[policy]  # what the packager forbids\n";
  for (const auto& row : policy_table()) out << fmt::format("\n# {}\n# {} = {}\n", row.summary, row.name, row.example);
  out << "\n# What is known and accepted, each with its reason, and with a last day if it is to go again.\n# "
         "[[ignore]]\n"
         "# code = \"CUD302\"\n# object = \"libcurand*\"\n# reason = \"shared by both\"\n# until = 2027-01-01\n";
}

}  // namespace

void write_config(const Options& options, const Settings& settings, std::ostream& out) {
  if (options.arguments.front() == "init")
    write_template(out);
  else if (options.output.format == OutputFormat::text)
    show_text(settings, out);
  else
    show_json(settings, options.output.format == OutputFormat::ndjson, out);
}

}  // namespace cudald
