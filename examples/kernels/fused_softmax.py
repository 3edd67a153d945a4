"""Softmax of each row of a matrix, read once and written once: one program keeps a whole row."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr
):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row in tl.range(row_start, n_rows, row_step):
        columns = tl.arange(0, BLOCK_SIZE)
        mask = columns < n_cols
        values = tl.load(input_ptr + row * input_row_stride + columns, mask=mask, other=-float("inf"))
        shifted = values - tl.max(values, axis=0)
        numerator = tl.exp(shifted)
        denominator = tl.sum(numerator, axis=0)
        tl.store(output_ptr + row * output_row_stride + columns, numerator / denominator, mask=mask)
