"""Right programs whose text changed at random: the compiler may take or refuse them, at a place, and nothing else.

Only their compilation is tried, as what a mutant does to memory is anybody's guess.
"""

import ast
import re

from . import mistakes

TOKEN = re.compile(r"\w+\.?\w*|\*\*|//|<<|>>|[<>=!]=|\S|\n *| +")
NUMBERS = ("0", "1", "-1", "2", "3", "7", "16", "33", "255", "1024", "65536", "2147483647", "2147483648", "-2147483649")
NUMBERS += ("9223372036854775807", "18446744073709551616", "1.5", "1e400", "None", "True", "()", "[2]", '"x"')
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@", "<", "==", "and", "or", "is", "in")
TYPES = ("int1", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32")
TYPES += ("float64", "float8e5", "float8e4nv", "void")
FUNCTIONS = (
    "sum",
    "max",
    "argmin",
    "cumsum",
    "sort",
    "flip",
    "trans",
    "reshape",
    "join",
    "split",
    "gather",
    "where",
    "dot",
)
FUNCTIONS += (
    "load",
    "store",
    "atomic_add",
    "expand_dims",
    "histogram",
    "topk",
    "reduce",
    "broadcast_to",
    "abs",
    "cast",
)
FUNCTIONS += ("ravel", "cat", "interleave", "zeros", "full", "arange", "static_range", "range", "minimum", "fma", "exp")
#: Statements that may come anywhere, with names of the program in place of A, B and C.
STATEMENTS = (
    "A = B",
    "A = (B, C)",
    "A, B = C",
    "A = B[None]",
    "A = B[:, None]",
    "A[0] = B",
    "A.x = B",
    "del A",
    "A = [B, C][0]",
    "A = B if C else A",
    "A = not B",
    "A += B",
    "A: tl.constexpr = B",
    "A = lambda x: x",
    "A = tl.static_range(B)",
    "A = f'{B}'",
    "return A",
    "return",
    "break",
    "continue",
    "pass",
    "assert A, 'no'",
    "global A",
    "raise A",
    "import A",
    "A = B()",
    "A = tl.reduce(B, 0, C)",
    "A = tl.tuple([B, C])",
    "A = {B: C}",
    "A = B < C < A",
    "A = tl.where(B, C, A)",
    "A = *B, C",
    "A = (A := B)",
    "tl.static_assert(A == B)",
    "tl.device_print('A', A)",
    "tl.debug_barrier()",
    "A = B.to(C.dtype)",
    "A = B.shape[0] + C",
    "A = tl.constexpr(B)",
    "A = [B for B in C]",
    "A = tl.dot(B, C, A)",
    "A = tl.load(B + C, A)",
    "A = B.T",
    "A = kernel(B)",
)


def mutate(program, text):
    """The text with one to three changes after its first lines; Python at least can read it."""
    for _ in range(50):
        lines = text.split("\n")
        for _ in range(program.random.choice([1, 1, 1, 2, 3])):
            _change(program.random, lines)
        changed = "\n".join(lines)
        try:
            ast.parse(changed)
        except (SyntaxError, ValueError):
            continue
        if changed != text and changed.count("@triton.jit") == text.count("@triton.jit"):
            return changed
    return text


def _change(random, lines):
    body = [at for at, line in enumerate(lines) if at > 3 and line.startswith("    ")]
    if not body:
        return
    at = random.choice(body)
    kind = random.random()
    names = re.findall(r"\b[a-z]+\d+\b", "\n".join(lines))
    if kind < 0.1:
        lines[at] = ""
    elif kind < 0.2:
        lines.insert(random.choice(body), lines[at])
    elif kind < 0.3:
        other = random.choice(body)
        lines[at], lines[other] = lines[other], lines[at]
    elif kind < 0.4:
        lines[at] = "    " + lines[at]
        lines.insert(at, lines[at][: len(lines[at]) - len(lines[at].lstrip()) - 4] + _head(random, names))
    elif kind < 0.55:
        statement = re.sub(r"\b[ABC]\b", lambda _: random.choice(names), random.choice(STATEMENTS))
        lines.insert(at, lines[at][: len(lines[at]) - len(lines[at].lstrip())] + statement)
    else:
        _change_token(random, lines, at, names)


def _head(random, names):
    name = random.choice(names)
    forms = [f"if {name}:", f"while {name}:", f"for {name} in range(3):", f"for i in range({name}):", f"with {name}:"]
    forms += [
        f"for i in tl.static_range({name}):",
        f"if {name} > 1:",
        "if True:",
        "while True:",
        "def inner():",
        "try:",
    ]
    return random.choice(forms)


def _change_token(random, lines, at, names):
    tokens = TOKEN.findall(lines[at])
    places = [place for place, token in enumerate(tokens) if not token.isspace()]
    if not places:
        return
    place = random.choice(places)
    token = tokens[place]
    if token.isdigit():
        tokens[place] = random.choice([*NUMBERS, random.choice(names)])
    elif token in OPERATORS:
        tokens[place] = random.choice(OPERATORS)
    elif token.startswith("tl.") and token[3:] in TYPES:
        tokens[place] = f"tl.{random.choice(TYPES)}"
    elif token.startswith("tl."):
        tokens[place] = f"tl.{random.choice(FUNCTIONS)}"
    elif token in names:
        tokens[place] = random.choice([random.choice(names), random.choice(names), random.choice(NUMBERS)])
    else:
        tokens[place] = random.choice(["", token + token, random.choice(tokens)])
    lines[at] = "".join(tokens)


def judge(error):
    """None where the error is one that a program may get, otherwise what is wrong with it."""
    words = str(error).removeprefix("PTXAS error: ")
    # Only the assembler reads what a mutant made of inline assembly.
    if type(error).__name__ not in (*mistakes.ERRORS, "PTXASError"):
        return f"not an error about the program, but {type(error).__name__}: {words}"
    if mistakes.INTERNAL.search(words):
        return f"an error inside the compiler: {words}"
    return None if mistakes.PLACE.match(words) else f"the error has no place: {words}"
