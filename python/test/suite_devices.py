"""The devices of `--device suite`, which `make test` runs: each behaviour once, on the targets where it can differ.

The processor runs every test. What takes a device also runs in the simulators of GPUs: on each of them, except for the
files below, where tests take turns. Whose turn it is follows from the test's name and parameters, so that neighbours,
such as the types of an operation or the seeds of random kernels, are spread over all targets.
`--device full` leaves nothing out. docs/testing.md says why no behaviour loses its only check.
"""

import re
import zlib

SIMULATED = ("sim:cuda:80", "sim:cuda:90", "sim:hip:gfx942")
WAVES_OF_32 = "sim:hip:gfx1100"
#: Devices beyond SIMULATED by file: matrix instructions of other GPUs of AMD; with waves of 32 lanes also mathematics,
#: launches and messages.
FURTHER = {
    "test_dot.py": ("sim:hip:gfx90a", "sim:hip:gfx950", WAVES_OF_32, "sim:hip:gfx1201"),
    **dict.fromkeys(
        (
            "test_debug.py",
            "test_launch.py",
            "test_libdevice.py",
            "test_libdevice_table.py",
            "test_math.py",
            "test_reduction.py",
            "test_target_functions.py",
        ),
        (WAVES_OF_32,),
    ),
}
#: Files whose tests are many for one operation each, and ask of a GPU no more than that it is none of the processors:
#: what the targets do differently with it, neighbours find. A file whose tests look at the code of a GPU, or skip one,
#: or are about products, layouts, copies or barriers, does not belong here.
SHARED = {
    "test_autotune.py",
    "test_control_flow.py",
    "test_elementwise.py",
    "test_errors.py",
    "test_examples.py",
    "test_functions.py",
    "test_interrupts.py",
    "test_launch.py",
    "test_libdevice_table.py",
    "test_limits.py",
    "test_loop_exits.py",
    "test_memory.py",
    "test_metamorphic.py",
    "test_narrow_integers.py",
    "test_numpy_scalars.py",
    "test_promotion.py",
    "test_random.py",
    "test_random_control_flow.py",
    "test_random_elements.py",
    "test_random_expressions.py",
    "test_random_kernels.py",
    "test_reduction.py",
    "test_repeated_launches.py",
    "test_selection.py",
    "test_serving_kernels.py",
    "test_skipped_passes.py",
}
#: Files about instructions that only sm_90 has, where all of their tests run, and products with scales, for which no
#: target here has an instruction. Elsewhere their kernels become ordinary loads, stores, conversions and products, with
#: which other files deal: the two other targets take turns.
HOPPERS = {
    "test_bulk_copies.py",
    "test_bulk_reductions.py",
    "test_bulk_stores.py",
    "test_device_descriptors.py",
    "test_dot_scaled.py",
    "test_gluon_barriers.py",
    "test_gluon_copies.py",
    "test_gluon_partitions.py",
    "test_pointer_copies.py",
    "test_tensor_descriptors.py",
    "test_warp_group_dot.py",
}
#: Files about what processors do not have.
OF_GPUS = {
    "test_gluon.py",
    "test_gluon_amd.py",
    "test_gluon_barriers.py",
    "test_gluon_copies.py",
    "test_gluon_layouts.py",
    "test_gluon_partitions.py",
    "test_gluon_translator.py",
}
#: What has matrix instructions of its own beside a neighbour: of those with waves of 64 lanes, and of those with waves
#: of 32, one runs a product.
FAMILIES = (("sim:hip:gfx90a", "sim:hip:gfx950"), (WAVES_OF_32, "sim:hip:gfx1201"))


def name_of(item):
    """The test's name without its folder: a file that moves keeps its random numbers and its turns."""
    return re.sub(r"^python/test/(\w+/)+", "python/test/", item.nodeid)


def devices_of(file):
    """All devices that tests in the file of this name take."""
    return (*(() if file in OF_GPUS else ("cpu",)), *SIMULATED, *FURTHER.get(file, ()))


def turns(file):
    """Groups of devices that take turns with the tests of the file; those in no group run all."""
    if file in SHARED:
        return ((*SIMULATED, *FURTHER.get(file, ())),)
    if file in HOPPERS:
        return (("sim:cuda:80", "sim:hip:gfx942"),)
    return FAMILIES if file == "test_dot.py" else ()


def leaves_out(item):
    """Whether `--device suite` runs this test on another simulated GPU in place of this one."""
    parameters = getattr(item, "callspec", None)
    device = parameters and (parameters.params.get("device") or parameters.params.get("host_device"))
    others = name_of(item).replace(device or "", "")
    for group in turns(item.path.name):
        if device in group:
            return group[zlib.crc32(others.encode()) % len(group)] != device
    return False
