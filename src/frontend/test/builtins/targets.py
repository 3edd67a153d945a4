import triton
import triton.language as tl
from triton.language.extra import hip
from triton.language.extra.cuda import globaltimer
from triton.language.target_info import cuda_capability_geq


# lower: target(*i32)
@triton.jit
def target(p):
    if tl.target_info.is_cuda() or cuda_capability_geq(8) or tl.target_info.is_hip():
        tl.store(p, tl.extra.cuda.smid())
    target = tl.target_info.current_target()
    tl.static_print(target.backend, target.arch, target.warp_size)


# lower: time(*i64)
@triton.jit
def time(p):
    tl.store(p, globaltimer())


# lower cuda-90: of_nvidia(*i32)
@triton.jit
def of_nvidia(p):
    tl.extra.cuda.gdc_wait()
    tl.store(p + tl.extra.cuda.num_warps(), tl.extra.cuda.smid() + tl.extra.cuda.num_threads())
    tl.extra.cuda.gdc_launch_dependents()
    tl.static_assert(cuda_capability_geq(9) and not cuda_capability_geq(10, 0))


# lower hip-gfx942: of_amd(*i64)
@triton.jit
def of_amd(p):
    tl.store(p + hip.num_warps(), hip.memrealtime() + hip.smid() + hip.num_threads())
