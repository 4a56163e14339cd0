#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "binary/bytes/readers.h"
#include "binary/pe/pe_memory.h"

namespace cudald {
namespace {

constexpr std::size_t longest_name = 1 << 16;
constexpr std::size_t most_symbol_defects = 100;
constexpr std::size_t most_symbol_text = 16 << 20;  // of all names together: many entries may share one long name
constexpr std::size_t cost_of_a_bad_symbol = 4096;  // it may have been followed a long way
constexpr std::size_t most_functions = 1 << 18;     // imported; large libraries have some thousands
constexpr std::size_t most_exports = 1 << 16;       // ordinals and indexes have 16 bits

class SymbolReader {
 public:
  SymbolReader(const File& file, const Image& image, Budget& budget)
      : image_(image),
        pe_(*image.pe),
        memory_(file, pe_, &budget),
        tables_(file, pe_, &budget),
        budget_(budget),
        wide_(image.format == Format::pe32_plus) {}

  PeSymbols read() {
    for (const auto& dll : pe_.imports) symbols_.imports.push_back(functions_of(dll));
    if (pe_.exports_at != 0) read_exports();
    find_forwarder_loops();
    return std::move(symbols_);
  }

 private:
  void defect(std::string message, bool limit = false) {
    // What is not read for want of budget is no fault of the file; the limit itself is told at the end.
    if (budget_.exhausted()) return;
    if (symbols_.defects.size() < most_symbol_defects)
      symbols_.defects.push_back({std::move(message), std::nullopt, limit});
  }

  /// Counts the bytes; nullopt too if there is no room for more.
  std::optional<std::string> name_at(std::uint64_t address) {
    auto text = memory_.string(address, longest_name);
    text_size_ += text ? text->size() : cost_of_a_bad_symbol;
    if (text_size_ > most_symbol_text) text.reset();
    return text;
  }

  std::uint64_t relative(const ImportedDll& dll, std::uint64_t address) const {
    return dll.absolute_addresses ? address - pe_.image_base : address;
  }

  std::vector<ImportedFunction> functions_of(const ImportedDll& dll) {
    std::vector<ImportedFunction> functions;
    const std::uint64_t step = wide_ ? 8 : 4, by_ordinal = std::uint64_t{1} << (wide_ ? 63 : 31);
    for (std::uint64_t at = dll.names_at;; at += step) {
      const auto entry =
          wide_ ? tables_.number<std::uint64_t>(at) : std::optional<std::uint64_t>(tables_.number<std::uint32_t>(at));
      if (!entry) {
        defect(fmt::format("the table of functions imported from {} has no end inside its section", dll.name));
        break;
      }
      if (*entry == 0) break;
      if (++function_count_ > most_functions || text_size_ > most_symbol_text) {
        tell_that_full();
        break;
      }
      if ((*entry & by_ordinal) != 0) {
        functions.push_back({"", static_cast<std::uint16_t>(*entry)});
        continue;
      }
      // Two bytes of hint come before the name.
      auto name = name_at(relative(dll, *entry) + 2);
      if (!name || name->empty()) {
        if (text_size_ > most_symbol_text) {
          tell_that_full();
          break;
        }
        defect(fmt::format("the name of a function imported from {} is outside the sections or has no end", dll.name));
        break;
      }
      functions.push_back({std::move(*name), 0});
    }
    return functions;
  }

  void tell_that_full() {
    if (!std::exchange(full_, true)) defect("imports more functions, or longer names, than are read", true);
  }

  // Microsoft's "PE Format", The .edata Section.
  void read_exports() {
    const auto header = memory_.bytes(pe_.exports_at, 40);
    const ByteReader directory(header, ByteOrder::little);
    if (!directory.holds(0, 40)) return;  // as was said when the image was read
    const auto base = directory.unchecked<std::uint32_t>(16);
    const auto count = limited(directory.unchecked<std::uint32_t>(20), "functions");
    const auto name_count = limited(directory.unchecked<std::uint32_t>(24), "names");
    const auto addresses = table<std::uint32_t>(directory.unchecked<std::uint32_t>(28), count, "addresses");
    const auto names = table<std::uint32_t>(directory.unchecked<std::uint32_t>(32), name_count, "names");
    const auto indexes = table<std::uint16_t>(directory.unchecked<std::uint32_t>(36), name_count, "ordinals");

    std::vector<bool> named(addresses.size());
    std::size_t bad_indexes = 0, bad_names = 0;
    for (std::size_t i = 0; i < std::min(names.size(), indexes.size()); ++i) {
      if (indexes[i] >= addresses.size()) {
        ++bad_indexes;
        continue;
      }
      auto name = name_at(names[i]);
      if (!name) {
        ++bad_names;
        if (text_size_ > most_symbol_text) break;
        continue;
      }
      named[indexes[i]] = true;
      add_export(std::move(*name), base + indexes[i], addresses[indexes[i]]);
    }
    for (std::size_t i = 0; i < addresses.size(); ++i)
      if (!named[i] && addresses[i] != 0) add_export("", base + static_cast<std::uint32_t>(i), addresses[i]);
    std::stable_sort(symbols_.exports.begin(), symbols_.exports.end(),
                     [](const ExportedFunction& a, const ExportedFunction& b) { return a.ordinal < b.ordinal; });

    if (bad_indexes != 0)
      defect(fmt::format("{} exported names lead to functions that the export directory does not have", bad_indexes));
    if (text_size_ > most_symbol_text)
      defect("exports longer names than are read", true);
    else if (bad_names != 0)
      defect(fmt::format("{} exported names are outside the sections or have no end", bad_names));
    if (bad_forwarders_ != 0)
      defect(fmt::format("{} forwarders in the export directory have no end or no dot", bad_forwarders_));
  }

  std::uint32_t limited(std::uint32_t count, std::string_view what) {
    if (count <= most_exports) return count;
    defect(fmt::format("the export directory says it has {} {}; ordinals have 16 bits, so {} are read", count, what,
                       most_exports));
    return most_exports;
  }

  template <typename T>
  std::vector<T> table(std::uint64_t address, std::size_t count, std::string_view what) {
    const auto bytes = memory_.bytes(address, count * sizeof(T));
    const ByteReader reader(bytes, ByteOrder::little);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (numbers.size() != count)
      defect(fmt::format("the export directory says it has {} {}, but only {} are inside its section", count, what,
                         numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = reader.unchecked<T>(i * sizeof(T));
    return numbers;
  }

  // An address inside the export directory is no function but a forwarder's text.
  void add_export(std::string name, std::uint32_t ordinal, std::uint32_t address) {
    ExportedFunction function{std::move(name), ordinal, ""};
    if (address >= pe_.exports_at && address - pe_.exports_at < pe_.exports_size) {
      auto text = name_at(address);
      if (text && text->find('.') != std::string::npos)
        function.forwarder = std::move(*text);
      else
        ++bad_forwarders_;
    }
    symbols_.exports.push_back(std::move(function));
  }

  /// Forwarders that lead back into this file, and there in a circle. Circles through other files are seen when those
  /// are loaded.
  void find_forwarder_loops() {
    if (!image_.soname) return;
    std::map<std::string_view, const ExportedFunction*> own;
    for (const auto& function : symbols_.exports)
      if (!function.name.empty() && !function.forwarder.empty() && is_own(function.forwarder))
        own[function.name] = &function;
    std::size_t looping = 0;
    std::string example;
    std::map<const ExportedFunction*, const ExportedFunction*> visited;  // by the walk from which one
    for (const auto& [name, start] : own) {
      for (const auto* at = start; at != nullptr;) {
        const auto [place, is_new] = visited.try_emplace(at, start);
        if (!is_new) {
          if (place->second == start && looping++ == 0) example = at->name;
          break;
        }
        const auto next = own.find(std::string_view(at->forwarder).substr(at->forwarder.rfind('.') + 1));
        at = next == own.end() ? nullptr : next->second;
      }
    }
    if (looping != 0) defect(fmt::format("the forwarder of the export {} leads back to itself", example));
  }

  bool is_own(const std::string& forwarder) const {
    const auto dll = forwarder_dll(forwarder);
    return std::equal(dll.begin(), dll.end(), image_.soname->begin(), image_.soname->end(), [](char a, char b) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
      return lower(a) == lower(b);
    });
  }

  const Image& image_;
  const PeFacts& pe_;
  PeMemory memory_, tables_;  // two places of the file at a time
  const Budget& budget_;
  bool wide_;
  PeSymbols symbols_;
  std::size_t text_size_ = 0, function_count_ = 0, bad_forwarders_ = 0;
  bool full_ = false;
};

}  // namespace

PeSymbols read_pe_symbols(const File& file, const Image& image) {
  Budget budget(limits_of_one_file);
  return read_pe_symbols(file, image, budget);
}

PeSymbols read_pe_symbols(const File& file, const Image& image, Budget& budget) {
  if (!image.is_pe()) return {};
  auto symbols = SymbolReader(file, image, budget).read();
  tell_limit(budget, symbols.defects);
  return symbols;
}

std::string forwarder_dll(std::string_view forwarder) {
  std::string dll(forwarder.substr(0, std::min(forwarder.rfind('.'), forwarder.size())));
  return dll.find('.') == std::string::npos ? dll + ".dll" : dll;
}

}  // namespace cudald
