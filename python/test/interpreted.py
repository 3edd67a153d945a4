"""What `--device interpret` leaves out, and why: whole files, and tests by the start of their names.

As a program, prints the files of the suite that it runs.
"""

COMPILER = "it looks at what the compiler makes of a kernel"
MESSAGES = "it looks at the wording of the compiler's or the launcher's messages"
NO_VARIANTS = "interpreted kernels have no compiled variants, metadata or cache keys"
SIMULATOR = "it is about the simulator"
STORES = "what an interpreted kernel stores through is known when it stores"

LANGUAGE = (
    "aggregate",
    "atomic_access",
    "atomics",
    "control_flow",
    "debug",
    "dot",
    "dot_scaled",
    "elementwise",
    "float8",
    "functions",
    "gluon",
    "gluon_barriers",
    "gluon_buffers",
    "gluon_copies",
    "gluon_partitions",
    "libdevice",
    "math",
    "memory",
    "random",
    "reduction",
    "selection",
    "shape",
    "target_functions",
    "tensor_descriptors",
)
#: What says something of the interpreter that other files do not, relative to this folder.
SUITE = (
    *(f"language/test_{name}.py" for name in LANGUAGE),
    "runtime/test_autotune.py",
    "runtime/test_launch.py",
    "runtime/test_number_arguments.py",
)
FILES = {
    "test_async_compile.py": NO_VARIANTS,
    "test_bench.py": "it measures",
    "test_cache.py": NO_VARIANTS,
    "test_compile.py": COMPILER,
    "test_compiled_kernels.py": NO_VARIANTS,
    "test_cuda_compile.py": COMPILER,
    "test_errors.py": MESSAGES,
    "test_gluon_errors.py": MESSAGES,
    "test_gluon_layouts.py": COMPILER,
    "test_gluon_translator.py": "it translates kernels that are compiled",
    "test_interrupts.py": "Python itself interrupts interpreted kernels",
    "test_lifetimes.py": NO_VARIANTS,
    "test_limits.py": "the limits are the compiler's",
    "test_linear_layout.py": COMPILER,
    "test_little_memory.py": "nothing is compiled",
    "test_overlapping_arguments.py": NO_VARIANTS,
    "test_processes.py": NO_VARIANTS,
    "test_random_kernels.py": "it compares devices with one another in one process",
    "test_simulation.py": SIMULATOR,
    "test_simulator_reports.py": SIMULATOR,
    "test_skipped_passes.py": COMPILER,
    "test_ttir_stage.py": COMPILER,
}
TESTS = {
    "test_aggregate.py": {"test_errors_in_kernels": MESSAGES},
    "test_autotune.py": {
        "test_compiled_ahead_on_threads": NO_VARIANTS,
        "test_listener_and_report": NO_VARIANTS,
        "test_progress_on_a_terminal": NO_VARIANTS,
        "test_timings_on_disk": NO_VARIANTS,
    },
    "test_gluon.py": {
        "test_an_invariant_kernel_has_one_variant": NO_VARIANTS,
        "test_clusters_are_refused": MESSAGES,
        "test_different_layouts_are_an_error_that_shows_both": MESSAGES,
        "test_types_of_products": MESSAGES,
        "test_what_is_missing_is_an_error_at_its_line": MESSAGES,
        "test_wrong_buffers_and_products_are_refused": MESSAGES,
        "test_wrong_layouts_are_refused": MESSAGES,
    },
    "test_gluon_barriers.py": {
        "test_phases_for_which_too_few_arrive": MESSAGES,
        "test_the_cluster_of_a_block": "the processor has no clusters",
        "test_wrong_calls_are_refused": MESSAGES,
        "test_wrong_uses_are_reported": SIMULATOR,
    },
    "test_gluon_buffers.py": {
        "test_wrong_shapes_are_refused": MESSAGES,
    },
    "test_gluon_copies.py": {
        "test_other_bytes_than_copies_bring_are_refused": MESSAGES,
        "test_wrong_calls_are_refused": MESSAGES,
        "test_wrong_uses_are_reported": SIMULATOR,
    },
    "test_gluon_partitions.py": {
        "test_groups_that_wait_for_each_other": SIMULATOR,
        "test_wrong_partitions_are_refused": MESSAGES,
    },
    "test_launch.py": {
        "test_an_unknown_keyword_names_what_is_like_it": MESSAGES,
        "test_arguments_that_are_not_specialized": NO_VARIANTS,
        "test_changed_global_is_refused": "an interpreted kernel reads the value of a global when it runs",
        "test_compiled_kernels_take_launches_without_constants_between_others": NO_VARIANTS,
        "test_compiled_kernels_tell_forms_of_a_launch_apart_by_their_values": NO_VARIANTS,
        "test_divisibility_reaches_the_ir": COMPILER,
        "test_launch_returns_the_compiled_kernel": NO_VARIANTS,
        "test_members_of_the_function": NO_VARIANTS,
        "test_memory_of_another_device_is_refused": "memory of other devices is copied",
        "test_warmup_compiles_without_running": NO_VARIANTS,
        "test_what_selects_a_variant": NO_VARIANTS,
        "test_wrong_value_of_an_option": "interpreted kernels have no options",
    },
    "test_metamorphic.py": {"test_kernels_without_a_part_of_the_passes": COMPILER},
    "test_read_only.py": {"test_storing": STORES},
    "test_tensor_descriptors.py": {
        "test_compiled_kernels_take_descriptors_without_the_constants": NO_VARIANTS,
        "test_kernels_that_are_compiled_from_a_signature": COMPILER,
        "test_launches_name_the_argument": MESSAGES,
        "test_read_only_arrays": STORES,
        "test_signatures_name_descriptors": NO_VARIANTS,
    },
}


def reason(item):
    """Why a test is left out, or None."""
    file = item.path.name
    name = getattr(item, "originalname", item.name)
    return FILES.get(file) or TESTS.get(file, {}).get(name)


if __name__ == "__main__":
    print("\n".join(f"python/test/{name}" for name in SUITE))
