// Regular expressions: a pattern becomes a list of steps, which are tried with backtracking, in Python's order. What
// reads otherwise in some version of Python, or in a text with other than ASCII characters, is not supported.
// Source: CPython 3.11 Doc/library/re.rst, Regular Expression Syntax, and Lib/re/_parser.py.
#include "pyimport/values/pattern.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/ascii.h"

namespace cudald::python {
namespace {

using Set = std::bitset<128>;

Set set_of(std::string_view characters) {
  Set set;
  for (const char c : characters) set.set(static_cast<std::size_t>(c));
  return set;
}

Set range(char first, char last) {
  Set set;
  for (int c = first; c <= last; ++c) set.set(static_cast<std::size_t>(c));
  return set;
}

Set digits() { return range('0', '9'); }
Set words() { return digits() | range('a', 'z') | range('A', 'Z') | set_of("_"); }
Set blanks() { return range('\t', '\r') | range('\x1c', ' '); }

/// `\d` and its like; nullopt of other letters.
std::optional<Set> class_of(char letter) {
  switch (letter) {
    case 'd': return digits();
    case 'D': return ~digits();
    case 'w': return words();
    case 'W': return ~words();
    case 's': return blanks();
    case 'S': return ~blanks();
    default: return std::nullopt;
  }
}

/// A character behind a backslash; nullopt of what means something else, or is an error.
std::optional<char> escaped(char letter) {
  constexpr std::string_view letters = "abfnrtv", meanings = "\a\b\f\n\r\t\v";
  if (const auto at = letters.find(letter); at != std::string_view::npos && letter != 'b') return meanings[at];
  if (is_letter(letter) || is_digit(letter)) return std::nullopt;
  return letter;
}

}  // namespace

class PatternParser {
 public:
  PatternParser(std::string_view text, Heap& heap) : text_(text), heap_(heap) {}

  std::optional<Pattern> parse() {
    using Kind = Pattern::Step::Kind;
    Pattern pattern;
    auto steps = alternatives();
    if (!sound_ || at_ != text_.size()) return std::nullopt;
    steps.insert(steps.begin(), {.kind = Kind::save, .first = 0});
    steps.push_back({.kind = Kind::save, .first = 1});
    steps.push_back({.kind = Kind::match});
    pattern.steps_ = std::move(steps);
    pattern.groups_ = groups_;
    pattern.names_ = std::move(names_);
    return pattern;
  }

 private:
  using Step = Pattern::Step;
  using Kind = Step::Kind;
  using Steps = Pattern::Steps;
  static constexpr std::size_t most_steps = 4000, most_groups = 50;
  static constexpr int deepest = 40;

  bool ends() const { return at_ >= text_.size(); }
  bool take(char c) {
    if (ends() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Steps refused() {
    sound_ = false;
    at_ = text_.size();
    return {};
  }

  static void append(Steps& steps, const Steps& more) { steps.insert(steps.end(), more.begin(), more.end()); }
  static int length(const Steps& steps) { return static_cast<int>(steps.size()); }

  Steps alternatives() {
    if (++depth_ > deepest) return refused();
    auto steps = branch();
    std::vector<Steps> all{std::move(steps)};
    while (sound_ && take('|')) all.push_back(branch());
    --depth_;
    Steps result = std::move(all.back());
    all.pop_back();
    for (; !all.empty() && sound_; all.pop_back()) {
      auto& one = all.back();
      Steps either{{.kind = Kind::split, .first = 1, .second = length(one) + 2}};
      append(either, one);
      either.push_back({.kind = Kind::jump, .first = length(result) + 1});
      append(either, result);
      result = bounded(std::move(either));
    }
    return result;
  }

  Steps bounded(Steps steps) {
    heap_.work(1 + steps.size());
    return steps.size() > most_steps ? refused() : std::move(steps);
  }

  Steps branch() {
    Steps steps;
    while (sound_ && !ends() && text_[at_] != '|' && text_[at_] != ')') {
      append(steps, repeated(atom()));
      steps = bounded(std::move(steps));
    }
    return steps;
  }

  static Steps one_of(const Set& set) { return {{.kind = Kind::set, .set = set}}; }

  Steps atom() {
    repeatable_ = true;
    const char c = text_[at_++];
    switch (c) {
      case '(': return group();
      case '[': return set();
      case '.': return one_of(~set_of("\n"));
      case '^': return assertion(Kind::at_begin);
      case '$': return assertion(Kind::at_last_line);
      case '\\': return escape();
      case '*':
      case '+':
      case '?': return refused();
      default: return static_cast<unsigned char>(c) < 128 ? one_of(set_of({&c, 1})) : refused();
    }
  }

  Steps assertion(Kind kind) {
    repeatable_ = false;
    return {{.kind = kind}};
  }

  Steps escape() {
    if (ends()) return refused();
    const char c = text_[at_++];
    if (c == 'A') return assertion(Kind::at_begin);
    if (c == 'Z') return assertion(Kind::at_end);
    if (c == 'b') return assertion(Kind::at_word);
    if (const auto set = class_of(c)) return one_of(*set);
    const auto plain = escaped(c);
    return plain && static_cast<unsigned char>(*plain) < 128 ? one_of(set_of({&*plain, 1})) : refused();
  }

  /// Behind "(?=" or "(?!".
  Steps look_ahead(bool must_not_be) {
    auto inside = alternatives();
    if (!sound_ || !take(')')) return refused();
    repeatable_ = false;
    inside.push_back({.kind = Kind::match});
    Steps steps{{.kind = Kind::ahead, .first = length(inside) + 1, .second = must_not_be ? 1 : 0}};
    append(steps, inside);
    return steps;
  }

  /// Behind "(".
  Steps group() {
    std::size_t number = 0;
    if (take('?')) {
      if (take('=')) return look_ahead(false);
      if (take('!')) return look_ahead(true);
      if (take('P')) {
        const auto end = text_.find('>', at_);
        if (!take('<') || end == std::string_view::npos || groups_ == most_groups) return refused();
        number = ++groups_;
        names_.emplace_back(text_.substr(at_, end - at_), number);
        at_ = end + 1;
      } else if (!take(':')) {
        return refused();
      }
    } else {
      if (groups_ == most_groups) return refused();
      number = ++groups_;
    }
    auto inside = alternatives();
    if (!sound_ || !take(')')) return refused();
    repeatable_ = true;
    if (number == 0) return inside;
    Steps steps{{.kind = Kind::save, .first = static_cast<int>(2 * number)}};
    append(steps, inside);
    steps.push_back({.kind = Kind::save, .first = static_cast<int>(2 * number + 1)});
    return steps;
  }

  /// One character or class in a set.
  std::optional<Set> member(std::optional<char>& character) {
    const char c = text_[at_++];
    character = c;
    if (c == '\\') {
      if (ends()) return std::nullopt;
      const char letter = text_[at_++];
      if (const auto set = class_of(letter)) {
        character = std::nullopt;
        return set;
      }
      character = letter == 'b' ? '\b' : escaped(letter);
    }
    // Sets in sets may come to mean something.
    const bool twice = !ends() && text_[at_] == c && (c == '-' || c == '&' || c == '~' || c == '|');
    if (!character || static_cast<unsigned char>(*character) >= 128 || (c == '[' && !ends() && text_[at_] == ':') ||
        twice)
      return std::nullopt;
    return set_of({&*character, 1});
  }

  /// Behind "[".
  Steps set() {
    const bool others = take('^');
    Set set;
    for (bool first = true; ends() || text_[at_] != ']' || first; first = false) {
      if (ends()) return refused();
      std::optional<char> from, to;
      const auto one = member(from);
      if (!one) return refused();
      set |= *one;
      if (at_ + 1 >= text_.size() || text_[at_] != '-' || text_[at_ + 1] == ']') continue;
      ++at_;
      if (!member(to) || !from || !to || *from > *to) return refused();
      set |= range(*from, *to);
    }
    ++at_;
    return one_of(others ? ~set : set);
  }

  std::optional<int> number() {
    int value = 0;
    const auto* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || end == begin || *begin == '-') return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  /// With what stands behind it: how often it may come, at least and at most; -1: any number of times.
  Steps repeated(Steps one) {
    constexpr int most = 200;
    if (!sound_ || ends()) return one;
    int least = 0, largest = -1;
    const auto before = at_;
    if (take('*')) {
    } else if (take('+')) {
      least = 1;
    } else if (take('?')) {
      largest = 1;
    } else if (take('{')) {
      const auto from = number();
      const bool comma = take(',');
      const auto to = comma ? number() : from;
      if (comma && !from && !to) return refused();
      if ((!from && !to) || !take('}')) {  // then it is a character like others
        at_ = before;
        return one;
      }
      least = from.value_or(0), largest = to.value_or(-1);
      if (least > most || largest > most || (largest >= 0 && largest < least)) return refused();
    } else {
      return one;
    }
    const bool lazy = take('?');
    if (!repeatable_ || (!ends() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?'))) return refused();
    return repeat(one, least, largest, lazy);
  }

  Steps repeat(const Steps& one, int least, int largest, bool lazy) {
    const auto split = [&](int in, int out) {
      return lazy ? Step{.kind = Kind::split, .first = out, .second = in}
                  : Step{.kind = Kind::split, .first = in, .second = out};
    };
    const auto count = static_cast<std::size_t>(std::max(least, largest)) + 1;
    if (count * (one.size() + 1) > most_steps) return refused();
    Steps steps;
    for (int i = 0; i < least; ++i) append(steps, one);
    if (largest < 0) {
      steps.push_back(split(1, length(one) + 2));
      append(steps, one);
      steps.push_back({.kind = Kind::jump, .first = -(length(one) + 1)});
    }
    for (int left = largest - least; left > 0; --left) {
      steps.push_back(split(1, left * (length(one) + 1)));
      append(steps, one);
    }
    return bounded(std::move(steps));
  }

  std::string_view text_;
  Heap& heap_;
  std::size_t at_ = 0, groups_ = 0;
  std::vector<std::pair<std::string, std::size_t>> names_;
  int depth_ = 0;
  bool sound_ = true, repeatable_ = true;
};

std::optional<Pattern> Pattern::parse(std::string_view text, Heap& heap) {
  constexpr std::size_t longest = 1000;
  if (text.size() > longest) return std::nullopt;
  return PatternParser(text, heap).parse();
}

bool Pattern::holds(const Step& step, std::string_view text, std::size_t at) const {
  using Kind = Step::Kind;
  static const auto letters = words();
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && letters.test(static_cast<std::size_t>(text[i]));
  };
  switch (step.kind) {
    case Kind::at_begin: return at == 0;
    case Kind::at_end: return at == text.size();
    case Kind::at_last_line: return at == text.size() || (at + 1 == text.size() && text[at] == '\n');
    default: return is_word(at) != (at > 0 && is_word(at - 1));
  }
}

std::optional<Pattern::Saved> Pattern::run(std::size_t step, std::size_t at, Saved saved, std::string_view text,
                                           Place place, std::size_t& turns, Heap& heap) const {
  using Kind = Step::Kind;
  constexpr std::size_t most_turns = 200'000, most_waiting = 5'000;
  struct Waiting {
    std::size_t step, at;
    Saved saved;
  };
  std::vector<Waiting> waiting{{step, at, std::move(saved)}};
  while (!waiting.empty()) {
    std::tie(step, at, saved) = std::tuple(waiting.back().step, waiting.back().at, std::move(waiting.back().saved));
    waiting.pop_back();
    for (bool goes_on = true; goes_on;) {
      heap.work(1);
      if (++turns > most_turns || waiting.size() > most_waiting) return std::nullopt;
      const auto& one = steps_[step];
      const auto next = [here = step](int by) {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(here) + by);
      };
      switch (one.kind) {
        case Kind::set:
          goes_on = at < text.size() && one.set.test(static_cast<std::size_t>(text[at]));
          ++at, ++step;
          break;
        case Kind::split:
          waiting.push_back({next(one.second), at, saved});
          step = next(one.first);
          break;
        case Kind::jump: step = next(one.first); break;
        case Kind::save: saved[static_cast<std::size_t>(one.first)] = at, ++step; break;
        case Kind::ahead: {
          auto inside = run(step + 1, at, saved, text, Place::begin, turns, heap);
          if (!inside) return std::nullopt;
          goes_on = inside->empty() == (one.second == 1);
          if (goes_on && !inside->empty()) saved = *std::move(inside);
          step = next(one.first);
          break;
        }
        case Kind::match:
          goes_on = place != Place::whole || at == text.size();
          if (goes_on) return saved;
          break;
        default: goes_on = holds(one, text, at), ++step;
      }
    }
  }
  return Saved();
}

std::optional<Pattern::Groups> Pattern::match(std::string_view text, std::size_t from, Place place, Heap& heap) const {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t turns = 0;
  for (auto begin = from; begin <= text.size(); ++begin) {
    const auto saved = run(0, begin, Saved(2 * groups_ + 2, none), text, place, turns, heap);
    if (!saved) return std::nullopt;
    Groups groups;
    for (std::size_t i = 0; i < saved->size(); i += 2)
      groups.push_back((*saved)[i + 1] == none ? Group() : Group({(*saved)[i], (*saved)[i + 1]}));
    if (!groups.empty() || place != Place::anywhere) return groups;
  }
  return Groups();
}

}  // namespace cudald::python
