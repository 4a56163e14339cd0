#include "cli/options/policy_table.h"

#include <algorithm>
#include <array>

#include <cudald/writers.h>

#include <fmt/format.h>

#include "cli/options/option_values.h"

namespace cudald {
namespace {

using Complaint = std::optional<std::string>;
using Values = const std::vector<std::string>&;

/// Numbers with points between: "2.28".
template <std::string Policy::* field>
Complaint version(Policy& policy, Values values) {
  if (values.size() != 1) return "expected one version";
  const auto& text = values.front();
  const bool odd = text.empty() || text.find_first_not_of("0123456789.") != std::string::npos || text.front() == '.' ||
                   text.back() == '.' || text.find("..") != std::string::npos;
  if (odd) return fmt::format("`{}`", escaped(text)) + " is not a version";
  policy.*field = text;
  return std::nullopt;
}

template <bool Policy::* field>
Complaint flag(Policy& policy, Values values) {
  if (values.size() != 1 || (values.front() != "true" && values.front() != "false")) return "expected true or false";
  policy.*field = values.front() == "true";
  return std::nullopt;
}

template <std::vector<GpuArchitecture> Policy::* field>
Complaint gpus(Policy& policy, Values values) {
  (policy.*field).clear();
  for (const auto& value : values)
    if (auto complaint = add_gpu(policy.*field, value)) return complaint;
  return std::nullopt;
}

Complaint allow(Policy& policy, Values values) {
  policy.allowed_libraries = values;
  return std::nullopt;
}

Complaint forbid_rpaths(Policy& policy, Values values) {
  policy.forbidden_rpath = values;
  return std::nullopt;
}

constexpr std::array policy_rows = {
    PolicyRow{"max-glibc", "\"2.28\"", "the newest version of glibc that files may need (CUD701)",
              version<&Policy::max_glibc>},
    PolicyRow{"max-glibcxx", "\"3.4.25\"", "the same of libstdc++ (CUD702)", version<&Policy::max_glibcxx>},
    PolicyRow{"allowed-libraries", "[\"libc.so.6\", \"libm.so.6\", \"libcuda.so.1\"]",
              "the only libraries that may come from outside, with * for any characters (CUD703)", allow},
    PolicyRow{"forbid-absolute-rpath", "true",
              "no DT_RPATH or DT_RUNPATH names a directory by an absolute path (CUD704)",
              flag<&Policy::forbid_absolute_rpath>},
    PolicyRow{"forbidden-rpath", "[\"/usr/local/cuda*\"]", "nor one that fits any of these patterns (CUD704)",
              forbid_rpaths},
    PolicyRow{"required-gpus", "[\"sm_80\", \"sm_90\"]", "GPUs that each library with GPU code must serve (CUD705)",
              gpus<&Policy::required_gpus>},
    PolicyRow{"forbidden-gpus", "[\"sm_35\"]", "GPUs for which no code may be contained (CUD706)",
              gpus<&Policy::forbidden_gpus>},
    PolicyRow{"max-driver", "\"535.104\"", "the newest NVIDIA driver that may be needed (CUD707)",
              version<&Policy::max_driver>},
    PolicyRow{"forbid-bundled-cuda", "true", "no library of CUDA in the package, under whatever name (CUD502)",
              flag<&Policy::forbid_bundled_cuda>},
    PolicyRow{"forbid-executable-stack", "true", "no file requires an executable stack (CUD708)",
              flag<&Policy::forbid_executable_stack>},
    PolicyRow{"forbid-text-relocations", "true", "no file has text relocations (CUD709)",
              flag<&Policy::forbid_text_relocations>},
    PolicyRow{"abi3", "true", "what claims CPython's stable ABI uses nothing else (CUD510; on unless it is false)",
              flag<&Policy::check_abi3>},
};

}  // namespace

std::span<const PolicyRow> policy_table() { return policy_rows; }

const PolicyRow* find_policy(std::string_view name) {
  const auto* const found =
      std::find_if(policy_rows.begin(), policy_rows.end(), [name](const PolicyRow& each) { return each.name == name; });
  return found == policy_rows.end() ? nullptr : found;
}

}  // namespace cudald
