#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "binary/elf/symbol_table.h"
#include "machine/host_library.h"
#include "machine/json_row.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t digits_of_name = 8;  // 48 bits in base64

constexpr std::uint32_t undefined_bit = 1, absolute_bit = 2, zero_bit = 4;
constexpr std::uint32_t weak_bit = 1, defined_bit = 2, protected_bit = 4, lazy_bit = 8, immediate_bit = 16,
                        plt_bit = 32, data_bit = 64, copy_bit = 128;

std::string packed(const std::vector<std::uint64_t>& names) {
  std::string text;
  text.reserve(names.size() * digits_of_name);
  for (const auto name : names)
    for (int shift = 42; shift >= 0; shift -= 6) text += digits[name >> shift & 63];
  return text;
}

std::vector<std::uint64_t> unpacked(std::string_view text) {
  static const auto values = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < digits.size(); ++i)
      table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    return table;
  }();
  std::vector<std::uint64_t> names(text.size() / digits_of_name);
  for (std::size_t i = 0; i < names.size() * digits_of_name; ++i)
    names[i / digits_of_name] = names[i / digits_of_name] << 6 | values[static_cast<unsigned char>(text[i])];
  return names;
}

std::uint32_t flags_of(const DescribedSymbols::Group& group) {
  return (group.undefined ? undefined_bit : 0) | (group.absolute ? absolute_bit : 0) | (group.zero ? zero_bit : 0);
}

std::uint32_t flags_of(const DescribedSymbols::Reference& reference) {
  const auto& use = reference.use;
  return (reference.weak ? weak_bit : 0) | (reference.defined ? defined_bit : 0) |
         (reference.is_protected ? protected_bit : 0) | (use.lazy ? lazy_bit : 0) |
         (use.immediate ? immediate_bit : 0) | (use.plt_class ? plt_bit : 0) | (use.data_class ? data_bit : 0) |
         (use.copy ? copy_bit : 0);
}

DescribedSymbols::Reference reference_of(std::uint16_t version, std::uint32_t flags, std::string name) {
  DescribedSymbols::Reference reference{
      std::move(name), version, (flags & weak_bit) != 0, (flags & defined_bit) != 0, (flags & protected_bit) != 0, {}};
  reference.use.lazy = (flags & lazy_bit) != 0;
  reference.use.immediate = (flags & immediate_bit) != 0;
  reference.use.plt_class = (flags & plt_bit) != 0;
  reference.use.data_class = (flags & data_bit) != 0;
  reference.use.copy = (flags & copy_bit) != 0;
  return reference;
}

}  // namespace

Json symbols_row(const SymbolTable& table) {
  const auto symbols = table.describe();
  Json row = Json::object();
  if (symbols.has_versions) row["versions"] = true;
  if (!symbols.complete) row["incomplete"] = true;
  for (const auto& group : symbols.definitions)
    row["defined"].push_back(
        Json::array({group.info, group.other, group.version, flags_of(group), packed(group.names)}));
  // One list for each run of references that differ in nothing but their names.
  std::optional<std::pair<std::uint16_t, std::uint32_t>> run;
  for (const auto& reference : symbols.references) {
    const std::pair kind(reference.version, flags_of(reference));
    if (run != kind) row["asks"].push_back(Json::array({kind.first, kind.second}));
    run = kind;
    row["asks"].back().push_back(valid_utf8(reference.name));
  }
  return row;
}

std::shared_ptr<const SymbolTable> read_symbols_row(const nlohmann::json& json, std::shared_ptr<const Image> image) {
  const JsonRow row(json);
  DescribedSymbols symbols;
  symbols.has_versions = row.flag("versions");
  symbols.complete = !row.flag("incomplete");
  if (const auto& list = row.at("defined"); list.is_array())
    for (const auto& item : list) {
      if (!item.is_array() || item.size() != 5 || !item[4].is_string()) continue;
      const auto flags = JsonRow::number<std::uint32_t>(item[3]);
      symbols.definitions.push_back({JsonRow::number<std::uint8_t>(item[0]), JsonRow::number<std::uint8_t>(item[1]),
                                     JsonRow::number<std::uint16_t>(item[2]), (flags & undefined_bit) != 0,
                                     (flags & absolute_bit) != 0, (flags & zero_bit) != 0,
                                     unpacked(item[4].get_ref<const std::string&>())});
    }
  if (const auto& list = row.at("asks"); list.is_array())
    for (const auto& item : list) {
      if (!item.is_array() || item.size() < 3) continue;
      const auto version = JsonRow::number<std::uint16_t>(item[0]);
      const auto flags = JsonRow::number<std::uint32_t>(item[1]);
      for (std::size_t at = 2; at < item.size(); ++at)
        if (item[at].is_string())
          symbols.references.push_back(reference_of(version, flags, item[at].get<std::string>()));
    }
  return SymbolTable::of(symbols, std::move(image));
}

}  // namespace cudald
