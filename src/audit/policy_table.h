#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>

#include "machine/abi.h"

namespace cudald {

struct Image;  // cudald/image.h

/// The policies of one family for one machine, the oldest first. A policy is known by its place in that order; what
/// one allows, all newer ones allow. Source of the facts: data/manylinux.json, which names its own.
class PolicyTable {
 public:
  /// nullptr for a machine that no policy is known for. Machines are named as in platform tags: "x86_64", "i686".
  static const PolicyTable* find(LibcKind, std::string_view machine);

  const std::string& family() const { return family_; }  ///< "manylinux" or "musllinux"
  std::size_t count() const { return names_.size(); }
  std::string tag(std::size_t policy) const { return names_[policy] + "_" + machine_; }
  /// Why files alone cannot show that they fit this policy; empty if they can.
  const std::string& unproven(std::size_t policy) const { return unproven_[policy]; }

  /// The libraries that a policy promises, sorted.
  std::vector<std::string> libraries(std::size_t policy) const;

  // The oldest policy that allows something; count() if none does.
  std::size_t first_with_library(const std::string& name) const { return first(libraries_, name); }
  /// 0 for a version whose prefix is not restricted: "GLIBC_2.34" has the prefix GLIBC.
  std::size_t first_with_version(const std::string& version) const;
  std::size_t first_with_symbol(const std::string& library, const std::string& symbol) const;
  bool forbids_symbols_of(const std::string& library, std::size_t policy) const;

  /// The policy that a platform tag of this family and machine stands for: the oldest known that is as new as the tag
  /// says. nullopt if the tag is another's; count() if it is newer than all.
  std::optional<std::size_t> find_tag(std::string_view platform_tag) const;

 private:
  using Since = std::map<std::string, std::size_t, std::less<>>;

  std::size_t first(const Since& facts, const std::string& name) const {
    const auto known = facts.find(name);
    return known == facts.end() ? count() : known->second;
  }

  friend std::vector<PolicyTable> read_policy_tables();

  LibcKind libc_{};
  std::string family_, machine_;
  std::vector<std::string> names_, unproven_;
  Since aliases_;  ///< "manylinux2014" -> policy
  Since libraries_;
  std::map<std::string, Since, std::less<>> versions_;         ///< by prefix, then the rest of the version
  std::map<std::string, Since, std::less<>> allowed_symbols_;  ///< by library: forbidden until that policy
};

/// "x86_64" as platform tags name the machine of a file; empty for machines that have no such tag.
/// Source: PEP 600; for ARM PEP 599, which asks for ARMv7 with hard float.
std::string_view tag_machine(const Image&);
/// The ABI of the machine that platform tags name; nullptr if they name none, or several.
const Abi* abi_of_tags(const std::vector<std::string>& tags);
/// The same; of tags that name none the usual one of the machine that was asked for, if one was.
const Abi* abi_of_tags(const std::vector<std::string>& tags, const std::optional<std::uint16_t>& asked_for);

/// Where the table comes from, for the evidence: its sources and the day on which it was checked.
std::string policy_source();

}  // namespace cudald
