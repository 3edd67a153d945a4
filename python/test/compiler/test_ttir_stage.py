"""What the passes of the stage ttir make of a program, run and compared with NumPy. The programs are TTIR text."""

import numpy as np
import pytest
import triton

pytestmark = pytest.mark.usefixtures("host_device")


@pytest.fixture
def run(tmp_path):
    """Compiles TTIR text, whose kernel is `k`, and runs it over a grid of one dimension."""

    def launch(text, grid, *arguments):
        path = tmp_path / "kernel.ttir"
        path.write_text(text)
        kernel = triton.compile(str(path), target=triton.runtime.driver.active.get_current_target())
        kernel[(grid, 1, 1)](*arguments)

    return launch


POISON = np.float32(-12345.0)

BLOCK_POINTERS = """
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c16 : i32
  %m64 = arith.extsi %m : i32 to i64
  %n64 = arith.extsi %n : i32 to i64
  %init = tt.make_tensor_ptr %in, [%m64, %n64], [%n64, %one], [%row, %c0] {order = array<i32: 1, 0>}
      : <tensor<16x32xf32>>
  LOOP
  %q = tt.make_tensor_ptr %out, [%m64], [%one], [%row] {order = array<i32: 0>} : <tensor<16xf32>>
  tt.store %q, %r#0 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  tt.return
}
"""

BODY = """
    %x = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf32>>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<16x32xf32>) -> tensor<16xf32>
    %u = arith.addf %sum, %s : tensor<16xf32>
    %next = tt.advance %p, [%c0, %c32] : <tensor<16x32xf32>>
"""

FOR = f"""%r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%sum = %zero, %p = %init)
      -> (tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>) : i32 {{
    {BODY}
    scf.yield %u, %next : tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>
  }} {{tt.loop_unroll_factor = FACTOR : i32}}
"""

WHILE = f"""%r:3 = scf.while (%sum0 = %zero, %p0 = %init, %i0 = %c0)
      : (tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>, i32) -> (tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>, i32) {{
    %more = arith.cmpi slt, %i0, %n : i32
    scf.condition(%more) %sum0, %p0, %i0 : tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>, i32
  }} do {{
  ^bb0(%sum: tensor<16xf32>, %p: !tt.ptr<tensor<16x32xf32>>, %i: i32):
    {BODY}
    %j = arith.addi %i, %c32 : i32
    scf.yield %u, %next, %j : tensor<16xf32>, !tt.ptr<tensor<16x32xf32>>, i32
  }}
"""


@pytest.mark.parametrize("m, n", [(16, 32), (37, 70), (5, 1), (3, 0)])
@pytest.mark.parametrize("loop", ["for", "unrolled", "while"])
def test_block_pointers_in_loops(run, rng, loop, m, n):
    code = WHILE if loop == "while" else FOR.replace("FACTOR", "2" if loop == "unrolled" else "1")
    text = BLOCK_POINTERS.replace("LOOP", code)
    x = rng.random((m, n), dtype=np.float32)
    out = np.full(m + 40, POISON)
    run(text, -(-m // 16), x, out, m, n)
    np.testing.assert_allclose(out[:m], x.sum(1, dtype=np.float64), rtol=1e-5)
    assert (out[m:] == POISON).all()


@pytest.mark.parametrize("padding, outside", [(1, 0.0), (2, np.nan)])
def test_block_pointer_reaches_before_and_after_the_array(run, rng, padding, outside):
    text = f"""
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32, %start: i32) {{
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i64
  %n64 = arith.extsi %n : i32 to i64
  %p = tt.make_tensor_ptr %in, [%n64], [%one], [%start] {{order = array<i32: 0>}} : <tensor<32xf32>>
  %x = tt.load %p {{boundaryCheck = array<i32: 0>, padding = {padding} : i32}} : !tt.ptr<tensor<32xf32>>
  %q = tt.make_tensor_ptr %out, [%c32], [%one], [%c0] {{order = array<i32: 0>}} : <tensor<32xf32>>
  tt.store %q, %x : !tt.ptr<tensor<32xf32>>
  tt.return
}}
"""
    x = rng.random(20, dtype=np.float32)
    for start in (-40, -5, 0, 3, 40):
        out = np.full(32, POISON)
        run(text, 1, x, out, 20, start)
        indices = np.arange(start, start + 32)
        inside = (indices >= 0) & (indices < 20)
        expected = np.where(inside, x[np.clip(indices, 0, 19)], np.float32(outside))
        np.testing.assert_array_equal(out, expected)


DESCRIPTORS = """
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %sums: !tt.ptr<f32>, %m: i32, %n: i32) {
  %one = arith.constant 1 : i64
  %c8 = arith.constant 8 : i32
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c8 : i32
  %column = arith.constant 16 : i32
  %n64 = arith.extsi %n : i32 to i64
  %d = tt.make_tensor_descriptor %in, [%m, %n], [%n64, %one] : <f32>, <tensor<8x16xf32>>
  %e = tt.make_tensor_descriptor %out, [%m, %n], [%n64, %one] : <f32>, <tensor<8x16xf32>>
  %s = tt.make_tensor_descriptor %sums, [%m, %n], [%n64, %one] : <f32>, <tensor<8x16xf32>>
  %x = tt.descriptor_load %d[%row, %column] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.descriptor_store %e[%row, %column], %x : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.descriptor_reduce add, %s[%row, %column], %x : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.return
}
"""


@pytest.mark.parametrize("m, n", [(8, 32), (13, 27), (1, 17)])
def test_descriptors(run, rng, m, n):
    x = rng.random((m, n), dtype=np.float32)
    out, sums = np.full((m, n), POISON), rng.random((m, n), dtype=np.float32)
    expected_out, expected_sums = out.copy(), sums.copy()
    expected_out[:, 16:32] = x[:, 16:32]
    expected_sums[:, 16:32] += x[:, 16:32]
    run(DESCRIPTORS, -(-m // 8), x, out, sums, m, n)
    np.testing.assert_array_equal(out, expected_out)
    np.testing.assert_array_equal(sums, expected_sums)


def test_rows_by_descriptor(run, rng):
    text = """
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32, %column: i32) {
  %one = arith.constant 1 : i64
  %n64 = arith.extsi %n : i32 to i64
  %three = arith.constant dense<3> : tensor<8xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %rows = arith.muli %range, %three : tensor<8xi32>
  %d = tt.make_tensor_descriptor %in, [%m, %n], [%n64, %one] : <f32>, <tensor<1x16xf32>>
  %e = tt.make_tensor_descriptor %out, [%m, %n], [%n64, %one] : <f32>, <tensor<1x16xf32>>
  %x = tt.descriptor_gather %d[%rows, %column]
      : (!tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  tt.descriptor_scatter %e[%rows, %column], %x : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<8x16xf32>
  tt.return
}
"""
    x = rng.random((17, 21), dtype=np.float32)
    out = np.full_like(x, POISON)
    expected = out.copy()
    expected[0:17:3, 9:] = x[0:17:3, 9:]
    run(text, 1, x, out, 17, 21, 9)
    np.testing.assert_array_equal(out, expected)


def test_carried_tensors(run, rng):
    """Pointers and integers that grow by uniform steps, one of which changes, used inside, after and across loops."""
    text = """
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %last: !tt.ptr<i8>, %n: i32, %step: i8) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %sixteen = arith.constant dense<16> : tensor<16xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %bytes = arith.trunci %range : tensor<16xi32> to tensor<16xi8>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p0 = tt.addptr %ins, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %p0, %v = %bytes)
      -> (tensor<16xf32>, tensor<16x!tt.ptr<f32>>, tensor<16xi8>) : i32 {
    %q:2 = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %sum, %o = %p)
        -> (tensor<16xf32>, tensor<16x!tt.ptr<f32>>) : i32 {
      %x = tt.load %o : tensor<16x!tt.ptr<f32>>
      %u = arith.addf %t, %x : tensor<16xf32>
      %next = tt.addptr %o, %sixteen : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      scf.yield %u, %next : tensor<16xf32>, tensor<16x!tt.ptr<f32>>
    }
    %is = tt.splat %i : i32 -> tensor<16xi32>
    %after = tt.addptr %q#1, %is : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %steps = tt.splat %step : i8 -> tensor<16xi8>
    %w = arith.addi %steps, %v : tensor<16xi8>
    scf.yield %q#0, %after, %w : tensor<16xf32>, tensor<16x!tt.ptr<f32>>, tensor<16xi8>
  }
  %final = tt.load %r#1 : tensor<16x!tt.ptr<f32>>
  %total = arith.addf %r#0, %final : tensor<16xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %outp = tt.addptr %outs, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %outp, %total : tensor<16x!tt.ptr<f32>>
  %lasts = tt.splat %last : !tt.ptr<i8> -> tensor<16x!tt.ptr<i8>>
  %lastp = tt.addptr %lasts, %range : tensor<16x!tt.ptr<i8>>, tensor<16xi32>
  tt.store %lastp, %r#2 : tensor<16x!tt.ptr<i8>>
  tt.return
}
"""
    x = rng.integers(0, 100, 1024).astype(np.float32)
    for n in (0, 1, 7):
        out, last = np.full(16, POISON), np.zeros(16, np.int8)
        run(text, 1, x, out, last, n, 100)
        position, expected = 0, np.zeros(16, np.float32)
        for i in range(n):
            for _ in range(2):
                expected += x[position : position + 16]
                position += 16
            position += i
        expected += x[position : position + 16]
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(last, (np.arange(16) + 100 * n).astype(np.int8))


def test_a_load_moved_out_of_a_loop_that_does_not_run_reads_nothing(run, rng):
    text = """
tt.func public @k(%address: i64, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %p = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %s = arith.addf %sum, %x : f32
    scf.yield %s : f32
  }
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}
"""
    x = rng.random(1, dtype=np.float32)
    out = np.full(1, POISON)
    with triton.testing.accessible_memory(x):
        run(text, 1, x.ctypes.data, out, 3)
    np.testing.assert_allclose(out, 3 * x, rtol=1e-6)
    run(text, 1, 16, out, 0)
    assert out[0] == 0


RETURNS = """
tt.func public @k(%out: !tt.ptr<f32>, %n: i32) {
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c16 = arith.constant 16 : i32
  %c2 = arith.constant 2 : i32
  %ones = arith.constant dense<1.0> : tensor<16xf32>
  %twos = arith.constant dense<2.0> : tensor<16xf32>
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c16 : i32
  %base = tt.addptr %out, %first : !tt.ptr<f32>, i32
  %bases = tt.splat %base : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p = tt.addptr %bases, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %outside = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %outside, ^leave, ^stay
^leave:
  tt.return
^stay:
  tt.store %p, %ones : tensor<16x!tt.ptr<f32>>
  %low = arith.cmpi slt, %pid, %c2 : i32
  cf.cond_br %low, ^also, ^more
^also:
  tt.return
^more:
  tt.store %p, %twos : tensor<16x!tt.ptr<f32>>
  tt.return
}
"""


def test_returns_from_the_middle(run):
    """Triton's TTIR has them as branches between blocks."""
    out = np.full((5, 16), POISON, np.float32)
    run(RETURNS, 5, out, 3)
    np.testing.assert_array_equal(out, np.repeat(np.array([1, 1, 2, POISON, POISON], np.float32), 16).reshape(5, 16))


BRANCHES_OF_SCALARS = """
tt.func public @k(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  tt.grid_dependency_wait
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %source = tt.splat %in : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %source, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %from : tensor<64x!tt.ptr<f32>>
  tt.grid_dependency_launch_dependents
  %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %negative = arith.cmpf olt, %a, %zero : f32
    cf.cond_br %negative, ^end(%zero : f32), ^test(%a : f32)
  ^test(%b: f32):
    %large = arith.cmpf ogt, %b, %half : f32
    cf.cond_br %large, ^again, ^end(%b : f32)
  ^again:
    %c = arith.mulf %b, %half : f32
    cf.br ^test(%c : f32)
  ^end(%d: f32):
    tt.map_elementwise.return %d : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %target, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %to, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
"""


def test_branches_in_functions_of_scalars(run, rng):
    x = rng.uniform(-2, 9, 64).astype(np.float32)
    out = np.full(64, np.nan, np.float32)
    run(BRANCHES_OF_SCALARS, 1, x, out)
    expected = np.maximum(x, 0)
    while (expected > 0.5).any():
        expected = np.where(expected > 0.5, expected / 2, expected)
    np.testing.assert_array_equal(out, expected)


OUTER_SCALARS = {
    "argument": ("", "", "%n"),
    "computed": ("%m = arith.addi %n, %n : i32", "%r = arith.subi %m, %n : i32", "%r"),
    "beside the program": ("", "%p = tt.get_program_id x : i32\n %r = arith.addi %p, %n : i32", "%r"),
    "in a branch": (
        "%c = arith.cmpi sgt, %n, %n : i32",
        "%r = scf.if %c -> i32 {\n scf.yield %a : i32\n} else {\n scf.yield %n : i32\n}",
        "%r",
    ),
}


@pytest.mark.parametrize("outer", OUTER_SCALARS)
@pytest.mark.parametrize("op", ["reduce", "scan"])
def test_combinations_use_scalars_of_the_function(run, op, outer):
    before, inside, value = OUTER_SCALARS[outer]
    scan = ", reverse = false" if op == "scan" else ""
    result = "tensor<16xi32>" if op == "scan" else "i32"
    store = "%pointers, %y : tensor<16x!tt.ptr<i32>>" if op == "scan" else "%out, %y : !tt.ptr<i32>"
    text = f"""
tt.func public @k(%out: !tt.ptr<i32>, %n: i32) {{
  %i = tt.make_range {{end = 16 : i32, start = 0 : i32}} : tensor<16xi32>
  %splat = tt.splat %out : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %pointers = tt.addptr %splat, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  {before}
  %y = "tt.{op}"(%i) <{{axis = 0 : i32{scan}}}> ({{
  ^bb0(%a: i32, %b: i32):
    {inside}
    tt.{op}.return {value} : i32
  }}) : (tensor<16xi32>) -> {result}
  tt.store {store}
  tt.return
}}
"""
    out = np.zeros(16, np.int32)
    run(text, 1, out, 7)
    expected = [0] + [7] * 15 if op == "scan" else [7] + [0] * 15
    np.testing.assert_array_equal(out, expected)
