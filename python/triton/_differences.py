"""What programs written for Triton 3.9 can set and give, and what has no effect here: one table of settings and
variables, one of options. A program that uses one of them gets a warning, once in a process.

scripts/generate_compatibility_docs.py shows both tables. It reads this file alone, which therefore imports nothing of
the package at the top.
"""

import os
from collections import namedtuple

#: Warnings that were given, by kind ("setting", "option") and name.
given = {}

#: A variable of the environment, the setting of `triton.knobs` that stands for it, or "", and why it has no effect,
#: with what to do instead. ``matters_off``: also off it would have one. ``taken``: the values that have their effect.
Setting = namedtuple("Setting", "variable knob reason matters_off taken", defaults=(False, ()))

_NO_SANITIZER = "there is no such sanitizer; the simulator (TRITON_SIMULATE=1) finds races and accesses out of bounds"
_NO_PLUGINS = "the compiler loads no plugins; `knobs.runtime.add_stages_inspection_hook` changes the texts of stages"
_NO_DEBUG_OUTPUT = "`triton-opt -debug-only=PASS` prints this for one pass"
_NO_PARTITIONS = "TRITON_PASS_DUMP_DIR writes the IR after each pass"
_NO_TENSOR_MEMORY = "kernels keep no operands in tensor memory"
_NO_MACHINE_IR = "machine IR is not kept; `asm['amdgcn']` is the assembly, and `ir_override` takes one"
_NO_SCHEDULE = "there is no such schedule; the option `schedule_hint` chooses among LLVM's"
_ROCTRACER = "AMD's GPUs are recorded by roctracer alone, which TRITON_ROCTRACER_LIB_PATH names"
_NO_MARKERS = "scopes are not passed on to other profilers; they are in the profile that `triton.profiler` writes"
_NO_OWN_TIMES = "the profiler does not print its own times"
_ONE_ARITHMETIC = "the processor's arithmetic has one form; docs/math-accuracy.md says how exact it is"

#: When: at a compilation for any target, for AMD's GPUs, for the processor, or at the start of the profiler.
SETTINGS = {
    "compilation": (
        Setting(
            "LLVM_EXTRACT_DI_LOCAL_VARIABLES",
            "compilation.dump_ir_extract_di_local_variables",
            "debug information has no variables; print values by `tl.device_print`, or use TRITON_INTERPRET=1",
        ),
        Setting(
            "USE_IR_LOC",
            "compilation.use_ir_loc",
            "debug information names the lines of the kernel; `asm` has the text of each stage",
        ),
        Setting(
            "TRITON_FRONT_END_DEBUGGING",
            "compilation.front_end_debugging",
            "the frontend is not Python code and has no exceptions of its own; its errors say all that it knows",
        ),
        Setting("TRITON_FPSAN_HOMOMORPHIC_CASTS", "compilation.fpsan_homomorphic_casts", _NO_SANITIZER),
        Setting("TRITON_ENABLE_EXPERIMENTAL_CONSAN", "", _NO_SANITIZER),
        Setting("TRITON_CONSAN_INIT_ALLOCATIONS", "", _NO_SANITIZER),
        Setting("TRITON_GSAN_SEED", "", _NO_SANITIZER),
        Setting("TRITON_GSAN_CLOCK_BUFFER_SIZE", "", _NO_SANITIZER),
        Setting("LLVM_PASS_PLUGIN_PATH", "", _NO_PLUGINS),
        Setting("TRITON_PLUGIN_PATHS", "", _NO_PLUGINS),
        Setting("TRITON_PLUGIN_VERSION_CHECK", "", _NO_PLUGINS),
        Setting("TRITON_ENABLE_LLVM_DEBUG", "", _NO_DEBUG_OUTPUT),
        Setting("TRITON_LLVM_DEBUG_ONLY", "", _NO_DEBUG_OUTPUT),
        Setting(
            "TRITON_ENABLE_PYTHON_STACKTRACE",
            "",
            "`python -X faulthandler` prints the stack of Python when a process crashes",
        ),
        Setting(
            "DISABLE_LLVM_OPT",
            "",
            "names of LLVM's flags are not read, and all passes on LLVM IR are left out; write 1, or leave it unset",
            taken=("0", "1", "on", "off", "true", "false", "yes", "no", "y", "n"),
        ),
        Setting("TRITON_PREFER_TMEM_16x256_LAYOUT", "", _NO_TENSOR_MEMORY),
        Setting("ALLOW_LHS_TMEM_LAYOUT_CONVERSION", "", _NO_TENSOR_MEMORY),
        Setting("TRITON_PARTITION_SCHEDULING_ENABLE_DUMP_DOT", "", _NO_PARTITIONS),
        Setting("TRITON_PARTITION_SCHEDULING_DUMP_DATA_ONLY", "", _NO_PARTITIONS),
        Setting("TRITON_PARTITION_SCHEDULING_DUMP_LOOP_ONLY", "", _NO_PARTITIONS),
    ),
    "hip": (
        Setting("TRITON_AMD_CODEGEN_PATH", "amd.codegen_path", "the code generator is part of this compiler"),
        Setting(
            "AMDGCN_ANALYZE_SMALL_TENSOR_RANGE",
            "amd.buffer_ops_analyze_small_tensor_range",
            "the signs of offsets are always analyzed",
        ),
        Setting(
            "TRITON_HIP_USE_IN_THREAD_TRANSPOSE",
            "amd.use_in_thread_transpose",
            "the compiler transposes in registers where that is faster",
            matters_off=True,
        ),
        Setting("TRITON_HIP_USE_COEXEC_SCHEDULER", "amd.use_coexec_scheduler", _NO_SCHEDULE),
        Setting("TRITON_HIP_USE_EXPERT_SCHEDULING", "amd.use_expert_scheduling", _NO_SCHEDULE),
        Setting("AMDGCN_SCALARIZE_PACKED_FOPS", "amd.scalarize_packed_fops", "LLVM decides about packed operations"),
        Setting("TRITON_DUMP_MIR", "amd.dump_mir", _NO_MACHINE_IR),
        Setting("TRITON_SWAP_MIR", "amd.swap_mir", _NO_MACHINE_IR),
        Setting("TRITON_SWAP_MIR_ENABLE_MISCHED", "amd.swap_mir_enable_misched", _NO_MACHINE_IR),
    ),
    "cpu": (
        Setting("TRITON_CPU_UKERNELS_LIB", "", "products use the processor's own instructions (docs/cpu.md)"),
        Setting("TRITON_CPU_DOT_PROD_HORIZ_SUM", "", "products use the processor's own instructions (docs/cpu.md)"),
        Setting("TRITON_CPU_FAST_MATH", "", _ONE_ARITHMETIC, matters_off=True),
        Setting("TRITON_CPU_ASSUME_IN_BOUNDS", "", "accesses of block pointers are checked where a kernel says so"),
        Setting("TRITON_DISABLE_OPENMP", "", "TRITON_CPU_OPENMP=0 keeps launches off the threads of OpenMP"),
    ),
    "profiler": (
        Setting(
            "TRITON_CUPTI_LIB_BLACKWELL_PATH",
            "proton.cupti_lib_blackwell_dir",
            "there is one CUPTI for all GPUs, which TRITON_CUPTI_LIB_PATH names",
        ),
        Setting("TRITON_HSA_RUNTIME_PATH", "proton.hsa_runtime_path", _ROCTRACER),
        Setting("TRITON_HSA_RUNTIME_LIBRARY", "proton.hsa_runtime_library", _ROCTRACER),
        Setting("TRITON_ROCPROFILER_SDK_INCLUDE_PATH", "proton.rocprofiler_sdk_include_path", _ROCTRACER),
        Setting("TRITON_ROCPROFILER_SDK_LIB_PATH", "proton.rocprofiler_sdk_lib_path", _ROCTRACER),
        Setting("TRITON_ROCPROFILER_SDK_LIBRARY", "proton.rocprofiler_sdk_library", _ROCTRACER),
        Setting("TRITON_ROCTRACER_LIBRARY", "proton.roctracer_library", _ROCTRACER),
        Setting("TRITON_ROCTX_LIB_PATH", "proton.roctx_lib_path", _NO_MARKERS),
        Setting("TRITON_ROCTX_LIBRARY", "proton.roctx_library", _NO_MARKERS),
        Setting("TRITON_ENABLE_NVTX", "proton.enable_nvtx", _NO_MARKERS),
        Setting("TRITON_ENABLE_HW_TRACE", "proton.enable_hw_trace", "times come from CUPTI's records of activities"),
        Setting(
            "TRITON_PROFILE_METRIC_BUFFER_SIZE",
            "proton.profile_metric_buffer_size",
            "metrics in tensors stay where they are until the profile is written, without a buffer of their own",
        ),
        Setting("PROTON_DATA_FLUSH_TIMING", "", _NO_OWN_TIMES),
        Setting("PROTON_GRAPH_LAUNCH_TIMING", "", _NO_OWN_TIMES),
    ),
}

#: What is an error, since a program that asked for a check must not run without it: (variable, setting, reason).
REFUSED = (
    Setting("TRITON_ENABLE_ASAN", "compilation.enable_asan", _NO_SANITIZER),
    Setting("TRITON_INSTRUMENTATION_MODE", "compilation.instrumentation_mode", _NO_SANITIZER),
)

_OF_THE_TARGET = "the target decides it"
_OF_LIBRARIES = "the compiler finds the device library itself, and kernels can call no other one"
_FOR_GPUS = "it is about GPUs, and the kernel runs on the processor"
_LANGUAGE = (
    "supported_fp8_dtypes",
    "deprecated_fp8_dot_operand_dtypes",
    "default_dot_input_precision",
    "allowed_dot_input_precisions",
    "max_num_imprecise_acc_default",
    "backend_name",
)

#: {target: {option: why it has no effect, and what to do instead}}.
OPTIONS = {
    "cuda": {
        "sched4reg": "ptxas schedules the machine code; `maxnreg` limits registers",
        "clc": "programs of a kernel do not fetch work; write a loop over `tl.num_programs`",
        "min_shared_mem": "a launch reserves what the kernel uses",
        "fpsan_homomorphic_casts": _NO_SANITIZER,
        "warp_size": _OF_THE_TARGET,
        **dict.fromkeys(_LANGUAGE, _OF_THE_TARGET),
    },
    "hip": {
        "kpack": "threads read 16 bytes along K wherever a product is deep enough",
        "fpsan_homomorphic_casts": _NO_SANITIZER,
        "extern_libs": f"{_OF_LIBRARIES}; TRITON_OCML_PATH names another ocml",
        **dict.fromkeys(_LANGUAGE, _OF_THE_TARGET),
    },
    "cpu": {
        "launch_cooperative_grid": "as many programs run at once as there are threads; they may wait for earlier ones",
        "cluster_dims": "there are no clusters",
        "enable_fast_math": _ONE_ARITHMETIC,
        "vec_lib": "the compiler has functions of its own for vectors (docs/math-accuracy.md)",
        "ukernels": "products use the processor's own instructions (docs/cpu.md)",
        "assume_in_bounds": "accesses of block pointers are checked where a kernel says so",
        "extern_libs": _OF_LIBRARIES,
        "deprecated_fp8_dtypes": _OF_THE_TARGET,
        **dict.fromkeys((name for name in _LANGUAGE if name != "deprecated_fp8_dot_operand_dtypes"), _OF_THE_TARGET),
        **dict.fromkeys(
            (
                "sched4reg",
                "clc",
                "min_shared_mem",
                "fpsan_homomorphic_casts",
                "ptx_version",
                "ptx_options",
                "enable_reflect_ftz",
                "allow_flush_denorm",
                "waves_per_eu",
                "matrix_instr_nonkdim",
                "kpack",
                "schedule_hint",
                "llvm_fn_attrs",
                "wgp_cu_mode",
            ),
            _FOR_GPUS,
        ),
    },
}


def _tell(kind, name, message):
    from ._utils import warn_once

    given.setdefault((kind, name), message)
    warn_once(message)


def _asked_value(setting, knobs):
    """The value that the program or the environment gives a setting; None where neither does, or it has its effect."""
    group_name, _, name = setting.knob.partition(".")
    group = getattr(knobs, group_name) if group_name else None
    if name not in getattr(group, "__dict__", ()) and os.environ.get(setting.variable) is None:
        return None
    from ._utils import WORDS_FOR_OFF

    value = getattr(group, name) if group else os.environ[setting.variable]
    is_off = not value or value in WORDS_FOR_OFF
    return None if value in setting.taken or (is_off and not setting.matters_off) else value


def tell_of_settings(*occasions):
    """Names what of the settings and variables for these occasions is set and has no effect."""
    from . import knobs

    for occasion in occasions:
        for setting in SETTINGS[occasion]:
            value = _asked_value(setting, knobs)
            if value is not None:
                name = f"`knobs.{setting.knob}` ({setting.variable})" if setting.knob else f"`{setting.variable}`"
                _tell("setting", setting.variable, f"{name} is {value!r}, which has no effect: {setting.reason}")


def _adds_nothing(value, usual):
    if not isinstance(value, (dict, list, tuple, set)):
        return value == usual
    items = value.items() if isinstance(value, dict) else value
    return set(items) <= set(usual.items() if isinstance(usual, dict) else usual or ())


def tell_of_options(target, given, usual):
    """Names what of the options of a kernel has no effect; ``usual`` are the values that it has without them."""
    for name in given:
        reason, value = OPTIONS[target].get(name), given[name]
        if reason and value is not None and not _adds_nothing(value, usual.get(name, False)):
            _tell("option", name, f"the option `{name}` is {value!r}, which has no effect: {reason}")


def tell_of_unknown_option(name):
    _tell("option", name, f"`{name}` is not an option of this compiler, and has no effect")
