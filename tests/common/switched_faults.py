"""All faults of a source in one compilation: each is switched on by its number when the program runs.

Of `a < b` becomes `(FAULT(7) ? (a <= b) : (a < b))`, and of `f(x);` becomes `if (FAULT(8)) ; else f(x);`. It is no
parser: what does not compile is found by the messages of the compiler, which name the line of a switch (`at_line`).
"""

import bisect
from dataclasses import dataclass, field

ASSIGNS = ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=")
LEFT_ENDS = ("(", "[", "{", ",", ";", "?", ":", "return", "throw", "else", "do", "case", "co_return", *ASSIGNS)
RIGHT_ENDS = (")", "]", "}", ",", ";", "?", ":")
STATEMENTS = ("jump dropped", "early end dropped", "call dropped", "insertion dropped", "assignment dropped")
GOES_ON = (".", "<<", ">>", "+", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "/", "%", "|")  # behind `Type{}`
HEADS = ("if", "for", "while", "switch", "constexpr", "catch")
NO_TYPE = ("new", "delete", "sizeof", "not", "and", "or", "co_await", "operator", "template", "typename")
TYPES = {"struct", "class", "union"}
FOR_THE_COMPILER = {"static_assert", "case", "enum", "template", "consteval", "constinit", "alignas", "using"}


@dataclass
class Site:
    """The expression or statement that faults replace as a whole."""

    start: int
    end: int
    macro: str
    faults: list = field(default_factory=list)  # (number, fault)
    inner: list = field(default_factory=list)  # sites within it


def is_constexpr(head):
    return any(word == "constexpr" and before != "if" for before, word in zip(["", *head], head))


class Switched:
    """A source with those of its faults that `numbered` gives: (number, Fault), in the order of the file.

    `written` is the source with all of them, `left_out` are the numbers of those that have no place in it.
    """

    def __init__(self, source, numbered):
        self.source, self.text, self.at = source, source.text, source.at
        self.starts = [token.start for token in source.tokens]
        self.left_out, self.no_longer_constexpr = [], {}
        sites = {}
        for number, fault in numbered:
            place = self.place_of(fault)
            if place:
                sites.setdefault(place, Site(*place)).faults.append((number, fault))
            else:
                self.left_out.append(number)
        self.parts, self.lines, self.line = [], [], 1  # lines: (where a part begins, the numbers of its faults)
        self.write_range(0, len(self.text), self.nested(sites.values()), ())
        self.written = "".join(self.parts)

    def at_line(self, line):
        """The faults whose switch stands on this line of what is written."""
        ends = [begin for begin, _ in self.lines[1:]] + [self.line]
        return {number for (begin, numbers), end in zip(self.lines, ends) if begin <= line <= end for number in numbers}

    # Where a fault can be switched

    def place_of(self, fault):
        """(start, end, macro) of the text that stands there twice; None if there can be no switch."""
        first = bisect.bisect_left(self.starts, fault.start)
        if fault.kind in STATEMENTS:
            if not self.is_in_function(first):
                return None
            start, end = fault.start, fault.end
        elif fault.kind == "condition negated":
            start, end = fault.start, fault.end
        else:
            last = bisect.bisect_left(self.starts, fault.end) - 1
            if fault.kind == "arguments swapped":  # the whole call
                opened = next(self.enclosing(first))
                first, last = opened - 1, self.source.partner[opened]
            left, right = self.left_end(first), self.right_end(last)
            if left is None or right is None or self.is_declaration(left, right):
                return None
            start, end = self.starts[left], self.source.tokens[right].end
        macro = self.macro_at(first)
        return macro and (start, end, macro)

    def is_in_function(self, i):
        around = next(self.enclosing(i), None)
        return around is not None and self.at(around) == "{" and not (TYPES | {"namespace"}) & set(self.head(around))

    def left_end(self, i):
        """Where the expression begins that token i stands in."""
        while i > 0:
            before = self.at(i - 1)
            if before in LEFT_ENDS or (before == "}" and self.at(i) not in GOES_ON):
                return i
            if before in (")", "]", "}"):
                opened = self.source.opened_by.get(i - 1)
                if opened is None or (before == ")" and self.at(opened - 1) in HEADS):
                    return None if opened is None else i
                i = opened
            else:
                i -= 1
        return None

    def right_end(self, i):
        while i + 1 < len(self.source.tokens):
            if self.at(i + 1) in RIGHT_ENDS:
                return i
            i = self.source.partner.get(i + 1, i + 1)
        return None

    def is_declaration(self, first, last):
        """`Type name(a, b)` or `Type& name(a, b)`, which is no expression."""
        i = first
        while i < last:
            word = self.source.tokens[i]
            is_type = (word.kind == "name" and word.text not in NO_TYPE) or (
                word.text in (">", "&", "*", "&&") and self.text[word.start - 1] != " ")
            if is_type and self.source.tokens[i + 1].kind == "name":
                return True
            i = self.source.partner.get(i, i) + 1
        return False

    def enclosing(self, i):
        """The brackets that are open at token i, innermost first."""
        while i > 0:
            i -= 1
            if i in self.source.opened_by:
                i = self.source.opened_by[i]
            elif i in self.source.partner:
                yield i

    def head(self, i):
        """The words of the statement or declaration at token i that stand before it."""
        begin = i
        while begin > 0 and self.at(begin - 1) not in (";", "{", "}"):
            begin -= 1
        return [self.at(each) for each in range(begin, i)]

    def macro_at(self, i):
        """FAULT; MAYBE_FAULT where the compiler may evaluate it as well, for which no fault is on; None where only the
        compiler does."""
        head = self.head(i)
        is_variable = is_constexpr(head)
        if FOR_THE_COMPILER & set(head) or (is_variable and not self.make_variable(i, head)):
            return None
        macro = "FAULT"
        for depth, opened in enumerate(self.enclosing(i)):
            head = self.head(opened)
            if self.at(opened) != "{":
                continue
            if "enum" in head:
                return None
            if is_constexpr(head) and self.at(opened - 1) in (")", "const", "noexcept"):
                macro = "MAYBE_FAULT"  # a function's body
            elif is_constexpr(head) and not self.make_variable(opened, head):
                return None
            elif depth == 0 and TYPES & set(head) and not is_variable:
                macro = "MAYBE_FAULT"  # a member's first value
        return macro

    def make_variable(self, i, head):
        """`constexpr int most = 5` becomes `const int most = 5`; False if it is no such declaration."""
        if "=" not in head:
            return False
        token = i - len(head) + max(k for k, word in enumerate(head) if word == "constexpr")
        around = next(self.enclosing(token), None)
        in_type = around is not None and TYPES & set(self.head(around))
        self.no_longer_constexpr[self.starts[token]] = "inline const" if in_type else "const"
        return True

    # How it is written

    def nested(self, sites):
        tops, around = [], []
        for site in sorted(sites, key=lambda site: (site.start, -site.end)):
            while around and around[-1].end <= site.start:
                around.pop()
            if around and site.end > around[-1].end:  # each has a part of the other
                self.left_out += [number for number, _ in site.faults]
                continue
            (around[-1].inner if around else tops).append(site)
            around.append(site)
        return tops

    def put(self, text, numbers):
        self.lines.append((self.line, tuple(numbers)))
        self.parts.append(text)
        self.line += text.count("\n")

    def write_range(self, start, end, sites, numbers):
        for site in sites:
            self.put(self.plain(start, site.start), numbers)
            self.write_site(site)
            start = site.end
        self.put(self.plain(start, end), numbers)

    def plain(self, start, end):
        text = self.text[start:end]
        for at, word in sorted(self.no_longer_constexpr.items(), reverse=True):
            if start <= at < end:
                text = text[:at - start] + word + text[at - start + len("constexpr"):]
        return text

    def write_site(self, site):
        closing, others = "", []
        for number, fault in site.faults:
            switch = f"{site.macro}({number})"
            if fault.kind in STATEMENTS:
                is_if = fault.kind == "early end dropped"
                self.put(f"\nif ({switch}) ; else " + "{ " * is_if, [number])
                closing = " }" * is_if + closing
            elif fault.kind == "condition negated":
                self.put(f"\n{switch} != static_cast<bool>(\n", [number])
                closing = ")" + closing
            else:
                others.append((number, fault, switch))
        numbers = [number for number, _ in site.faults]
        if others:
            self.put("(", numbers)
            for number, fault, switch in others:
                to_bool = "static_cast<bool>" if fault.kind == "negation dropped" else ""
                instead = self.text[site.start:fault.start] + fault.text + self.text[fault.end:site.end]
                self.put(f"\n{switch} ? {to_bool}({instead}) :\n", [number])
            self.put("(", numbers)
            closing = "))" + closing
        self.write_range(site.start, site.end, site.inner, numbers)
        self.put(closing + "\n" * bool(closing), numbers)
