#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/answers.h"

using namespace cudald;

namespace {

constexpr std::string_view true_of_texts[] = {
    "'abc'.startswith('') and 'abc'.endswith('') and not ''.startswith('a') and 'abc'.startswith('abc')",
    "'abc'.startswith(['x', 'ab']) and not 'abc'.startswith([]) and 'abc'.startswith(('a', what()))",
    "'abab'.removeprefix('ab') == 'ab' and 'abab'.removesuffix('ab') == 'ab' and 'a'.removeprefix('') == 'a'",
    "'aZ09'.upper() == 'AZ09' and 'aZ09'.lower() == 'az09' and 'aZ'.casefold() == 'az'",
    R"('\r\n\f\v\t a \t\v\f\n\r'.strip() == 'a')",
    "' a '.lstrip() == 'a ' and ' a '.rstrip() == ' a' and 'xaxbx'.strip('x') == 'axb'",
    "'xyx'.lstrip('x') == 'yx' and 'xyx'.rstrip('x') == 'xy' and ''.strip() == '' and '  '.rstrip() == ''",
    "'a-b-c'.split('-') == ['a', 'b', 'c'] and 'a-b-c'.split('-', 0) == ['a-b-c']",
    "'a-b-c'.split('-', 1) == ['a', 'b-c'] and 'a-b-c'.rsplit('-', 1) == ['a-b', 'c']",
    "'a-b-c'.split('-', maxsplit=2) == ['a', 'b', 'c'] and 'a-b-c'.split(sep='-', maxsplit=-1) == ['a', 'b', 'c']",
    "'a--b'.split('--') == ['a', 'b'] and '-a-'.split('-') == ['', 'a', ''] and ''.split('-') == ['']",
    "'a--b--c'.rsplit('--') == ['a', 'b', 'c'] and 'a b'.rsplit(' ', 0) == ['a b']",
    "''.split() == [] and '  '.split() == [] and ' a  b '.split(None) == ['a', 'b'] and 'a\\tb'.split() == ['a', 'b']",
    "''.splitlines() == [] and 'a'.splitlines() == ['a'] and 'a\\n\\nb\\n'.splitlines() == ['a', '', 'b']",
    "list('a=b=c'.partition('=')) == ['a', '=', 'b=c'] and list('a=b=c'.rpartition('=')) == ['a=b', '=', 'c']",
    "list('a'.partition('=')) == ['a', '', ''] and list('a'.rpartition('=')) == ['', '', 'a']",
    "'aaa'.replace('a', 'b') == 'bbb' and 'aaa'.replace('a', 'b', 2) == 'bba' and 'aaa'.replace('a', 'b', 0) == 'aaa'",
    "'aaa'.replace('a', 'b', -9223372036854775807 - 1) == 'bbb'",
    "'aaa'.replace('a', 'b', -1) == 'bbb' and 'aaa'.replace('aa', '') == 'a' and 'abc'.replace('x', 'y') == 'abc'",
    "'aaa'.replace('a', 'b', count=1) == 'baa' and 'a.b'.replace('.', '--') == 'a--b'",
    "'-'.join([]) == '' and '-'.join(['a']) == 'a' and '-'.join(('a', 'b')) == 'a-b' and ''.join(['', 'a', '']) == 'a'",
    "'{}{}'.format('a', 1) == 'a1' and '{1}{0}{1}'.format('a', 'b') == 'bab' and '{x}'.format('a', x='c') == 'c'",
    "'{{{}}}'.format('a') == '{a}' and '}}{{'.format() == '}{' and ''.format() == '' and 'a'.format() == 'a'",
    "'{999}' != 'a' and '{001}'.format('a', 'b') == 'b'",
    "import k\n'{0.size}-{t.size}'.format(k.one, t=k.two) == '1-2'",
    "'a'.encode() == 'a' and 'a'.decode('ascii') == 'a'",
    "'0123456789'.isdigit() and not '1a'.isdigit() and not ''.isdigit() and not '-1'.isdigit()",
    "'abcbc'.find('bc') == 1 and 'abc'.find('') == 0 and 'abc'.find('d') == -1",
};

constexpr std::string_view open_of_texts[] = {
    "'a'.startswith()",
    "'abc'.startswith('b', 1)",
    "'abc'.endswith('b', 0, 2)",
    "'a'.startswith(5)",
    "'a'.endswith(('b', 5))",
    "'a'.removeprefix() == 'a'",
    "'a'.removesuffix(5) == 'a'",
    "'a'.strip(None) == 'a'",
    "'a b'.split(None, 1) == ['a', 'b']",
    "'a b'.split(maxsplit=1) == ['a', 'b']",
    "'a'.split('') == []",
    "'a'.split(5) == []",
    "'a-b'.split('-', 'x') == []",
    "'a'.partition('') == []",
    "'a'.partition(5) == []",
    "'a'.partition() == []",
    "'a'.replace() == 'a'",
    "'a'.replace('a') == 'a'",
    "'a'.replace(5, 'b') == 'a'",
    "'a'.replace(what(), 'b') == 'a'",
    "'a'.replace('', 'b') == 'bab'",
    "'a'.replace('a', 5) == 'a'",
    "'a'.replace('a', 'b', 'x') == 'b'",
    "'-'.join() == ''",
    "'-'.join(['a', 1]) == ''",
    "'-'.join(5) == ''",
    "'{}'.format() == ''",
    "'{1}'.format('a') == 'a'",
    "'{0000}'.format('a') == 'a'",
    "'{x}'.format('a') == 'a'",
    "'{'.format('a') == 'a'",
    "'a{0'.format('a') == 'a'",
    "'a}'.format() == 'a}'",
    "'a}b'.format() == 'a}b'",
    "'{}'.format(None) == 'None'",
    "'{0.absent}'.format('a') == 'a'",
    "'abc'.find('b', 0) == 1",
    "'abc'.find() == 0",
    "'é'.lower() == 'é'",
    "'é'.find('a') == -1",
};

}  // namespace

TEST_CASE("methods of texts give what Python's give") {
  AnswerWorld world;
  world.add("k.py", "class K:\n  def __init__(self, size): self.size = size\none = K(1)\ntwo = K(2)\n");
  check_answers(world, true_of_texts, "true");
}

TEST_CASE("what methods of texts make of too little, too much or other kinds of values is not known") {
  check_answers(AnswerWorld(), open_of_texts, "open");
}

TEST_CASE("a text is followed up to its longest length, by each way of making it") {
  AnswerWorld world;
  const std::string half = "h = 'x' * 32768\n", most = half + "m = h + 'x' * 32767\n";
  CHECK(world(half + "len(h + h) == 65536") == "open");
  CHECK(world(most + "len(m) == 65535") == "true");
  CHECK(world(half + "len(''.join([h, h])) == 65536") == "true");
  CHECK(world(half + "len(''.join([h, h, 'x'])) == 65537") == "open");
  CHECK(world(half + "len('{}{}'.format(h, h)) == 65536") == "true");
  CHECK(world(half + "len('{}{}{}'.format(h, h, 'x')) == 65537") == "open");
  CHECK(world(half + "len('yy'.replace('y', h)) == 65536") == "true");
  CHECK(world(half + "len('yyz'.replace('y', h).replace('z', 'zz')) == 65538") == "open");
  CHECK(world(half + "len('yyy'.replace('y', h)) == 98304") == "open");
  CHECK(world(most + "m += 'x'\nlen(m) == 65536") == "open");
  CHECK(world(half + "h += 'x' * 32767\nlen(h) == 65535") == "true");
}
