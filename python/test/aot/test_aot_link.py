"""Variants of kernels joined by the linker."""

import ctypes
import itertools

import numpy as np
import pytest
from aot_programs import STAND_INS, build, compile_aot, compile_everywhere, run_tool
from triton.tools.link import LinkerError, link_headers


def pointer(array, offset=0):
    return ctypes.c_void_p(array.ctypes.data + offset)


def headers_of(sources):
    return [source.with_suffix(".h") for source in sources]


def scale_variants(folder, block, target="cpu", sizes=("", ":16", ":1")):
    """Variants of `scale` whose size has these hints."""
    signature = "*fp32{}, *fp32{}, i32{}, fp32, {}"
    hints = [(hint, size) for hint, size in itertools.product(("", ":16"), sizes)]
    texts = [signature.format(hint, hint, size, block) for hint, size in hints]
    return [compile_aot(folder, "scale", text, "(n + BLOCK - 1) / BLOCK, 1, 1", target) for text in texts]


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """Six variants with two algorithms for one size of block, and two with the other, in one library."""
    folder = tmp_path_factory.mktemp("linked")
    functions, sources = zip(*scale_variants(folder, 64), *scale_variants(folder, 32, sizes=("",)), strict=True)
    header, source = link_headers(headers_of(sources), folder / "all")
    compile_everywhere(folder, source)
    traced = []
    for function, path in zip(functions, sources, strict=True):
        # Each call of a variant leaves its number.
        text = path.read_text()
        text = text.replace("  (void)stream;\n", f"  last_variant = {len(traced)};\n  (void)stream;\n")
        path.write_text("extern int last_variant;\n" + text)
        traced.append(function)
    (folder / "last.c").write_text("int last_variant = -1;\n")
    return build(folder, [source, folder / "last.c", *sources]), traced


def call(library, function, x, out, n, *more, offset=0):
    ctypes.c_int.in_dll(library, "last_variant").value = -1
    code = getattr(library, function)(None, pointer(x, offset), pointer(out, offset), n, ctypes.c_double(2), *more)
    return code, ctypes.c_int.in_dll(library, "last_variant").value


def test_the_variant_with_the_most_hints_that_hold(linked):
    library, functions = linked
    x = np.arange(256, dtype=np.float32)
    aligned = np.zeros(260, np.float32)
    assert x.ctypes.data % 16 == 0 and aligned.ctypes.data % 16 == 0
    chosen = {}
    for n, offset in itertools.product((100, 112, 1), (0, 4)):
        out = np.zeros(260, np.float32)
        algorithm = 1 if n == 1 else 0
        code, variant = call(library, "scale", x, out, n, algorithm, offset=offset)
        assert code == 0
        chosen[n, offset] = functions[variant]
        first = offset // 4
        expected = np.zeros(260, np.float32)
        expected[first : first + n] = 2 * x[first : first + n]
        np.testing.assert_array_equal(out, expected)
    suffixes = {key: name.rsplit("_", 1)[1] for key, name in chosen.items()}
    assert suffixes == {
        (100, 0): "0d1d", (112, 0): "0d1d2d", (1, 0): "0d1d2c", (100, 4): "", (112, 4): "2d", (1, 4): "2c",
    }  # fmt: skip


def test_algorithms(linked):
    library, functions = linked
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    assert library.scale_get_num_algos() == 3
    assert functions[call(library, "scale_default", x, out, 3)[1]].startswith("scale_")
    assert call(library, "scale", x, out, 3, 2)[1] >= 6  # the algorithm with the other block
    assert call(library, "scale_32_warps1xstages3", x, out, 3)[1] >= 6
    for wrong in (-1, 3, 1000):
        assert call(library, "scale", x, out, 3, wrong) == (22, -1)
    # The algorithm for the size 1 has no variant for others.
    assert call(library, "scale", x, out, 3, 1) == (22, -1)
    for name in ("scale", "scale_32_warps1xstages3"):
        getattr(library, f"load_{name}")()
        getattr(library, f"unload_{name}")()


def test_hints_behind_constants(tmp_path):
    """The position of a parameter among those of C is not that among the kernel's."""
    text = (
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def copy(A: tl.constexpr, out, B: tl.constexpr, n):\n"
        "    tl.store(out, n + A * 0 + B)\n"
    )
    (tmp_path / "k.py").write_text(text)
    variants = [
        compile_aot(tmp_path, "copy", f"7, *i32, {b}, i32{hint}", "1, 1, 1", path=tmp_path / "k.py")
        for b, hint in ((0, ":16"), (0, ""))
    ]
    _, source = link_headers(headers_of(path for _, path in variants), tmp_path / "all")
    assert "if ((uintptr_t)n % 16 == 0)" in source.read_text()
    library = build(tmp_path, [source, *(path for _, path in variants)])
    out = np.zeros(1, np.int32)
    for n in (16, 5):
        assert library.copy_default(None, pointer(out), n) == 0
        assert out[0] == n


def test_several_kernels(tmp_path):
    _, first = compile_aot(tmp_path, "scale", "*fp32, *fp32, i32, fp32, 64", "n, 1, 1")
    _, second = compile_aot(tmp_path, "program_ids", "*i32", "2, 2, 2")
    _, source = link_headers(headers_of([first, second]), tmp_path / "all")
    library = build(tmp_path, [source, first, second])
    out = np.zeros(8, np.int32)
    assert library.program_ids(None, pointer(out), 0) == 0
    assert out[7] == 10101
    assert library.scale_get_num_algos() == library.program_ids_get_num_algos() == 1


@pytest.mark.parametrize("target", ["cuda:80:32", "hip:gfx942:64"])
def test_gpus(tmp_path, target):
    functions, sources = zip(*scale_variants(tmp_path, 64, target, sizes=("", ":16")), strict=True)
    _, source = link_headers(headers_of(sources), tmp_path / "all")
    compile_everywhere(tmp_path, source)
    backend = target.split(":")[0]
    library = build(tmp_path, [source, *sources, STAND_INS / f"{backend}.c"])
    address = ctypes.c_uint64
    for x, out, n, suffix in ((256, 512, 32, "0d1d2d"), (256, 512, 33, "0d1d"), (260, 512, 32, "2d"), (1, 2, 3, "")):
        assert library.scale_default(None, address(x), address(out), n, ctypes.c_double(1)) == 0
        function = next(name for name in functions if name.endswith("_" + suffix))
        assert ctypes.c_void_p.in_dll(library, f"{function}_func").value is not None
    assert library.scale(None, address(0), address(0), 1, ctypes.c_double(1), 7) == 1
    library.unload_scale()
    assert ctypes.c_int.in_dll(library, "fake_unloads").value == 4


def test_headers_of_triton(tmp_path):
    """Those of Triton 3.9 have no line with the positions of parameters."""
    header = tmp_path / "addk.h"
    header.write_text(
        "// tt-linker-backend: cuda\n\nvoid unload_addk_f01625bd_0d1d2c(void);\n"
        "// tt-linker: addk_f01625bd_0d1d2c:CUdeviceptr x, CUdeviceptr y, int32_t n:64x1_warps4xstages3\n"
    )
    _, source = link_headers([header], tmp_path / "all")
    text = source.read_text()
    assert "TT_ResultTy addk_64x1_warps4xstages3(TT_StreamTy stream, CUdeviceptr x, CUdeviceptr y, int32_t n)" in text
    assert "n == 1)" in text and "return addk_f01625bd_0d1d2c(stream, x, y);" in text


LINE = "// tt-linker: {}:{}:64_warps4xstages3\n"
GOOD = LINE.format("k_01234567_0d", "CUdeviceptr x, int32_t n")
CUDA = "// tt-linker-backend: cuda\n"
BAD_HEADERS = {
    "a name without parts": (CUDA + LINE.format("k", "int32_t n"), "a.h:2: `k` is not a valid kernel name"),
    "a hash that is none": (CUDA + LINE.format("k_0123456_", "int32_t n"), "a.h:2: `k_0123456_` is not a valid"),
    "hints that are none": (CUDA + LINE.format("k_01234567_0x", "int32_t n"), "`k_01234567_0x` is not a valid"),
    "a hint for nothing": (CUDA + LINE.format("k_01234567_3d", "int32_t n"), "a hint for parameter 3"),
    "no type": (CUDA + LINE.format("k_01234567_", "n"), "a.h:2: `n` is not a parameter of C"),
    "no constants": (CUDA + "// tt-linker: k_01234567_:int32_t n\n", "a.h:2: a line `// tt-linker:` has three parts"),
    "no backend": (GOOD, "a.h:1: a line `// tt-linker-backend:` must come first"),
    "an unknown backend": ("// tt-linker-backend: metal\n" + GOOD, "a.h:1: there is no backend `metal`"),
    "another file": ("int main(void) { return 0; }\n", "a.h: this is not a header of the ahead-of-time compiler"),
    "an empty file": ("", "a.h: this is not a header"),
    "positions that do not fit": (CUDA + "// tt-linker-parameters: 0\n" + GOOD, "a.h:3: the line `// tt-linker-para"),
    "positions that are none": (CUDA + "// tt-linker-parameters: x\n" + GOOD, "a.h:2: `x` is not the number"),
    "twice the same": (
        CUDA + GOOD + GOOD,
        "a.h:3: there are two functions `k_01234567_0d`; the other one is from a.h:2",
    ),
    "overlapping conditions": (
        CUDA + GOOD + GOOD.replace("01234567", "89abcdef"),
        "a.h:3: `k_89abcdef_0d` would never be called: `k_01234567_0d` (a.h:2) has the same constants and hints",
    ),
    "mixed backends": (
        CUDA + GOOD + "// tt-linker-backend: hip\n" + GOOD.replace("01234567", "89abcdef"),
        "a.h:4: `k_89abcdef_0d` is for the backend hip, but `k_01234567_0d` (a.h:2) is for cuda",
    ),
    "other types": (
        CUDA + GOOD + LINE.format("k_89abcdef_", "CUdeviceptr x, int64_t n"),
        "a.h:3: `k_89abcdef_` takes (CUdeviceptr x, int64_t n), but `k_01234567_0d` (a.h:2) takes (CUdeviceptr x, int3",
    ),
    "a kernel and an algorithm of one name": (
        CUDA + GOOD + LINE.format("k_64_warps4xstages3_89abcdef_", "int32_t n"),
        "there are two functions `k_64_warps4xstages3`",
    ),
}


@pytest.mark.parametrize("text, message", BAD_HEADERS.values(), ids=BAD_HEADERS)
def test_bad_headers(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.h").write_text(text)
    with pytest.raises(LinkerError) as caught:
        link_headers(["a.h"], "out")
    assert message in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.h"]


def test_command_line(tmp_path):
    (tmp_path / "a.h").write_text(CUDA + GOOD)
    done = run_tool("link", "a.h", "-o", "out", "--prefix", "ignored", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.h", "out.h", "out.c"}
    done = run_tool("link", "a.h", "missing.h", "-o", "other", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: cannot read `missing.h`: No such file or directory\n"
    (tmp_path / "folder.c").mkdir()
    done = run_tool("link", "a.h", "-o", "folder", cwd=tmp_path)
    assert done.returncode == 1 and "cannot write `folder.c`: Is a directory" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.h", "out.h", "out.c", "folder.c"}
    assert run_tool("link", "-o", "out").returncode == 2


def test_results_of_linking_are_no_variants(tmp_path):
    """So `out/*.h` names the same variants a second time."""
    (tmp_path / "a.h").write_text(CUDA + GOOD)
    link_headers([tmp_path / "a.h"], tmp_path / "out")
    before = (tmp_path / "out.c").read_bytes()
    link_headers(sorted(tmp_path.glob("*.h")), tmp_path / "out")
    assert (tmp_path / "out.c").read_bytes() == before
    with pytest.raises(LinkerError, match="no headers to link; give those of single variants"):
        link_headers([tmp_path / "out.h"], tmp_path / "other")
