#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// What the name of a wheel says: NAME-VERSION(-BUILD)?-PYTHON-ABI-PLATFORM.whl.
/// Source: the binary distribution format, "File name convention" (PEP 427, PEP 425); the label by PEP 817 (draft).
struct WheelFileName {
  std::string distribution, version;  ///< as written, with `_` for what names and versions do not allow here
  std::string build;                  ///< mostly empty
  std::vector<std::string> python_tags, abi_tags, platform_tags;  ///< one wheel can have several of each
  std::string variant = {};  ///< the label of a variant wheel: "cu128"; mostly empty
};

/// nullopt if `file_name` (without a folder) is no wheel's.
std::optional<WheelFileName> parse_wheel_file_name(std::string_view file_name);

// No wheel that is known has a tenth of these.
constexpr std::size_t most_requirements = 10'000;
constexpr std::size_t most_requirement_bytes = 16'384;
constexpr std::size_t most_wheel_tags = 10'000;

/// METADATA. Fields that are not there are empty; of those given twice the first counts, as for pip.
struct WheelMetadata {
  std::string name, version, requires_python;
  std::vector<std::string> requires_dist;  ///< each line as written
  bool complete = true;                    ///< false: there are more or longer lines than are kept
};

WheelMetadata parse_wheel_metadata(std::string_view text);

/// WHEEL.
struct WheelSettings {
  std::string wheel_version;
  std::vector<std::string> tags;
  bool complete = true;  ///< false: there are more than are kept
};

WheelSettings parse_wheel_settings(std::string_view text);

/// One row of RECORD; the views lead into the text or the Record.
struct RecordRow {
  std::string_view path;
  std::string_view algorithm;  ///< "sha256"; empty if there is no hash
  std::string_view hash;       ///< in URL-safe base64 without padding
  std::optional<std::uint64_t> size;
};

/// RECORD: a table of comma-separated values, one row for each file.
struct Record {
  std::vector<RecordRow> rows;
  std::size_t broken_rows = 0;        ///< without three columns, or with a size that is no number
  bool complete = true;               ///< false: there are more rows than most_zip_members
  std::deque<std::string> unescaped;  ///< paths that were written with doubled quotes
};

/// `text` must live as long as the result. With `part` only lines are taken apart that hold it.
Record parse_record(std::string_view text, std::string_view part = {});

/// Hexadecimal digits as RECORD has them: base64 for URLs, without padding. Source: RFC 4648, 5.
std::string record_digest(std::string_view hexadecimal);

/// "Nvidia_Cublas.CU12" -> "nvidia-cublas-cu12". Source: PEP 503.
std::string normal_distribution_name(std::string_view);

/// A form in which the usual spellings of one version are equal: "1.0.0", "v1.0"; "2.1+CU121", "2.1_cu121"
/// Source: PEP 440, "Normalization"; good enough to tell different versions apart, not to order them.
std::string normal_version(std::string_view);

}  // namespace cudald
