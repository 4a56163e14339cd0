#include "knowledge/tables.h"

#include <algorithm>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

/// The latest day that stands anywhere in a table as `checked`.
std::string latest_day(const nlohmann::json& value) {
  std::string latest;
  if (value.is_object())
    if (const auto checked = value.find("checked"); checked != value.end() && checked->is_string())
      latest = checked->get<std::string>();
  if (value.is_structured())
    for (const auto& part : value) latest = std::max(latest, latest_day(part));
  return latest;
}

}  // namespace

std::vector<TableDay> table_days(const Knowledge& knowledge) {
  using Table = std::string_view (*)();
  static const std::vector<TableDay> of_files = [] {
    constexpr std::pair<const char*, Table> files[] = {
        {"changed-names", embedded_changed_names},
        {"conda-packages", embedded_conda_packages},
        {"debian-libraries", embedded_debian_libraries},
        {"first-seen", embedded_first_seen},
        {"frameworks", embedded_frameworks},
        {"gpu-use", embedded_gpu_use},
        {"known-dlopens", embedded_known_dlopens},
        {"linux-names", embedded_linux_names},
        {"manylinux", embedded_manylinux},
        {"messages", embedded_messages},
        {"module-names", embedded_module_names},
        {"newest-releases", embedded_newest_releases},
        {"providers", embedded_providers},
        {"python-rules", embedded_python_rules},
        {"requirements", embedded_requirements},
        {"system-packages", embedded_system_packages},
        {"system-releases", embedded_system_releases},
        {"windows", embedded_windows},
    };
    std::vector<TableDay> days;
    for (const auto& [name, table] : files) days.push_back({name, latest_day(parse_table(table()))});
    return days;
  }();
  auto days = of_files;
  for (auto& each : days)
    if (const auto* newer = knowledge.newer_table(each.table)) each.day = latest_day(*newer);
  for (const auto& [section, day] : knowledge.days()) days.push_back({"cuda, " + section, day});
  std::sort(days.begin(), days.end(), [](const TableDay& a, const TableDay& b) { return a.table < b.table; });
  return days;
}

}  // namespace cudald
