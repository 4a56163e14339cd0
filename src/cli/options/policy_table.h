#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/policy.h>

namespace cudald {

/// One rule of the table [policy]: `config init` and the documentation are made from this row as well.
struct PolicyRow {
  std::string_view name;     ///< "max-glibc"
  std::string_view example;  ///< as TOML writes it
  std::string_view summary;  ///< one line
  /// Enters the values; returns what is wrong with them, or nothing.
  std::optional<std::string> (*apply)(Policy&, const std::vector<std::string>& values);
};

std::span<const PolicyRow> policy_table();
const PolicyRow* find_policy(std::string_view name);

}  // namespace cudald
