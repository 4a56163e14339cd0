#!/usr/bin/env python3
"""Compares cudald's tree of Python sources with that of Python's own ast.

    syntax_tree.py PRINT_TREE [FOLDER...]
    syntax_tree.py --trees

Each FOLDER's sources, all below it, are parsed by both; those that this Python does not accept are left out. Without
any it is the standard library of the Python that runs this. Output is TAP, a line for each folder.

With --trees it is trees.txt that is held against ast: what the unit tests hold the parser against.
"""

import ast
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))

from tap import Tap  # noqa: E402

AT_ONCE = 200
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests"}


def node(name, *children):
    return name + ("(" + " ".join(children) + ")" if children else "")


def optional(value):
    return "missing" if value is None else show(value)


def block(statements):
    return node("block", *map(show, statements))


def show(one):
    return globals()["show_" + type(one).__name__](one)


def show_Name(one):
    return "name:" + one.id


def show_Constant(one):
    if isinstance(one.value, (str, bytes)):
        return "text"
    words = {None: "none", True: "true", False: "false", Ellipsis: "ellipsis"}
    return "number" if isinstance(one.value, (int, float, complex)) and not isinstance(one.value, bool) \
        else words[one.value]


def show_JoinedStr(one):
    fields = "".join(show(part.value) + " " for part in one.values if isinstance(part, ast.FormattedValue))
    return f"text({fields})" if fields else "text"


def show_Tuple(one):
    return node("tuple", *map(show, one.elts))


def show_List(one):
    return node("list", *map(show, one.elts))


def show_Set(one):
    return node("set", *map(show, one.elts))


def show_Dict(one):
    return node("dict", *(node("double_starred", show(value)) if key is None else node("pair", show(key), show(value))
                          for key, value in zip(one.keys, one.values)))


def show_Starred(one):
    return node("starred", show(one.value))


def show_Attribute(one):
    return f"attribute:{one.attr}({show(one.value)})"


def shown_arguments(args, keywords):
    # ast has positional arguments first; by their places they are as in the source.
    both = sorted(args + keywords, key=lambda part: (part.lineno, part.col_offset))
    return [show(part) for part in both]


def show_keyword(one):
    return node("double_starred", show(one.value)) if one.arg is None else f"keyword:{one.arg}({show(one.value)})"


def show_Call(one):
    return node("call", show(one.func), *shown_arguments(one.args, one.keywords))


def show_Subscript(one):
    return node("subscript", show(one.value), show(one.slice))


def show_Slice(one):
    return node("slice", *map(optional, [one.lower, one.upper, one.step]))


def show_UnaryOp(one):
    return node("negation" if isinstance(one.op, ast.Not) else "sign", show(one.operand))


def show_Await(one):
    return node("await", show(one.value))


RANKS = {ast.BitOr: 1, ast.BitXor: 2, ast.BitAnd: 3, ast.LShift: 4, ast.RShift: 4, ast.Add: 5, ast.Sub: 5}


def show_BinOp(one):
    return node("operation", show(one.left), "operator", show(one.right))


def show_Compare(one):
    others = [part for right in one.comparators for part in ("operator", show(right))]
    return node("comparison", show(one.left), *others)


def show_BoolOp(one):
    return node("conjunction" if isinstance(one.op, ast.And) else "disjunction", *map(show, one.values))


def show_IfExp(one):
    return node("conditional", show(one.test), show(one.body), show(one.orelse))


def show_Lambda(one):
    return node("lambda", shown_parameters(one.args), show(one.body))


def show_NamedExpr(one):
    return node("named", show(one.target), show(one.value))


def show_Yield(one):
    return node("yield", optional(one.value))


show_YieldFrom = show_Yield


def shown_comprehension(one, element):
    clauses = [node("for_clause", show(part.target), show(part.iter), *map(show, part.ifs)) for part in one.generators]
    return node("comprehension", element, *clauses)


def show_ListComp(one):
    return shown_comprehension(one, show(one.elt))


show_SetComp = show_GeneratorExp = show_ListComp


def show_DictComp(one):
    return shown_comprehension(one, node("pair", show(one.key), show(one.value)))


def show_Expr(one):
    return show(one.value)


def show_Assign(one):
    return node("assignment", show(one.value), *map(show, one.targets))


def show_AugAssign(one):
    return node("augmented", show(one.target), show(one.value))


def show_AnnAssign(one):
    return node("annotated", show(one.target), show(one.annotation), optional(one.value))


def show_alias(one):
    return node("imported_name", "dotted_name" + (":" + one.name if one.name != "*" else ":"),
                *([] if one.name == "*" else ["name:" + one.asname if one.asname else "missing"]))


def show_Import(one):
    return node("import", *map(show, one.names))


def show_ImportFrom(one):
    return node(f"from_import:{one.level}", "dotted_name:" + one.module if one.module else "missing",
                *map(show, one.names))


def show_Return(one):
    return node("return", *([show(one.value)] if one.value else []))


def show_Raise(one):
    return node("raise", *(show(part) for part in (one.exc, one.cause) if part))


def show_Break(_):
    return "break"


def show_Continue(_):
    return "continue"


def show_Pass(_):
    return "pass"


show_TypeAlias = show_Pass


def show_Delete(one):
    return node("delete", *map(show, one.targets))


def show_Global(one):
    return node("global", *("name:" + name for name in one.names))


def show_Nonlocal(one):
    return node("nonlocal", *("name:" + name for name in one.names))


def show_Assert(one):
    return node("assert", *(show(part) for part in (one.test, one.msg) if part))


def show_If(one):
    parts = []
    while True:
        parts += [show(one.test), block(one.body)]
        if len(one.orelse) != 1 or not isinstance(one.orelse[0], ast.If) or one.orelse[0].is_else:
            break
        one = one.orelse[0]
    return node("if", *parts, *([block(one.orelse)] if one.orelse else []))


def show_While(one):
    return node("while", show(one.test), block(one.body), *([block(one.orelse)] if one.orelse else []))


def show_For(one):
    return node("for", show(one.target), show(one.iter), block(one.body), *([block(one.orelse)] if one.orelse else []))


show_AsyncFor = show_For


def show_Try(one):
    return node("try", block(one.body), *map(show, one.handlers),
                *([node("else", block(one.orelse))] if one.orelse else []),
                *([node("finally", block(one.finalbody))] if one.finalbody else []))


show_TryStar = show_Try


def show_ExceptHandler(one):
    return node("handler", optional(one.type), "name:" + one.name if one.name else "missing", block(one.body))


def show_With(one):
    return node("with", *(node("item", show(item.context_expr), optional(item.optional_vars)) for item in one.items),
                block(one.body))


show_AsyncWith = show_With


def show_Match(one):
    return node("match", show(one.subject), *(f"case(PATTERN {optional(case.guard)} {block(case.body)})"
                                              for case in one.cases))


def decorators(one):
    return node("decorators", *map(show, one.decorator_list)) if one.decorator_list else "missing"


def show_ClassDef(one):
    return node("class", "name:" + one.name, decorators(one),
                node("arguments", *shown_arguments(one.bases, one.keywords)), block(one.body))


def show_FunctionDef(one):
    return node("function", "name:" + one.name, decorators(one), shown_parameters(one.args), optional(one.returns),
                block(one.body))


show_AsyncFunctionDef = show_FunctionDef


def shown_parameters(args):
    def shown(one, default):
        return f"parameter:{one.arg}({optional(one.annotation)} {optional(default)})"

    positional = args.posonlyargs + args.args
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
    parts = [shown(one, default) for one, default in zip(positional, defaults)]
    if args.vararg:
        parts.append(shown(args.vararg, None))
    elif args.kwonlyargs:
        parts.append("parameter:(missing missing)")
    parts += [shown(one, default) for one, default in zip(args.kwonlyargs, args.kw_defaults)]
    if args.kwarg:
        parts.append(shown(args.kwarg, None))
    return node("parameters", *parts)


def mark_else(tree, lines):
    """`elif` and an `if` in `else:` are one to ast."""
    for one in ast.walk(tree):
        if isinstance(one, ast.If):
            one.is_else = not lines[one.lineno - 1].encode()[one.col_offset:].startswith(b"elif")


def tree_of_ast(path):
    data = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(data)
    mark_else(tree, ast._splitlines_no_ff(data.decode(errors="replace")))
    result = []
    for statement in tree.body:
        first = statement.decorator_list[0] if getattr(statement, "decorator_list", None) else statement
        result.append((first.lineno if first is statement else None, show(statement)))
    return result


def flattened(text):
    """Operations of one rank are one node here, and nested in ast; so brackets of operations are not compared."""
    out, stack = [], []
    i = 0
    while i < len(text):
        if text.startswith("operation(", i):
            stack.append(True)
            i += len("operation(")
        elif text[i] == "(":
            stack.append(False)
            out.append("(")
            i += 1
        elif text[i] == ")":
            if not stack.pop():
                out.append(")")
            i += 1
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def without_patterns(text):
    out = []
    at = 0
    while (begin := text.find(" case(", at)) >= 0:
        begin += len(" case(")
        out += [text[at:begin], "PATTERN"]
        depth, i = 0, begin
        while depth > 0 or text[i] != " ":
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            i += 1
        at = i
    return "".join(out) + text[at:]


def printed(program, paths):
    output = subprocess.run([program, *map(str, paths)], stdout=subprocess.PIPE, check=True).stdout
    trees = {}
    for line in output.decode(errors="replace").splitlines():
        if line.startswith("# "):
            current = trees.setdefault(line[2:], [])
        else:
            number, _, rest = line.partition(" ")
            current.append((int(number), rest))
    return trees


def first_difference(path, line, expected, given):
    at = next((i for i, (a, b) in enumerate(zip(expected, given)) if a != b), min(len(expected), len(given)))
    return f"{path}:{line}: {expected[max(at - 40, 0):at + 40]} -- {given[max(at - 40, 0):at + 40]}"


def parsed(output):
    lines = (line.partition(" ") for line in output.splitlines())
    return [(int(number), rest) for number, _, rest in lines]


def differences(program, paths):
    """(how many were compared, the first difference of each that differs)"""
    return compare(printed(program, paths), paths)


def compare(trees, paths):
    compared, found = 0, []
    for path in paths:
        try:
            expected = tree_of_ast(path)
        except (SyntaxError, ValueError, RecursionError):
            continue
        compared += 1
        given = trees[str(path)]
        for (line, text), (line_given, text_given) in zip(expected, given):
            text, text_given = flattened(text), flattened(without_patterns(text_given))
            if line not in (None, line_given) or text != text_given:
                found.append(first_difference(path, line_given, text, text_given))
                break
        else:
            if len(expected) != len(given):
                found.append(f"{path}: {len(expected)} statements, {len(given)} here")
    return compared, found


def compare_kept_trees(tap):
    text = (pathlib.Path(__file__).parent / "trees.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        trees = {}
        for i, section in enumerate(text.split("\n== source\n")[1:]):
            source, _, tree = section.partition("\n== tree\n")
            path = pathlib.Path(folder, f"{i}.py")
            path.write_text(source + "\n", encoding="utf-8")
            trees[str(path)] = parsed(tree)
        compared, found = compare(trees, [pathlib.Path(path) for path in trees])
    tap.ok(compared == len(trees) > 10 and not found, f"{compared} sources have the tree of ast", found)
    return tap.finish()


def main():
    tap = Tap()
    if sys.argv[1] == "--trees":
        return compare_kept_trees(tap)
    for folder in sys.argv[2:] or [sysconfig.get_path("stdlib")]:
        paths = sorted(path for path in pathlib.Path(folder).rglob("*.py")
                       if path.is_file() and not LEFT_OUT & set(path.parts))
        compared, found = 0, []
        for at in range(0, len(paths), AT_ONCE):
            more, differ = differences(sys.argv[1], paths[at:at + AT_ONCE])
            compared += more
            found += differ
        tap.ok(compared > 0 and not found, f"{compared} sources below {folder} have the tree of ast", found[:20])
    return tap.finish()


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    sys.exit(main())
