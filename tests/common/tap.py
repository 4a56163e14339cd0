"""Test results in the Test Anything Protocol, as Meson's `protocol: 'tap'` reads them."""

import sys


class Tap:
    """Numbers the test points, and prints the plan when all are known."""

    def __init__(self, out=sys.stdout):
        self.out = out
        self.count = 0
        self.failed = 0

    def ok(self, passed, name, details=()):
        """One test point. `details` are printed, as comments, only if it failed."""
        self.count += 1
        self._write(f"{'ok' if passed else 'not ok'} {self.count} - {_one_line(name)}")
        if not passed:
            self.failed += 1
            for detail in details:
                self.comment(detail)
        return passed

    def skip(self, name, reason):
        self.count += 1
        self._write(f"ok {self.count} - {_one_line(name)} # SKIP {_one_line(reason)}")

    def comment(self, text):
        self._write(f"# {_one_line(str(text))}")

    def bail_out(self, reason):
        """Nothing can be tested at all: say so, and end with a failure."""
        self._write(f"Bail out! {_one_line(reason)}")
        sys.exit(1)

    def finish(self):
        """Prints the plan; returns the exit status of the script. No test point at all is a failure."""
        self._write(f"1..{self.count}")
        return 1 if self.failed or self.count == 0 else 0

    def _write(self, line):
        print(line, file=self.out, flush=True)


def _one_line(text):
    # A file name in a detail may hold a newline, an escape code or bytes that are not UTF-8.
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)


def first(items, limit=20):
    """The first few of many details, and how many more there are."""
    items = list(items)
    rest = len(items) - limit
    return items[:limit] + ([f"... and {rest} more"] if rest > 0 else [])
