# ruff: noqa: F811
"""Kernels that are written anew in Gluon, and files of kernels alone, give what the kernels gave."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
import translated_kernels
import translated_names
import triton
from gluon_devices import gpu  # noqa: F401
from small_floats import Side
from triton import language as tl
from triton.experimental.gluon._jit import GluonJITFunction
from triton.tools.triton_to_gluon_translator._sources import constant_text
from triton.tools.triton_to_gluon_translator.slice_kernel import slice_kernel
from triton.tools.triton_to_gluon_translator.translator import convert_triton_to_gluon, translate_paths

NAMES = ("elementwise", "softmax", "matmul")


def loaded(text, path):
    """The module that a text is."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    text = convert_triton_to_gluon([getattr(translated_kernels, name) for name in NAMES], "generic")
    module = loaded(text, tmp_path_factory.mktemp("translated") / "translated.py")
    assert all(isinstance(getattr(module, name), GluonJITFunction) for name in (*NAMES, "clipped"))
    return module


def elementwise(device, kernel):
    x = np.linspace(-300, 300, 1000, dtype=np.float32)
    y = np.zeros_like(x)
    kernel[(4,)](device.put(x), device.put(y), 1000, 256)
    np.testing.assert_array_equal(device.get(y), np.maximum(np.minimum(2 * x, 4) + 128, 0))


def softmax(device, kernel):
    x = np.random.default_rng(0).standard_normal((16, 64)).astype(np.float32)
    y, sums = np.zeros((2, 16, 64), np.float32), np.zeros(64, np.float32)
    kernel[(1,)](device.put(x), device.put(y), device.put(sums), 16, 64)
    raised = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(device.get(y)[0], raised / raised.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(device.get(y)[1], 2 * x.T.reshape(16, 64))
    np.testing.assert_allclose(device.get(sums), x.max(0) + x.argmax(0) + raised.sum(), rtol=1e-5)


def matmul(device, kernel, dtype=np.float16):
    generator = np.random.default_rng(1)
    a, b = (generator.integers(-4, 5, shape).astype(dtype) for shape in ((50, 70), (70, 40)))
    c = np.zeros((50, 40), np.float32)
    kernel[(2, 2)](device.put(a), device.put(b), device.put(c), 50, 40, 70, 32, 32, 32)
    np.testing.assert_array_equal(device.get(c), a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("check", [elementwise, softmax, matmul], ids=lambda check: check.__name__)
def test_translated_kernels(gpu, translated, check):
    check(gpu, getattr(translated, check.__name__))


def test_products_without_a_matrix_unit(gpu, translated):
    matmul(gpu, translated.matmul, np.float32)


def test_a_file_of_kernels_alone(gpu, tmp_path):
    paths = [f"translated_kernels:{name}" for name in NAMES]
    module = loaded(slice_kernel(paths, [], target="sm90"), tmp_path / "alone.py")
    assert module.clipped.fn is not translated_kernels.clipped.fn
    matmul(gpu, module.matmul)
    text = slice_kernel(paths, [], leaf_paths=["translated_kernels:clipped"], translate_to_gluon=True, target="gfx942")
    assert "from translated_kernels import clipped" in text and "@gluon.jit" in text


@pytest.fixture(scope="module", params=["gluon", "alone"])
def names(request, tmp_path_factory):
    paths = ["translated_names:stepped", "translated_names:products"]
    text = slice_kernel(paths, [], translate_to_gluon=request.param == "gluon", target="sm90")
    assert "first =" in text and "object" not in text
    if request.param == "gluon":
        assert "in range(0, K, BK):" in text and "in range(0, N, BK):" in text and "in range(2):" in text
    return loaded(text, tmp_path_factory.mktemp("names") / f"names_{request.param}.py")


def test_names_that_are_others_too(gpu, names):
    x = np.random.default_rng(2).integers(-32, 17, 64).astype(np.float32) / 8
    y = np.zeros(16, np.float32)
    names.stepped[(1,)](gpu.put(x), gpu.put(y), 64, 20)
    np.testing.assert_array_equal(gpu.get(y), np.exp2(np.floor(x.reshape(4, 16).max(0) + 18.5)))


@pytest.mark.parametrize("operand, result", [(np.int8, np.int32), (np.float64, np.float64), (np.float16, np.float32)])
def test_types_of_products(gpu, names, operand, result):
    a, b = np.random.default_rng(3).integers(-100, 100, (2, 32, 32)).astype(operand)
    c = np.zeros((32, 32), result)
    names.products[(1,)](gpu.put(a), gpu.put(b), gpu.put(c), 32)
    np.testing.assert_array_equal(gpu.get(c), a.astype(result) @ b.astype(result))


def test_texts_of_constants():
    assert constant_text(-np.inf) == 'float("-inf")' and constant_text(np.float64(0.5)) == "0.5"
    assert constant_text(tl.constexpr(tl.bfloat16)) == "tl.constexpr(tl.bfloat16)"
    assert constant_text(translated_names.SHAPES) == "[(1, tl.float16), [float(\"nan\"), 'x']]"
    assert constant_text(()) == "()" and constant_text([None, (True, 2)]) == "[None, (True, 2)]"
    assert constant_text((1, object())) is None and constant_text(tl.pointer_type(tl.int8)) is None
    with pytest.raises(triton.TritonError, match="`helpers` is `.*` in a kernel that is written in Gluon, and not 3"):
        convert_triton_to_gluon([translated_names.through_helpers], "generic")


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(triton.TritonError, match=r"translated_kernels.py:\d+: `tl.make_block_ptr` has no counterpart"):
        convert_triton_to_gluon([translated_kernels.through_block_pointer], "generic")
    with pytest.raises(triton.TritonError, match="the target of a translation is one of generic, sm80"):
        translate_paths(["translated_kernels:softmax"], "sm70")
    with pytest.raises(triton.TritonError, match="there is no kernel 'translated_kernels:hardmax': module"):
        translate_paths(["translated_kernels:hardmax"], "sm80")
    with pytest.raises(triton.TritonError, match="a kernel is named as `module.path:object`"):
        slice_kernel(["softmax"], [], target="sm90")


@pytest.mark.parametrize("formats", [("e4m3", "e5m2"), ("e2m1", "e4m3"), ("e5m2", "fp16")])
def test_products_with_scales(gpu, tmp_path, formats):
    if "e4m3" in formats and not gpu.knows("float8_e4m3fn"):
        pytest.skip("the device does not know the type")
    text = convert_triton_to_gluon([translated_kernels.scaled_matmul], "generic")
    rng = np.random.default_rng(4)
    a, b = (
        Side(rng, format, 32, 64, 32, True, True, left) for format, left in zip(formats, (True, False), strict=True)
    )
    c = np.zeros((32, 32), np.float32)
    arrays = [gpu.put(array) for array in (a.stored, b.stored, a.scale, b.scale, c)]
    loaded(text, tmp_path / "scaled.py").scaled_matmul[(1,)](*arrays, 64, *formats)
    np.testing.assert_allclose(gpu.get(arrays[4]), a.numbers @ b.numbers.T, rtol=2e-3, atol=1e-2)


def test_what_no_block_is_combined_with_keeps_its_layout():
    text = convert_triton_to_gluon([translated_kernels.softmax], "generic")
    assert "flipped = helpers.settled(tl.trans(block).reshape(M, N))" in text
    assert "helpers.settled(ttgl.split(ttgl.join(flipped, helpers.settled(block.T.reshape([M, N])))))" in text


def test_from_the_command_line(tmp_path):
    module = "triton.tools.triton_to_gluon_translator.translator"
    command = [sys.executable, "-m", module, "translated_kernels:softmax", "--output-path", "softmax.py"]
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path), "PATH": ""}
    subprocess.run(command, check=True, cwd=tmp_path, env=environment)
    assert "helpers.tl_arange(0, M)" in (tmp_path / "softmax.py").read_text()
    (tmp_path / "noisy.py").write_text("from translated_kernels import softmax\nprint('imported')\n")
    command[2:] = ["triton.tools.triton_to_gluon_translator.slice_kernel", "noisy:softmax"]
    command += ["--target", "sm90"]
    done = subprocess.run(command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "def softmax(" in done.stdout and "imported" not in done.stdout and "imported" in done.stderr
