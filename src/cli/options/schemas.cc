#include "cli/options/schemas.h"

#include "embedded.h"

namespace cudald {
namespace {

struct SchemaRow {
  std::string_view name;
  std::string_view (*text)();
};

constexpr SchemaRow schema_rows[] = {
    {"report", embedded_report_schema},
    {"wheel", embedded_wheel_schema},
    {"image", embedded_image_schema},
    {"env", embedded_env_schema},
    {"provides", embedded_provides_schema},
    {"diff", embedded_diff_schema},
    {"repair", embedded_repair_schema},
    {"why", embedded_why_schema},
    {"requesters", embedded_requesters_schema},
    {"rules", embedded_rules_schema},
    {"config", embedded_config_schema},
    {"message", embedded_message_schema},
    {"host", embedded_host_schema},
    {"baseline", embedded_baseline_schema},
    {"deployment", embedded_deployment_schema},
    {"scan-record", embedded_scan_record_schema},
    {"scan-list", embedded_scan_list_schema},
};

}  // namespace

std::optional<std::string_view> schema_of(std::string_view name) {
  for (const auto& row : schema_rows)
    if (row.name == name) return row.text();
  return std::nullopt;
}

std::vector<std::string_view> schema_names() {
  std::vector<std::string_view> names;
  for (const auto& row : schema_rows) names.push_back(row.name);
  return names;
}

}  // namespace cudald
