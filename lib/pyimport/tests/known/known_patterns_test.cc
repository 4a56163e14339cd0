#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

void with_re(ImportWorld& world) {
  world.rules = R"({"standard_library": {"names": ["sys", "os", "importlib", "ctypes", "json", "re"]},
                    "rules": [], "libraries": {"rows": {}}})";
}

/// Whether what re.fullmatch says of the two is known, and what.
std::string fits(const std::string& pattern, const std::string& text) {
  return outcome("import re\nre.fullmatch(r'" + pattern + "', '" + text + "')", with_re);
}

}  // namespace

TEST_CASE("a version is taken apart by a pattern, and compared") {
  const std::string parse =
      "import re\nV = re.compile(r'[0-9]+(?:\\.[0-9]+)*')\n"
      "def parse(v):\n  m = V.match(v)\n  if m is None: raise ValueError(v)\n"
      "  return tuple(int(x) for x in m.group(0).split('.'))\n";
  CHECK(outcome(parse + "parse('0.4.35') < parse('0.5.0')", with_re) == "yes");
  CHECK(outcome(parse + "parse('0.10.0rc1') < parse('0.5.0')", with_re) == "no");
  CHECK(outcome(parse + "if parse('0.4.35') < parse('0.5'): raise RuntimeError('too old')\n1", with_re) ==
        "RuntimeError: too old");
}

TEST_CASE("what a match has: its groups by number and by name, and where they are") {
  const std::string m = "import re\nm = re.search(r'(?P<a>\\d+)(?:-(\\d+))?', 'x12')\n";
  for (const std::string_view yes :
       {"m", "m is not None", "m.group() == '12'", "m[0] == m['a'] == m.group('a') == m.group(1) == '12'",
        "m[2] is None", "m.groups() == ('12', None)", "m.groups('') == ('12', '')", "m.groupdict()['a'] == '12'",
        "m.start() == 1 and m.end(0) == 3 and m.start(2) == -1", "m.group(0, 1) == ('12', '12')"}) {
    CAPTURE(yes);
    CHECK(outcome(m + std::string(yes), with_re) == "yes");
  }
  for (const std::string_view unknown : {"m[3] == 1", "m['b'] == 1", "m.regs == 1", "m.expand('') == 1"})
    CHECK(outcome(m + std::string(unknown), with_re) == "unknown");
  CHECK(outcome("import re\nis_a = re.compile('a').match\nis_a('ab') and not is_a('ba')", with_re) == "yes");
  CHECK(outcome("import re\nre.compile('a+').pattern == 'a+'", with_re) == "yes");
  CHECK(outcome("import re\nre.match(re.compile('a'), 'b') is None", with_re) == "yes");
  CHECK(outcome("import re\nre.match('(?=(a+))a', 'aab').groups() == ('aa',)", with_re) == "yes");
  CHECK(outcome("import re\nre.match('(?!(b))a', 'a').groups() == (None,)", with_re) == "yes");
}

TEST_CASE("a text is escaped so that a pattern finds it") {
  CHECK(outcome("import re\nre.escape('a.b-c_d e+') == 'a\\\\.b\\\\-c_d\\\\ e\\\\+'", with_re) == "yes");
  CHECK(outcome("import re\nre.fullmatch(rf\"{re.escape('a.b')}(\\d)\", 'a.b1')[1] == '1'", with_re) == "yes");
}

TEST_CASE("patterns fit as Python says") {
  struct Row {
    std::string_view pattern, yes, no;
  };
  for (const auto& [pattern, yes, no] : {Row{"a|bc", "bc", "ab"},
                                         Row{"(a|b)*c", "abac", "abad"},
                                         Row{"a{2,3}", "aaa", "aaaa"},
                                         Row{"a{2}", "aa", "a"},
                                         Row{"a{,2}b", "aab", "aaab"},
                                         Row{"a{2,}", "aaaaa", "a"},
                                         Row{"x{a}", "x{a}", "xa"},
                                         Row{"[^a-c]", "d", "b"},
                                         Row{"[]a]", "]", "b"},
                                         Row{"[a-]", "-", "b"},
                                         Row{"[\\w.]+", "a_1.", "a-"},
                                         Row{"\\S\\s", "a ", "aa"},
                                         Row{"a.c", "abc", "ac"},
                                         Row{"a+?b", "aab", "b"},
                                         Row{"\\ba\\b.*", "a b", "ab"},
                                         Row{"\\.\\+", ".+", "a+"},
                                         Row{"(?:ab)+", "abab", "aba"},
                                         Row{"^a$", "a", "b"},
                                         Row{"\\Aa\\Z", "a", "ab"},
                                         Row{"", "", "a"},
                                         Row{"a??b", "ab", "aab"},
                                         Row{"(a|ab)(c|bcd)", "abcd", "abd"},
                                         Row{"a(?!b)\\w", "ac", "ab"},
                                         Row{"a(?=b)\\w", "ab", "ac"},
                                         Row{"(?!a|bc).*", "bd", "bcd"},
                                         Row{"(?:(?!b)\\w)*", "aac", "aab"},
                                         Row{"(?=(a+))\\w+b", "aab", "bab"},
                                         Row{"(?!(?=a)b)a", "a", "b"}}) {
    const auto& seen_pattern = pattern;
    CAPTURE(seen_pattern);
    CHECK(fits(std::string(pattern), std::string(yes)) == "yes");
    CHECK(fits(std::string(pattern), std::string(no)) == "no");
  }
}

TEST_CASE("of other patterns, of flags and of other texts nothing is known") {
  for (const auto* pattern :
       {"(?i)a", "(?<=a)", "(?P<n>a)(?P=n)", "(a)\\1", "a++",  "a**",   "*a",     "(a",       "a)", "[a",
        "[b-a]", "\\q",    "[[:alpha:]]",    "a{3,2}", "a{,}", "(?P<n", "[a&&b]", "\xc3\xa9", "^*", "a{999}"}) {
    CAPTURE(pattern);
    CHECK(fits(pattern, "a") == "unknown");
  }
  CHECK(fits("a", "\xc3\xa9") == "unknown");
  CHECK(outcome("import re\nre.compile('a', re.I).match('A')", with_re) == "unknown");
  CHECK(outcome("import re\nre.compile('a').match('ba', 1)", with_re) == "unknown");
  CHECK(outcome("import re\nre.match('a', what())", with_re) == "unknown");
  CHECK(outcome("import re\nre.compile('a') == 1", with_re) == "unknown");
}

TEST_CASE("a pattern that takes too many steps is given up") {
  CHECK(fits("(a*)*b", "aaa") == "unknown");
  CHECK(fits("(a|a)*b", std::string(40, 'a')) == "unknown");
  CHECK(fits(std::string(50, '('), "a") == "unknown");
  CHECK(fits(std::string(2000, 'a'), "a") == "unknown");
  CHECK(fits("((((a{99}){99}){99}){99})", "a") == "unknown");
  CHECK(fits("(?=(a*)*b)a*", "aaa") == "unknown");
}

TEST_CASE("all matches of a pattern: texts, or tuples of groups") {
  const auto finds = [](const std::string& pattern, const std::string& text, const std::string& wanted) {
    return outcome("import re\nre.findall(r'" + pattern + "', '" + text + "') == " + wanted, with_re);
  };
  CHECK(finds("[0-9]+", "1.22.3", "['1', '22', '3']") == "yes");
  CHECK(finds("([a-z])[0-9]", "a1b2", "['a', 'b']") == "yes");
  CHECK(finds("^([^!=<>]+)([!=<>]{1,2}.+)", "tok>=0.14,<0.19", "[('tok', '>=0.14,<0.19')]") == "yes");
  CHECK(finds("x", "abc", "[]") == "yes");
  CHECK(finds("[0-9]*", "a1", "['1']") == "unknown");
  CHECK(outcome("import re\nre.compile('[0-9]').findall('a1b2') == ['1', '2']", with_re) == "yes");
}

TEST_CASE("since Python 3.11 a pattern with flags behind its start is refused") {
  const auto compiled = [](const std::string& pattern, const std::string& version = "3.11") {
    return outcome("import re\nP = re.compile(r'" + pattern + "')\n1", [&](ImportWorld& world) {
      with_re(world);
      world.python.version = version;
    });
  };
  CHECK(compiled("^(?s).*") == "re.error: global flags not at the start of the expression at position 1");
  CHECK(compiled("a|(?im)b") == "re.error: global flags not at the start of the expression at position 2");
  CHECK(compiled("[(](?i)b") == "re.error: global flags not at the start of the expression at position 3");
  CHECK(compiled("^(?s).*", "3.13") ==
        "re.PatternError: global flags not at the start of the expression at position 1");
  CHECK(compiled("^(?s).*", "3.10") == "yes");
  for (const std::string_view taken : {"(?i)a", "(?i)(?m)a", "a(?i:b)", "a[(?i)]", "a[^](?i)]", "a\\(?i)", "a(?x",
                                       "(?x) (?i)a", "(?x)a #(?i)", "a(?P<i>b)"}) {
    CAPTURE(taken);
    CHECK(compiled(std::string(taken)) == "yes");
  }
  CHECK(outcome("import re\ntry:\n  re.match('a(?i)', 'b')\nexcept re.error:\n  pass\n1", with_re) == "yes");
}
