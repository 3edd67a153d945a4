"""SwiGLU, the gated activation of many language models, and its gradient."""

import triton
import triton.language as tl


@triton.jit
def swiglu(gate, value, out, n, BLOCK: tl.constexpr):
    """out = silu(gate) * value, in f32 whatever the arrays hold."""
    position = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + position, mask=position < n).to(tl.float32)
    v = tl.load(value + position, mask=position < n).to(tl.float32)
    tl.store(out + position, g * tl.sigmoid(g) * v, mask=position < n)


@triton.jit
def swiglu_gradient(gate, value, gradient, gate_gradient, value_gradient, n, BLOCK: tl.constexpr):
    """The gradients of gate and value, from that of the result."""
    position = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + position, mask=position < n).to(tl.float32)
    v = tl.load(value + position, mask=position < n).to(tl.float32)
    d = tl.load(gradient + position, mask=position < n).to(tl.float32)
    sigmoid = tl.sigmoid(g)
    silu = g * sigmoid
    tl.store(gate_gradient + position, d * v * (sigmoid + silu * (1 - sigmoid)), mask=position < n)
    tl.store(value_gradient + position, d * silu, mask=position < n)
