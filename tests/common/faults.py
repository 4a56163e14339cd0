"""Small faults as people make them, for C and C++ sources: where each could stand, found by the tokens of a file.

It is no parser: what does not compile is for the caller to see.
"""

import bisect
import re
from dataclasses import dataclass

TOKENS = re.compile(
    r"""(?P<blank>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*|\s+)
      | (?P<text>R"(?P<end>[^()\s\\]{0,16})\(.*?\)(?P=end)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<number>\d(?:'?[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|->|::|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\S)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|[1-9][\d']*|0)([uUlLzZ]*)")
OTHER_SIGN = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
OTHER_NAME = {"true": "false", "false": "true", "min": "max", "max": "min"}
JUMPS = ("return", "continue", "break", "throw")
INSERTS = ("push_back", "emplace_back", "insert", "emplace", "push", "append")
NO_STATEMENT = JUMPS + ("if", "for", "while", "switch", "do", "else", "case", "default", "using", "delete", "goto",
                        "assert", "static_assert", "template", "namespace", "public", "private", "static", "const",
                        "auto")
# Faults that nothing could notice: in what is the same either way round, and in what only makes room.
SYMMETRIC = ("min", "max", "swap", "equal_ignoring_case")
MAKES_ROOM = ("reserve", "JsonObject")
OPEN, CLOSE = "([{", ")]}"


@dataclass
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass
class Fault:
    kind: str
    start: int
    end: int
    text: str  # what stands there instead
    line: int

    def applied(self, source):
        """With as many lines as before, as assertions are compiled with the number of theirs."""
        lines_gone = source[self.start:self.end].count("\n") - self.text.count("\n")
        return source[:self.start] + self.text + "\n" * lines_gone + source[self.end:]


def enumerations(sources):
    """Name of an enum class -> its values, in order."""
    found = {}
    for source in sources:
        plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)
        for name, body in re.findall(r"\benum\s+class\s+(\w+)[^{;]*\{([^}]*)\}", plain):
            values = [value.split("=")[0].strip() for value in body.split(",")]
            found[name] = [value for value in values if value]
    return found


class Source:
    """The tokens of one file, and the faults that could be put into it."""

    def __init__(self, text, enums):
        self.text, self.enums = text, enums
        self.tokens = [Token(match.lastgroup if match.lastgroup != "end" else "text", match.group(), match.start())
                       for match in TOKENS.finditer(text) if not match.group("blank")]
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.partner = self.brackets()
        self.opened_by = {close_at: open_at for open_at, close_at in self.partner.items()}

    def brackets(self):
        partner, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in OPEN:
                stack.append(i)
            elif token.kind == "sign" and token.text in CLOSE and stack:
                partner[stack.pop()] = i
        return partner

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def faults(self):
        for i, token in enumerate(self.tokens):
            for kind, start, end, text in self.at_token(i, token):
                yield Fault(kind, start, end, text, bisect.bisect_left(self.newlines, start) + 1)

    def at_token(self, i, token):
        if token.kind == "sign":
            yield from self.signs(i, token)
        elif token.kind == "number":
            yield from self.numbers(i, token)
        elif token.kind == "name":
            yield from self.names(i, token)
            if i == 0 or self.begins_statement(i):
                yield from self.statements(i, token)

    def signs(self, i, token):
        spaced = self.text[token.start - 1:token.start] == " " and self.text[token.end:token.end + 1].isspace()
        if token.text in OTHER_SIGN and spaced and self.at(i - 1) != "operator":
            kind = {"&": "and or", "|": "and or", "=": "equality", "!": "equality"}.get(token.text[0], "comparison")
            yield kind, token.start, token.end, OTHER_SIGN[token.text]
        if token.text == "!" and self.at(i - 1) in ("(", "&&", "||", "return", "=", ",", "?"):
            yield "negation dropped", token.start, token.end, ""
        if token.text == "(" and i in self.partner and self.tokens[i - 1].kind == "name" \
                and self.at(i - 1) not in SYMMETRIC:
            yield from self.arguments(i)

    def numbers(self, i, token):
        match = NUMBER.fullmatch(token.text)
        # `JsonObject fields(4)`, `names.reserve(4)`
        only_room = self.at(i - 1) == "(" and {self.at(i - 2), self.at(i - 3)} & set(MAKES_ROOM)
        if not match or only_room:
            return
        digits, suffix = match.groups()
        value = int(digits.replace("'", ""), 0)
        for other in (value + 1, value - 1):
            if other >= 0:
                spelled = hex(other) if digits[:2] in ("0x", "0X") else str(other)
                yield "constant", token.start, token.end, spelled + suffix

    def names(self, i, token):
        if token.text in OTHER_NAME and (token.text in ("true", "false") or self.at(i - 1) == "::"):
            yield "other word", token.start, token.end, OTHER_NAME[token.text]
        if token.text in ("if", "while") and self.at(i + 1) == "(" and i + 1 in self.partner:
            yield from self.negated(i + 1)
        values = self.enums.get(self.at(i - 2), ()) if self.at(i - 1) == "::" else ()
        if token.text in values and len(values) > 1:
            at = values.index(token.text)
            yield "neighbour in enum", token.start, token.end, values[at + 1 if at + 1 < len(values) else at - 1]

    def negated(self, open_at):
        close_at, start = self.partner[open_at], open_at + 1
        inner = range(open_at + 1, close_at)
        for i in inner:
            if self.at(i) == ";":
                start = i + 1
        # `if (const auto x = f())` declares a name, which cannot be negated.
        if start < close_at and not any(self.at(i) == "=" for i in inner if i >= start):
            begin, end = self.tokens[start].start, self.tokens[close_at].start
            yield "condition negated", begin, end, f"!({self.text[begin:end]})"

    def arguments(self, open_at):
        """Two neighbours of one kind change places: both names, or both constants."""
        close_at, parts, begin, i = self.partner[open_at], [], open_at + 1, open_at + 1
        while i <= close_at:
            if i == close_at or self.at(i) == ",":
                parts.append((begin, i))
                begin = i + 1
            i = self.partner.get(i, i) + 1
        for (a, b), (c, d) in zip(parts, parts[1:]):
            kinds = self.kind_of(a, b), self.kind_of(c, d)
            if kinds[0] and kinds[0] == kinds[1]:
                first = self.text[self.tokens[a].start:self.tokens[b - 1].end]
                second = self.text[self.tokens[c].start:self.tokens[d - 1].end]
                between = self.text[self.tokens[b - 1].end:self.tokens[c].start]
                if first != second:
                    yield "arguments swapped", self.tokens[a].start, self.tokens[d - 1].end, second + between + first

    def kind_of(self, begin, end):
        tokens = self.tokens[begin:end]
        if len(tokens) == 1 and tokens[0].kind in ("text", "number"):
            return tokens[0].kind
        chain = all(token.kind == ("name" if i % 2 == 0 else "sign") for i, token in enumerate(tokens))
        links = all(token.text in (".", "->", "::") for token in tokens[1::2])
        return "name" if tokens and len(tokens) % 2 == 1 and chain and links else None

    def begins_statement(self, i):
        if self.at(i - 1) in (";", "{", "}", "else"):
            return True
        # `if (...) statement`
        before = self.at(self.opened_by.get(i - 1, 0) - 1)
        return self.at(i - 1) == ")" and before in ("if", "for", "while", "constexpr")

    def statements(self, i, token):
        if token.text in ("continue", "break") and self.at(i + 1) == ";":
            yield "jump dropped", token.start, token.end, ""
        if token.text == "if" and self.at(i + 1) == "(" and i + 1 in self.partner:
            after = self.partner[i + 1] + 1
            end = self.end_of_statement(after)
            if self.at(after) in JUMPS and end and self.at(end + 1) != "else":
                yield "early end dropped", token.start, self.tokens[end].end, ";"
        if token.text in NO_STATEMENT:
            return
        chain = i + 1
        while self.at(chain) in (".", "->", "::") and chain + 1 < len(self.tokens):
            chain += 2
        end = self.end_of_statement(i)
        if not end:
            return
        if self.at(chain - 1) in MAKES_ROOM:
            return
        if self.at(chain) == "(" and self.partner.get(chain) == end - 1:
            kind = "insertion dropped" if self.at(chain - 1) in INSERTS else "call dropped"
            yield kind, token.start, self.tokens[end].end, ";"
        elif self.at(chain) in ("=", "+=", "|=", "&=", "-="):
            yield "assignment dropped", token.start, self.tokens[end].end, ";"

    def end_of_statement(self, i):
        while i < len(self.tokens):
            if self.at(i) == ";":
                return i
            if self.at(i) in ("}", ")") or self.tokens[i].kind == "sign" and self.at(i) == "{":
                return None
            i = self.partner.get(i, i) + 1
        return None
