#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// METADATA with these further lines of Requires-Dist, behind those that it has.
std::string with_requirements(std::string_view metadata, const std::vector<std::string>& requirements);

/// WHEEL for another platform: "Tag: cp311-cp311-linux_x86_64" is "Tag: cp311-cp311-manylinux_2_28_x86_64" then.
std::string with_platform(std::string_view wheel, std::string_view platform);
/// The same of a wheel's file name.
std::string renamed_for_platform(std::string_view file_name, std::string_view platform);

/// What RECORD says of a member.
struct RecordedMember {
  std::string sha256;  ///< in hexadecimal digits
  std::uint64_t size = 0;
  bool is_gone = false;
};

/// An SBOM after these SHA-256 digests, in hexadecimal digits, became others. CycloneDX and SPDX write them so.
std::string with_digests(std::string sbom, const std::map<std::string, std::string>& digests);

/// RECORD after these members were changed, by their paths. All other lines stay as they are.
std::string with_members(std::string_view record, const std::map<std::string, RecordedMember, std::less<>>&);

}  // namespace cudald
