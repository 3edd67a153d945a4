"""Wrong kernels. Each takes an array of float32, one of int32 and an int, and has one line that is marked with what its
error must say: `# error: regular expression`. `# unsupported:` and `# assertion:` ask for these classes of error."""
# ruff: noqa

import numpy as np

import triton
import triton.language as tl

GLOBAL_LIST = [1, 2]
GLOBAL_INT = 5


def plain_function(x):
    return x


@triton.jit
def undefined_name(x, i, n):
    tl.store(x, undefined)  # error: undefined


@triton.jit
def misspelled_builtin(x, i, n):
    tl.store(x, tl.lod(x))  # error: `lod`


@triton.jit
def global_int(x, i, n):
    tl.store(x, GLOBAL_INT)  # error: GLOBAL_INT.*constexpr


@triton.jit
def global_list(x, i, n):
    tl.store(x, GLOBAL_LIST)  # error: GLOBAL_LIST.*list


@triton.jit
def calls_plain_function(x, i, n):
    tl.store(x, plain_function(1.0))  # error: plain_function.*jit


@triton.jit
def calls_numpy(x, i, n):
    tl.store(x, np.sin(1.0))  # error: sin


@triton.jit
def arange_not_power_of_two(x, i, n):
    k = tl.arange(0, 100)  # error: 100.*power|power.*100


@triton.jit
def arange_of_runtime_value(x, i, n):
    k = tl.arange(0, n)  # error: constexpr|compile


@triton.jit
def shapes_do_not_match(x, i, n):
    a = tl.arange(0, 8) + tl.arange(0, 16)  # error: 8.*16


@triton.jit
def float_offset(x, i, n):
    a = tl.load(x + 1.5)  # error: 1.5.*integers


@triton.jit
def float_index_block(x, i, n):
    a = tl.load(x + tl.arange(0, 8).to(tl.float32))  # error: fp32|float


@triton.jit
def adds_pointers(x, i, n):
    a = x + i  # error: pointer


@triton.jit
def bitwise_on_floats(x, i, n):
    a = tl.load(x) & 3  # error: &


@triton.jit
def floor_division_of_floats(x, i, n):
    a = tl.load(x) // 2.0  # error: //


@triton.jit
def mixed_signedness(x, i, n):
    a = tl.load(i) // tl.load(i).to(tl.uint32)  # error: sign


@triton.jit
def exp_of_integer(x, i, n):
    a = tl.exp(tl.load(i))  # error: int32


@triton.jit
def load_of_number(x, i, n):
    a = tl.load(n)  # error: pointer


@triton.jit
def other_without_mask(x, i, n):
    a = tl.load(x, other=0.0)  # error: other.*mask|mask.*other


@triton.jit
def bad_cache_modifier(x, i, n):
    a = tl.load(x, cache_modifier=".xy")  # error: \.xy


@triton.jit
def block_stored_to_scalar(x, i, n):
    tl.store(x, tl.zeros((8,), tl.float32))  # error: scalar|8


@triton.jit
def dot_shapes(x, i, n):
    a = tl.dot(tl.zeros((16, 32), tl.float32), tl.zeros((16, 32), tl.float32))  # error: 32.*16|16.*32


@triton.jit
def dot_dtypes(x, i, n):
    a = tl.dot(tl.zeros((16, 16), tl.float32), tl.zeros((16, 16), tl.float16))  # error: fp32.*fp16|dtype


@triton.jit
def reshape_count(x, i, n):
    a = tl.arange(0, 16).reshape(4, 8)  # error: 16.*32|32.*16


@triton.jit
def bad_axis(x, i, n):
    a = tl.sum(tl.zeros((4, 4), tl.float32), axis=2)  # error: axis


@triton.jit
def bad_program_axis(x, i, n):
    a = tl.program_id(3)  # error: 3


@triton.jit
def unknown_keyword(x, i, n):
    a = tl.load(x, masked=True)  # error: masked


@triton.jit
def missing_argument(x, i, n):
    tl.store(x)  # error: value


@triton.jit
def too_many_arguments(x, i, n):
    a = tl.program_id(0, 1)  # error: program_id


@triton.jit
def two_values(x, i, n):
    a = tl.program_id(0, axis=0)  # error: axis


@triton.jit
def index_by_number(x, i, n):
    a = tl.arange(0, 8)[0]  # error: index


@triton.jit
def unknown_attribute(x, i, n):
    a = tl.arange(0, 8).something  # error: something


@triton.jit
def block_condition(x, i, n):
    if tl.arange(0, 8) > 3:  # unsupported: block|condition|scalar|\[8\]
        tl.store(x, 1.0)


@triton.jit
def loop_changes_type(x, i, n):
    a = 0
    for k in range(n):
        a = a + 1.5  # error: int32.*fp32
    tl.store(x, a)


@triton.jit
def branches_disagree(x, i, n):
    if n > 3:
        a = 1  # error: int32.*fp32
    else:
        a = tl.zeros((8,), tl.float32)
    tl.store(x, a)


@triton.jit
def defined_in_one_branch(x, i, n):
    if n > 3:
        a = 1.0
    tl.store(x, a)  # error: `a`


@triton.jit
def loop_over_tensor(x, i, n):
    for k in tl.arange(0, 8):  # error: range
        tl.store(x, k)


@triton.jit
def endless_loop(x, i, n):
    while True:  # error: never ends
        n += 1


@triton.jit
def defined_unless_left(x, i, n):
    for k in tl.static_range(4):
        if k == n:
            break
        a = k
    tl.store(x, a)  # error: `a`


@triton.jit
def nested_class(x, i, n):
    class Inner:  # unsupported: class
        pass


@triton.jit
def uses_try(x, i, n):
    try:  # unsupported: try
        tl.store(x, 1.0)
    finally:
        pass


@triton.jit
def uses_yield(x, i, n):
    yield n  # unsupported: yield


@triton.jit
def uses_lambda(x, i, n):
    f = lambda k: k + n  # unsupported: lambda


@triton.jit
def uses_dict(x, i, n):
    a = {"b": 1}  # unsupported: dict


@triton.jit
def uses_import(x, i, n):
    import math  # unsupported: import


@triton.jit
def uses_global(x, i, n):
    global GLOBAL_INT  # unsupported: global


@triton.jit
def uses_del(x, i, n):
    del n  # unsupported: del


@triton.jit
def assigns_item(x, i, n):
    x[0] = 1.0  # unsupported: assign|tl.store


@triton.jit
def power_of_tensor(x, i, n):
    a = tl.load(x) ** 2  # error: \*\*


@triton.jit
def matmul_operator(x, i, n):
    a = tl.zeros((16, 16), tl.float32) @ tl.zeros((16, 16), tl.float32)  # error: @


@triton.jit
def static_assertion(x, i, n):
    tl.static_assert(1 > 2, "the message")  # assertion: the message


@triton.jit
def unpacking_count(x, i, n):
    a, b, c, d = (1, 2, 3)  # error: 3


@triton.jit
def narrowing_number(x, i, n):
    a = tl.load(i).to(tl.int8) + 200  # error: 200


@triton.jit
def bad_bitcast(x, i, n):
    a = tl.load(x).to(tl.int16, bitcast=True)  # error: bit


@triton.jit
def fp8_to_int(x, i, n):
    a = tl.load(x).to(tl.float8e5).to(tl.int32)  # error: float8e5


@triton.jit
def too_large_block(x, i, n):
    a = tl.zeros((2048, 1024), tl.float32)  # error: 1048576


@triton.jit
def recursion(x, i, n):
    recursion(x, i, n)  # error: recurs|itself


@triton.jit
def store_to_const(x: tl.const, i, n):
    tl.store(x, 1.0)  # error: const


@triton.jit
def helper_with_error(value):
    return tl.exp(value)  # error: int32


@triton.jit
def error_in_helper(x, i, n):
    a = helper_with_error(n)
