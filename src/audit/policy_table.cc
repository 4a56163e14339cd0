#include "audit/policy_table.h"

#include <elf.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/json.h"
#include "base/path.h"
#include "embedded.h"

namespace cudald {
namespace {

const nlohmann::json& policy_document() {
  static const auto parsed = parse_table(embedded_manylinux());
  return parsed;
}

/// "2_17" -> {2, 17}; nullopt for anything else.
std::optional<std::pair<int, int>> two_numbers(std::string_view text) {
  std::pair<int, int> numbers;
  const auto bar = text.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto read = [](std::string_view digits, int& into) {
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return fault == std::errc() && end == digits.data() + digits.size() && into >= 0;
  };
  if (!read(text.substr(0, bar), numbers.first) || !read(text.substr(bar + 1), numbers.second)) return std::nullopt;
  return numbers;
}

}  // namespace

std::vector<PolicyTable> read_policy_tables() {
  std::vector<PolicyTable> tables;
  for (const auto& family : policy_document().at("families")) {
    for (const auto& [machine, row] : family.at("machines").items()) {
      PolicyTable table;
      table.libc_ = family.at("libc") == "musl" ? LibcKind::musl : LibcKind::glibc;
      table.family_ = family.at("family");
      table.machine_ = machine;
      // Facts of policies that are older than the machine hold from its first policy on.
      std::map<std::string, std::size_t> places;
      bool known = false;
      for (const auto& policy : family.at("policies")) {
        const std::string name = policy.at("name");
        known |= name == row.at("from").get_ref<const std::string&>();
        places[name] = table.names_.size();
        for (const auto& alias : policy.at("aliases")) table.aliases_[alias] = table.names_.size();
        if (!known) continue;
        table.names_.push_back(name);
        table.unproven_.push_back(policy.value("unproven", ""));
      }
      places["never"] = table.names_.size();
      const auto add = [&places](const nlohmann::json& lists, PolicyTable::Since& facts) {
        for (const auto& [policy, names] : lists.items())
          for (const auto& name : names) facts[name] = places.at(policy);
      };
      add(family.at("libraries"), table.libraries_);
      for (const auto& library : row.at("libraries")) table.libraries_[library] = 0;
      for (const auto& [prefix, lists] : row.at("versions").items()) add(lists, table.versions_[prefix]);
      for (const auto& [library, lists] : family.at("forbidden_symbols").items())
        add(lists, table.allowed_symbols_[library]);
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::vector<std::string> PolicyTable::libraries(std::size_t policy) const {
  std::vector<std::string> names;
  for (const auto& [name, since] : libraries_)
    if (since <= policy) names.push_back(name);
  return names;
}

const PolicyTable* PolicyTable::find(LibcKind libc, std::string_view machine) {
  static const auto tables = read_policy_tables();
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const PolicyTable& table) {
    return table.libc_ == libc && table.machine_ == machine;
  });
  return found == tables.end() ? nullptr : &*found;
}

std::size_t PolicyTable::first_with_version(const std::string& version) const {
  const auto bar = version.find('_');
  if (bar == std::string::npos) return 0;
  const auto prefix = versions_.find(version.substr(0, bar));
  return prefix == versions_.end() ? 0 : first(prefix->second, version.substr(bar + 1));
}

std::size_t PolicyTable::first_with_symbol(const std::string& library, const std::string& symbol) const {
  const auto known = allowed_symbols_.find(library);
  if (known == allowed_symbols_.end()) return 0;
  const auto since = known->second.find(symbol);
  return since == known->second.end() ? 0 : since->second;
}

bool PolicyTable::forbids_symbols_of(const std::string& library, std::size_t policy) const {
  const auto known = allowed_symbols_.find(library);
  return known != allowed_symbols_.end() && std::any_of(known->second.begin(), known->second.end(),
                                                        [policy](const auto& entry) { return entry.second > policy; });
}

std::optional<std::size_t> PolicyTable::find_tag(std::string_view platform_tag) const {
  const auto end = "_" + machine_;
  if (!platform_tag.starts_with(family_) || !platform_tag.ends_with(end)) return std::nullopt;
  platform_tag.remove_suffix(end.size());
  if (const auto alias = aliases_.find(platform_tag); alias != aliases_.end()) return alias->second;
  const auto version_of = [this](std::string_view name) {
    return two_numbers(name.substr(std::min(family_.size() + 1, name.size())));
  };
  const auto wanted = version_of(platform_tag);
  if (!wanted) return std::nullopt;
  for (std::size_t policy = 0; policy < count(); ++policy)
    if (version_of(names_[policy]) >= wanted) return policy;
  return count();
}

std::string_view tag_machine(const Image& image) {
  struct Row {
    std::uint16_t machine;
    Format format;
    ByteOrder order;
    std::string_view name;
  };
  constexpr std::uint16_t loongarch = 258;  // newer than some systems' elf.h
  constexpr Row rows[] = {
      {EM_X86_64, Format::elf64, ByteOrder::little, "x86_64"},
      {EM_386, Format::elf32, ByteOrder::little, "i686"},
      {EM_AARCH64, Format::elf64, ByteOrder::little, "aarch64"},
      {EM_ARM, Format::elf32, ByteOrder::little, "armv7l"},
      {EM_PPC64, Format::elf64, ByteOrder::little, "ppc64le"},
      {EM_S390, Format::elf64, ByteOrder::big, "s390x"},
      {EM_RISCV, Format::elf64, ByteOrder::little, "riscv64"},
      {loongarch, Format::elf64, ByteOrder::little, "loongarch64"},
  };
  constexpr std::uint32_t eabi_5_hard_float = EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD;
  for (const auto& row : rows) {
    if (row.machine != image.machine || row.format != image.format || row.order != image.byte_order) continue;
    const bool old_arm = row.machine == EM_ARM &&
                         (image.elf.header.flags & (EF_ARM_EABIMASK | EF_ARM_ABI_FLOAT_HARD)) != eabi_5_hard_float;
    return old_arm ? "" : row.name;
  }
  return "";
}

const Abi* abi_of_tags(const std::vector<std::string>& tags) {
  const Abi* found = nullptr;
  for (const auto& abi : all_abis()) {
    Image like;
    like.machine = abi.machine;
    like.format = abi.format;
    like.byte_order = abi.byte_order;
    if (abi.machine == EM_ARM) like.elf.header.flags = EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD;
    const auto machine = tag_machine(like);
    if (machine.empty()) continue;
    const auto names_it = [&](const std::string& tag) { return tag.ends_with("_" + std::string(machine)); };
    if (std::none_of(tags.begin(), tags.end(), names_it)) continue;
    if (found != nullptr) return nullptr;
    found = &abi;
  }
  return found;
}

const Abi* abi_of_tags(const std::vector<std::string>& tags, const std::optional<std::uint16_t>& asked_for) {
  const auto* abi = abi_of_tags(tags);
  return abi == nullptr && asked_for ? usual_abi(*asked_for) : abi;
}

std::string policy_source() {
  std::string text;
  for (const auto& source : policy_document().at("sources")) text += source.get<std::string>() + "; ";
  return text + "checked " + policy_document().at("checked").get<std::string>();
}

}  // namespace cudald
