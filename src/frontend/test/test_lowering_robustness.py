"""Whatever a kernel says, lowering it ends soon with valid TTIR or with diagnostics."""
import os
import random
import re

import pytest
from frontend_tool import ROOT

SOURCES = sorted((ROOT / "src/frontend/test").glob("lowering/*.py")) + \
    sorted((ROOT / "src/frontend/test").glob("builtins/*.py"))
TOKEN = re.compile(r"\w+|\s+|.")
EXTRA = ["None", "0", "-1", "2**100", "1.5", '""', "(1, 2)", "()", "True", "tl.float16", "tl.float8e5", "if", "else", "not",
         "lambda", "[None]", "[:, None]", ".to(tl.int8)", "*", "**", "//", "@"]


def mutate(text, rng):
    """The text with a few tokens replaced, removed, inserted or exchanged."""
    tokens = TOKEN.findall(text)
    places = [index for index, token in enumerate(tokens) if token.strip()]
    words = [tokens[place] for place in places] + EXTRA * 3
    for _ in range(rng.choice([1, 2, 4, 8, 16])):
        place = rng.choice(places)
        kind = rng.randrange(4)
        if kind == 0:
            tokens[place] = rng.choice(words)
        elif kind == 1:
            tokens[place] = ""
        elif kind == 2:
            tokens[place] += " " + rng.choice(words)
        else:
            other = rng.choice(places)
            tokens[place], tokens[other] = tokens[other], tokens[place]
    return "".join(tokens)


@pytest.mark.parametrize("seed", range(int(os.environ.get("TRITON_FUZZ_SEEDS", 4))))
def test_mutated_kernels(seed, frontend_dump, tmp_path):
    rng = random.Random(seed)
    files = []
    for source in SOURCES:
        path = tmp_path / f"{source.parent.name}_{source.name}"
        path.write_text(mutate(source.read_text(), rng))
        files.append(path)
    for path, output in zip(files, frontend_dump.run(files, "lowering")):
        assert "the lowered module is invalid" not in output, path.read_text()
