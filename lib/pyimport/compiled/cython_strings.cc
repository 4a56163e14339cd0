#include "pyimport/compiled/cython_strings.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/byte_reader.h"
#include "base/find_bytes.h"
#include "base/isal_library.h"

namespace cudald::python {
namespace {

// The largest of a thousand modules holds 0.4 MiB.
constexpr std::size_t most_text = std::size_t{4} << 20;
// How far from the text of its error message a compressed text is looked for: both are among the constants.
constexpr std::size_t most_constants = std::size_t{2} << 20;
// What is unpacked in all to see whether it is the text.
constexpr std::size_t most_tried = std::size_t{32} << 20;
constexpr std::uint32_t longest_string = 0xffff;
constexpr std::uint64_t size_of_string = 5 * sizeof(std::string_view);  ///< in both lists

/// Where the three strings stand that every module has. They are in this order, as strings are sorted.
struct Marks {
  std::size_t main = 0, name = 0, test = 0;
};
constexpr std::string_view main_mark = "__main__", name_mark = "__name__", test_mark = "__test__";
constexpr std::uint32_t mark_size = 8;

/// Places where they may be: other strings may hold the words as well, and so may what stands behind the last one.
std::vector<Marks> marks_in(std::string_view text) {
  constexpr std::size_t most_main = 24;
  constexpr int most_each = 2;
  std::vector<Marks> all;
  std::size_t main = text.find(main_mark);
  for (std::size_t i = 0; i < most_main && main != std::string_view::npos; ++i, main = text.find(main_mark, main + 1)) {
    auto name = text.find(name_mark, main + mark_size);
    for (int j = 0; j < most_each && name != std::string_view::npos; ++j, name = text.find(name_mark, name + 1)) {
      auto test = text.find(test_mark, name + mark_size);
      for (int k = 0; k < most_each && test != std::string_view::npos; ++k, test = text.find(test_mark, test + 1))
        all.push_back({main, name, test});
    }
  }
  return all;
}

bool is_text(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

constexpr std::size_t longest_repeat = 255 + 3;  ///< in LZSS

/// Unpacks LZSS up to `most` bytes of text, or somewhat more, into `text`, which can be appended to.
template <typename Text>
void unpack(std::string_view packed, std::size_t most, Text& text) {
  std::size_t at = 0;
  const auto next = [&] { return static_cast<unsigned char>(packed[at++]); };
  while (at < packed.size() && text.size() < most) {
    unsigned flags = next();
    for (int i = 0; i < 8 && text.size() < most; ++i, flags >>= 1) {
      if ((flags & 1) != 0) {
        if (at == packed.size()) return;
        text.push_back(packed[at++]);
        continue;
      }
      if (packed.size() - at < 3) return;
      const unsigned low = next(), high = next();
      std::size_t distance = low, length = high;
      if (low >= 0x80 && high < 0x80)
        distance = 0x80 + (((high << 2) & 0x180) | (low & 0x7f)), length = high & 0x1f;
      else if (low >= 0x80)
        distance = 0x80 + ((high & 0x7f) << 7 | (low & 0x7f)), length = next();
      length += 3;
      if (distance + length > text.size()) return;
      text.append(text, text.size() - distance - length, length);
    }
  }
}

/// The first bytes of a text, which need no memory of their own.
class Beginning {
 public:
  static constexpr std::size_t enough = 128;

  std::size_t size() const { return size_; }
  void push_back(char c) { bytes_[size_++] = c; }
  void append(const Beginning&, std::size_t at, std::size_t count) {
    std::memcpy(bytes_.data() + size_, bytes_.data() + at, count);
    size_ += count;
  }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, enough + longest_repeat> bytes_;
  std::size_t size_ = 0;
};

/// Whether what begins here may be the text in LZSS, by its first few bytes: three at least stand in it as they are.
bool begins_like_text(std::string_view packed) {
  constexpr char plain = 7;
  constexpr std::ptrdiff_t most_of_it = 96;
  if (packed.size() < 3 || (packed[0] & plain) != plain) return false;
  Beginning beginning;
  unpack(packed.substr(0, 2 * Beginning::enough), Beginning::enough, beginning);
  const auto text = beginning.view();
  return text.size() >= Beginning::enough && std::count_if(text.begin(), text.end(), is_text) >= most_of_it;
}

/// The bytes of the file around a text of it, in which its other constants stand.
std::string_view constants_around(std::span<const std::string_view> parts, std::string_view text) {
  for (const auto part : parts) {
    const auto place = find_bytes(part, text);
    if (place == std::string_view::npos) continue;
    const auto begin = place - std::min(place, most_constants);
    return part.substr(begin, place - begin + most_constants);
  }
  return {};
}

std::string find_lzss(std::span<const std::string_view> parts, Heap& heap) {
  const auto constants = constants_around(parts, "LZSS string data decompression failed");
  heap.look_at(8 * constants.size());
  std::size_t tried = 0;
  for (std::size_t at = 0; at < constants.size() && tried < most_tried; ++at) {
    if (!begins_like_text(constants.substr(at, 256))) continue;
    auto text = unpack_lzss(constants.substr(at), most_text);
    heap.look_at(2 * text.size());
    tried += text.size();
    if (!marks_in(text).empty()) return text;
  }
  return {};
}

std::string inflate(std::string_view packed, Heap& heap) {
  inflate_state state;
  IsalLibrary::get().isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(packed.data()));
  state.avail_in = static_cast<std::uint32_t>(packed.size());
  std::string text;
  while (state.block_state != ISAL_BLOCK_FINISH && text.size() < most_text) {
    constexpr std::size_t at_once = std::size_t{1} << 14;
    const auto before = text.size();
    text.resize(before + at_once);
    state.next_out = reinterpret_cast<std::uint8_t*>(text.data() + before);
    state.avail_out = at_once;
    if (IsalLibrary::get().isal_inflate(&state) != ISAL_DECOMP_OK) return {};
    text.resize(text.size() - state.avail_out);
    heap.look_at(at_once);
    if (text.size() == before) break;
  }
  return state.block_state == ISAL_BLOCK_FINISH ? text : std::string();
}

std::string find_zlib(std::span<const std::string_view> parts, Heap& heap) {
  const auto constants = constants_around(parts, "Failed to import '%.20s.decompress'");
  heap.look_at(constants.size());
  std::size_t tried = 0;
  for (auto at = constants.find('x'); at != std::string_view::npos && tried < most_tried;
       at = constants.find('x', at + 1)) {
    constexpr std::string_view levels = "\x01\x5e\x9c\xda";
    if (at + 1 == constants.size() || levels.find(constants[at + 1]) == std::string_view::npos) continue;
    auto text = inflate(constants.substr(at), heap);
    tried += text.size() + (std::size_t{1} << 14);
    if (!marks_in(text).empty()) return text;
  }
  return {};
}

/// What stands in the file from one place to another as numbers none of which is too large for a string's length.
struct Run {
  std::size_t begin = 0, end = 0;  ///< in numbers of 32 bits
};

class Numbers {
 public:
  explicit Numbers(std::string_view bytes)
      : reader_(std::as_bytes(std::span(bytes.data(), bytes.size())), ByteOrder::little) {}
  std::size_t size() const { return reader_.size() / sizeof(std::uint32_t); }
  std::uint32_t operator[](std::size_t i) const { return reader_.unchecked<std::uint32_t>(i * sizeof(std::uint32_t)); }

 private:
  ByteReader reader_;
};

/// Those in which three marks may have their lengths.
std::vector<Run> runs_of_lengths(const Numbers& numbers, Heap& heap) {
  constexpr std::size_t shortest = 8, most = 20'000;
  std::vector<Run> runs;
  heap.look_at(numbers.size());
  std::size_t begin = 0, marks = 0;
  for (std::size_t i = 0; i <= numbers.size() && runs.size() < most; ++i) {
    const auto number = i < numbers.size() ? numbers[i] : ~0U;
    if (number == mark_size) ++marks;
    if (number <= longest_string) continue;
    if (marks >= 3 && i - begin >= shortest) runs.push_back({begin, i});
    while (i + 1 < numbers.size() && numbers[i + 1] > longest_string) ++i;  // most of a file
    begin = i + 1, marks = 0;
  }
  heap.keep(runs.size() * sizeof(Run));
  return runs;
}

/// A place in a run: the number there, and the sum of all before it.
struct Cursor {
  std::size_t at = 0;
  std::uint64_t sum = 0;

  /// To the first number other than zero before which the sum is as wanted, or larger.
  void go_to(std::uint64_t wanted, const Run& run, const Numbers& numbers) {
    while (at < run.end && (sum < wanted || numbers[at] == 0)) sum += numbers[at++];
  }
  bool is_mark(std::uint64_t wanted, const Run& run, const Numbers& numbers) const {
    return at < run.end && sum == wanted && numbers[at] == mark_size;
  }
};

/// What stands in a table: letters, digits, and what is in qualified names.
bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' || static_cast<signed char>(c) < 0; });
}

bool all_names(std::size_t at, std::string_view text, const Marks& marks, const Numbers& numbers) {
  for (auto place = marks.main; place <= marks.test; place += numbers[at++]) {
    if (numbers[at] == 0) continue;
    if (!is_name(text.substr(place, numbers[at]))) return false;
  }
  return true;
}

/// Whether the lengths in front of the first mark's are those of all the text in front of it.
bool reach_beginning(std::size_t at, std::size_t place, const Run& run, const Numbers& numbers) {
  while (at > run.begin && place > 0 && numbers[at - 1] <= place) place -= numbers[--at];
  return place == 0;
}

/// Where the length of the first mark stands, if those of the others stand behind it as far as their places say.
std::optional<std::size_t> find_lengths(const std::vector<Run>& runs, std::string_view text, bool packed,
                                        const Marks& marks, const Numbers& numbers, Heap& heap) {
  std::optional<std::size_t> first;
  for (const auto& run : runs) {
    heap.look_at(16 * (run.end - run.begin));
    Cursor main{run.begin, 0}, name = main, test = main;
    for (; main.at < run.end; main.sum += numbers[main.at++]) {
      if (numbers[main.at] != mark_size) continue;
      name.go_to(main.sum + (marks.name - marks.main), run, numbers);
      test.go_to(main.sum + (marks.test - marks.main), run, numbers);
      if (name.is_mark(main.sum + (marks.name - marks.main), run, numbers) &&
          test.is_mark(main.sum + (marks.test - marks.main), run, numbers) &&
          all_names(main.at, text, marks, numbers)) {
        if (!packed || reach_beginning(main.at, marks.main, run, numbers)) return main.at;
        if (!first) first = main.at;
      }
    }
  }
  return first;
}

/// By what Cython 3.2 sorts: the string as a part of a name in C.
std::string_view c_name(std::string_view text) {
  const auto begin = text.find_first_not_of('_');
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// Fills in both lists. The identifiers come behind the other strings, and both are sorted; behind them stand bytes.
void split(CythonStrings& strings, std::string_view text, std::size_t at, const Marks& marks, const Numbers& numbers,
           Heap& heap) {
  auto place = marks.main;
  for (auto i = at; i < numbers.size(); place += numbers[i++]) {
    if (numbers[i] > text.size() - place || !is_name(text.substr(place, numbers[i]))) break;
    strings.names.push_back(text.substr(place, numbers[i]));
    strings.table.emplace(static_cast<std::int64_t>(i - at), strings.names.back());
    heap.keep(size_of_string);
  }
  bool names = true;
  auto next = main_mark;
  place = marks.main;
  std::int64_t index = 0;
  while (at-- > 0 && numbers[at] <= longest_string && numbers[at] <= place) {
    place -= numbers[at];
    const auto string = text.substr(place, numbers[at]);
    names = names && is_name(string) && (string <= next || c_name(string) <= c_name(next));
    (names ? strings.names : strings.texts).push_back(string);
    strings.table.emplace(--index, string);
    heap.keep(size_of_string);
    // The first of all strings is the empty one, where there is one.
    if (string.empty()) break;
    next = string;
  }
}

/// Looks for the lengths of the strings in these parts of the file, and fills in both lists if they are there.
bool find_table(CythonStrings& strings, std::span<const std::string_view> parts,
                std::span<const std::pair<std::string_view, Marks>> marks, Heap& heap) {
  constexpr std::size_t most_compared = std::size_t{64} << 20;
  std::vector<std::pair<Numbers, std::vector<Run>>> tables;
  std::size_t in_runs = 1, compared = 0;
  for (const auto part : parts) {
    const Numbers numbers(part);
    tables.emplace_back(numbers, runs_of_lengths(numbers, heap));
    for (const auto& run : tables.back().second) in_runs += run.end - run.begin;
  }
  const bool packed = !strings.text.empty();
  for (const auto& [text, places] : marks) {
    if ((compared += in_runs) > most_compared) break;
    for (const auto& [numbers, runs] : tables)
      if (const auto at = find_lengths(runs, text, packed, places, numbers, heap)) {
        split(strings, text, *at, places, numbers, heap);
        return true;
      }
  }
  return false;
}

}  // namespace

std::string unpack_lzss(std::string_view packed, std::size_t most) {
  std::string text;
  unpack(packed, most, text);
  return text;
}

std::optional<CythonStrings> cython_strings(std::span<const std::string_view> parts, Heap& heap,
                                            std::string_view lengths) {
  CythonStrings strings;
  if (strings.text = find_lzss(parts, heap); !strings.text.empty())
    strings.packing = CythonStrings::Packing::lzss;
  else if (strings.text = find_zlib(parts, heap); !strings.text.empty())
    strings.packing = CythonStrings::Packing::zlib;
  heap.keep_for_now(strings.text.size());
  const std::string_view packed = strings.text;
  std::vector<std::pair<std::string_view, Marks>> marks;
  for (const auto text : packed.empty() ? parts : std::span(&packed, 1))
    for (const auto& places : marks_in(text)) marks.emplace_back(text, places);
  if (marks.empty()) return std::nullopt;
  // The table that the code uses, if that is known. Else it may be in any part.
  if (!find_table(strings, std::span(&lengths, 1), marks, heap)) find_table(strings, parts, marks, heap);
  return strings;
}

}  // namespace cudald::python
