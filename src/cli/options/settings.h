#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/policy.h>
#include <cudald/result.h>

namespace cudald {

/// What a key stands for, and where that is written.
struct Setting {
  std::vector<std::string> values;
  std::string origin;  ///< "/src/cudald.toml:3", "CUDALD_FAIL_ON", "--config"
};

/// A finding that is not to be reported, and why.
struct Suppression {
  std::string code;             ///< or the beginning of codes
  std::string object, subject;  ///< patterns; empty: any
  std::string reason;
  std::string until;  ///< "2027-01-01": the last day on which it counts; empty: for ever
  std::string origin;
};

/// All that files and variables set, the strongest of each key.
struct Settings {
  std::map<std::string, Setting> keys;  ///< names of options, and "policy.max-glibc"
  std::vector<Suppression> suppressions;
  std::vector<std::string> files;  ///< that were read, the strongest first

  Policy policy() const;
};

/// Where settings may come from.
struct SettingSources {
  std::vector<std::string> config;  ///< of --config: FILE or KEY=VALUE
  bool isolated = false;
  std::string cwd;
  std::map<std::string, std::string> variables;
};

/// --config, CUDALD_* variables, the nearest cudald.toml and pyproject.toml upwards, the user's own file. Error{usage}
/// for what is no TOML, for unknown keys, with the one that was probably meant, and for values that do not fit.
Result<Settings> read_settings(const SettingSources&, const FileSystem&);

/// Names that a configuration may have, beside those of [policy] and `ignore`.
std::vector<std::string_view> setting_names();

}  // namespace cudald
