// fnmatch(3), which mingw-w64 lacks, for the locale "C". Source: POSIX.1-2017, XCU 2.13 "Pattern Matching Notation".
#include <fnmatch.h>

#include <cctype>
#include <string_view>

namespace {

char folded(char c, int flags) {
  return (flags & FNM_CASEFOLD) != 0 ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
}

bool is_of_class(std::string_view name, char c) {
  const int byte = static_cast<unsigned char>(c);
  if (name == "alpha") return std::isalpha(byte) != 0;
  if (name == "digit") return std::isdigit(byte) != 0;
  if (name == "alnum") return std::isalnum(byte) != 0;
  if (name == "upper") return std::isupper(byte) != 0;
  if (name == "lower") return std::islower(byte) != 0;
  if (name == "space") return std::isspace(byte) != 0;
  if (name == "punct") return std::ispunct(byte) != 0;
  if (name == "xdigit") return std::isxdigit(byte) != 0;
  return false;
}

enum class InBracket { yes, no, no_bracket };

/// Whether `c` is one of the characters of the bracket behind the "[" with which `pattern` began; takes it off.
InBracket match_bracket(std::string_view& pattern, char c, int flags) {
  auto rest = pattern;
  const bool negated = rest.starts_with('!') || rest.starts_with('^');
  if (negated) rest.remove_prefix(1);
  bool found = false;
  const auto wanted = folded(c, flags);
  for (bool first = true; !rest.empty() && (first || rest.front() != ']'); first = false) {
    if (const auto end = rest.find(":]"); rest.starts_with("[:") && end != rest.npos) {
      found = found || is_of_class(rest.substr(2, end - 2), c);
      rest.remove_prefix(end + 2);
      continue;
    }
    const auto take = [&] {
      if (rest.front() == '\\' && (flags & FNM_NOESCAPE) == 0 && rest.size() > 1) rest.remove_prefix(1);
      const char one = folded(rest.front(), flags);
      rest.remove_prefix(1);
      return static_cast<unsigned char>(one);
    };
    const auto low = take();
    auto high = low;
    if (rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
      rest.remove_prefix(1);
      high = take();
    }
    found = found || (low <= static_cast<unsigned char>(wanted) && static_cast<unsigned char>(wanted) <= high);
  }
  if (rest.empty()) return InBracket::no_bracket;
  pattern = rest.substr(1);
  return found != negated ? InBracket::yes : InBracket::no;
}

/// One character of the pattern that is no star, against one of the text.
bool match_one(std::string_view& pattern, char c, int flags) {
  char one = pattern.front();
  pattern.remove_prefix(1);
  if (one == '?') return true;
  if (one == '[') {
    const auto answer = match_bracket(pattern, c, flags);
    if (answer != InBracket::no_bracket) return answer == InBracket::yes;
  } else if (one == '\\' && (flags & FNM_NOESCAPE) == 0) {
    if (pattern.empty()) return false;
    one = pattern.front();
    pattern.remove_prefix(1);
  }
  return folded(one, flags) == folded(c, flags);
}

/// A star gives way to the next one only: of several ways back, the last is enough.
bool matches(std::string_view pattern, std::string_view text, int flags) {
  std::string_view pattern_behind_star, text_of_star;
  bool has_star = false;
  while (!text.empty() || !pattern.empty()) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      pattern_behind_star = pattern;
      text_of_star = text;
      has_star = true;
      continue;
    }
    if (!text.empty() && !pattern.empty() && match_one(pattern, text.front(), flags)) {
      text.remove_prefix(1);
      continue;
    }
    if (!has_star || text_of_star.empty()) return false;
    text_of_star.remove_prefix(1);
    text = text_of_star;
    pattern = pattern_behind_star;
  }
  return true;
}

}  // namespace

int fnmatch(const char* pattern, const char* text, int flags) {
  const bool hidden = (flags & FNM_PERIOD) != 0 && *text == '.' && *pattern != '.' &&
                      !((flags & FNM_NOESCAPE) == 0 && pattern[0] == '\\' && pattern[1] == '.');
  return !hidden && matches(pattern, text, flags) ? 0 : FNM_NOMATCH;
}
