"""What of Triton's public interface (triton_3_9_api.json, and of Gluon names.json in its package) is not the same here.

test_api_table.py compares these lists with what it finds, in both directions: a name that is the same now must be taken
off. `module.name()` stands for the parameters, `module.*` for every name of the module. docs/triton-compatibility.md
shows the reasons of `DIFFERENT`.
"""

_STAGES = "stages are native code; `BaseBackend.add_stages` gives them as functions (docs/python.md)"
_LAUNCHER = "launches are native code, without a launcher in C that is compiled at run time"
_BUILDER = "kernels are read by a native frontend; there is no builder of IR in Python, and no values that hold IR"
_WARNINGS = "texts of warnings about what Triton will change; nothing of this is going to change here"

#: On purpose.
DIFFERENT = {
    _STAGES: (
        "triton.backends.nvidia.compiler.CUDABackend.get_target_name",
        "triton.backends.nvidia.compiler.CUDABackend.gluon_to_ttgir",
        "triton.backends.nvidia.compiler.CUDABackend.load_dialects()",
        "triton.backends.nvidia.compiler.file_hash",
        "triton.backends.nvidia.compiler.get_features",
        "triton.backends.nvidia.compiler.get_llvm_flags",
        "triton.backends.nvidia.compiler.get_ptx_version_from_options",
        "triton.backends.nvidia.compiler.get_ptxas_version",
        "triton.backends.nvidia.compiler.ptx_get_version",
        "triton.backends.nvidia.compiler.sm_arch_from_capability",
        "triton.compiler.compiler.CompileTimer",
        "triton.compiler.compiler.convert_type_repr",
        "triton.compiler.compiler.filter_traceback",
        "triton.compiler.compiler.parse",
    ),
    _LAUNCHER: (
        "triton.backends.driver.wrap_handle_tensordesc_impl",
        "triton.backends.driver.decompose_descriptor",
        "triton.backends.driver.expand_signature",
        "triton.backends.nvidia.driver.ARG_CONSTEXPR",
        "triton.backends.nvidia.driver.ARG_KERNEL",
        "triton.backends.nvidia.driver.ARG_TUPLE",
        "triton.backends.nvidia.driver.CudaLauncher",
        "triton.backends.nvidia.driver.GSAN_PER_DEVICE_STATE_STRIDE",
        "triton.backends.nvidia.driver.PyCUtensorMap",
        "triton.backends.nvidia.driver.PyKernelArg",
        "triton.backends.nvidia.driver.annotate_arguments",
        "triton.backends.nvidia.driver.libcuda_dirs",
        "triton.backends.nvidia.driver.library_dirs",
        "triton.backends.nvidia.driver.make_kernel_signature",
        "triton.backends.nvidia.driver.make_tensordesc_arg",
        "triton.backends.nvidia.driver.ty_to_cpp",
        "triton.backends.nvidia.driver.wrap_handle_tensordesc",
    ),
    _BUILDER: (
        "triton.language.core.block_type.to_ir",
        "triton.language.core.dtype.to_ir",
        "triton.language.core.pointer_type.to_ir",
        "triton.language.core.tensor()",
        "triton.language.core.tensor_descriptor()",
        "triton.language.core.tensor_descriptor_base()",
        "triton.runtime.jit.DependenciesFinder",
        "triton.experimental.gluon.language._core.shared_memory_descriptor()",
        "triton.experimental.gluon.language.amd.cdna5.tdm.tensor_descriptor()",
        "triton.experimental.gluon.language.nvidia.blackwell.clc.clc_result()",
        "triton.experimental.gluon.language.nvidia.blackwell.tensor_memory_descriptor()",
        "triton.experimental.gluon.language.nvidia.hopper.tma.tensor_descriptor()",
        "triton.experimental.gluon.language.nvidia.hopper.warpgroup_mma_accumulator()",
        "triton.experimental.gluon.language._core.distributed_type.to_ir",
        "triton.experimental.gluon.language._core.shared_memory_descriptor_type.to_ir",
        "triton.language.core.tensor._flatten_ir",
        "triton.language.core.tensor._set_name",
    ),
    _WARNINGS: (
        "triton._utils.CAT_CAN_REORDER_WARNING",
        "triton._utils.FP_FUSION_DEFAULT_WARNING",
        "triton._utils.RESHAPE_CAN_REORDER_WARNING",
        "triton._utils.prewarm_deprecation_warnings",
        "triton.knobs.FP_FUSION_DEFAULT_WARNING",
        "triton.language.core.CAT_CAN_REORDER_WARNING",
        "triton.language.core.RESHAPE_CAN_REORDER_WARNING",
    ),
    "a method here: whether a type is `void` depends on the type": ("triton.language.core.dtype.is_void()",),
    "a function that `with` calls, in kernels alone": (
        "triton.experimental.gluon.language.amd.warp_pipeline.warp_pipeline_stage",
    ),
    "the parameters are written out": (
        "triton.language.core.tensor_descriptor_base.gather()",
        "triton.language.core.tensor_descriptor_base.scatter()",
    ),
    "the interpreter takes every precision of products": ("triton.runtime.interpreter.InterpreterOptions()",),
    "the interpreter keeps NumPy arrays, and has no handles with attributes of IR": (
        "triton.runtime.interpreter.GridExecutor()",
        "triton.runtime.interpreter.InterpretedFunction.rewrite",
        "triton.runtime.interpreter.InterpretedFunction.rewritten_fn",
        "triton.runtime.interpreter.TensorDescHandle.materialize_pointers",
        "triton.runtime.interpreter.TensorDescHandle.validate",
        "triton.runtime.interpreter.TensorHandle.attr",
        "triton.runtime.interpreter.TensorHandle.clone",
        "triton.runtime.interpreter.TensorHandle.data",
        "triton.runtime.interpreter.TensorHandle.dtype",
        "triton.runtime.interpreter.TensorHandle.get_element_ty",
        "triton.runtime.interpreter.TensorHandle.set_attr",
    ),
}

#: Still to come, with what is missing.
NOT_YET = {}
