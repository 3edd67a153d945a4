"""Records what a GPU answers, for the simulator's tests: ``python record.py ../data/recorded.json``.

Needs a GPU and its driver (libcuda), nothing else. `forms.json` says what is asked: each form is one PTX instruction
and the LLVM IR that stands for it. The file written holds the forms with inputs and answers; RecordedTest.cpp evaluates
the IR in the simulator and compares. Inputs depend on nothing but a form's name, so that recording again changes a file
only where the hardware answers differently.
"""

import ctypes
import json
import pathlib
import random
import struct
import sys

TUPLES = 256  # inputs of each form
LANES = 32

BYTES = {
    "i16": 2,
    "half": 2,
    "bfloat": 2,
    "i32": 4,
    "float": 4,
    "<2 x half>": 4,
    "<2 x bfloat>": 4,
    "i64": 8,
    "double": 8,
}
SPECIAL = {
    "half": [
        0x0000,
        0x8000,
        0x0001,
        0x8001,
        0x03FF,
        0x0400,
        0x3C00,
        0xBC00,
        0x7BFF,
        0xFBFF,
        0x7C00,
        0xFC00,
        0x7E00,
        0xFD01,
    ],
    "bfloat": [
        0x0000,
        0x8000,
        0x0001,
        0x8001,
        0x007F,
        0x0080,
        0x3F80,
        0xBF80,
        0x7F7F,
        0xFF7F,
        0x7F80,
        0xFF80,
        0x7FC0,
        0xFFA1,
    ],
    "float": [
        0,
        1 << 31,
        1,
        0x80000001,
        0x007FFFFF,
        0x00800000,
        0x3F800000,
        0xBF800000,
        0x3F800001,
        0x7F7FFFFF,
        0xFF7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0xFFA00001,
        0x4B000001,
        0x4F000000,
        0x5F000000,
    ],
    "double": [
        0,
        1 << 63,
        1,
        (1 << 63) | 1,
        (1 << 52) - 1,
        1 << 52,
        0x3FF << 52,
        0xBFF << 52,
        (0x3FF << 52) | 1,
        (0x7FE << 52) | ((1 << 52) - 1),
        0x7FF << 52,
        0xFFF << 52,
        0x7FF8 << 48,
        (0xFFF4 << 48) | 1,
    ],
    "i16": [0, 1, 0x7FFF, 0x8000, 0xFFFF],
    "i32": [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 31, 32, 0x01000001],
    "i64": [0, 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 53) + 1, (1 << 24) + 1],
}
EXPONENT = {"half": (10, 15), "bfloat": (7, 127), "float": (23, 127), "double": (52, 1023)}


def value_of(kind, generator):
    """A number of an LLVM type as bits: special ones, any bits, and floats of moderate size in equal parts."""
    if kind.startswith("<2 x "):
        element = kind[5:-1]
        return value_of(element, generator) | value_of(element, generator) << 16
    choice = generator.randrange(3)
    if choice == 0:
        return generator.choice(SPECIAL[kind])
    bits = 8 * BYTES[kind]
    if choice == 1 and kind in EXPONENT:
        fraction, bias = EXPONENT[kind]
        exponent = bias + generator.randint(-12, 12)
        return generator.getrandbits(fraction) | exponent << fraction | generator.getrandbits(1) << (bits - 1)
    if choice == 1:
        return generator.getrandbits(bits) >> generator.randrange(bits)
    return generator.getrandbits(bits)


class Driver:
    """As much of the CUDA driver as recording needs."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.device = name.value.decode()

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name} failed with {code}")

    def run(self, ptx, arrays, blocks):
        """Runs the module's `kernel` on byte arrays, in place, with one warp a block."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        keys, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode(), 2, keys, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {log.value.decode()}\n{ptx}") from None
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
        pointers = []
        for array in arrays:
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(array)))
            self.call(
                "cuMemcpyHtoD_v2", pointer, (ctypes.c_char * len(array)).from_buffer(array), ctypes.c_size_t(len(array))
            )
            pointers.append(pointer)
        parameters = (ctypes.c_void_p * len(pointers))(*[ctypes.addressof(pointer) for pointer in pointers])
        self.call("cuLaunchKernel", function, blocks, 1, 1, LANES, 1, 1, 0, None, parameters, None)
        self.call("cuCtxSynchronize")
        for pointer, array in zip(pointers, arrays, strict=True):
            self.call(
                "cuMemcpyDtoH_v2", (ctypes.c_char * len(array)).from_buffer(array), pointer, ctypes.c_size_t(len(array))
            )
            self.call("cuMemFree_v2", pointer)
        self.call("cuModuleUnload", module)


def kernel_text(form):
    """PTX that loads operands x, y, z of a thread, runs the instruction and stores its result r (and memory at p)."""
    operands, result = form["operands"], form["result"]
    width = [8 * BYTES[kind] for kind in operands]
    lines = []
    for name, bits in zip("xyz", width, strict=False):
        lines += [
            f".reg .b{bits} {name};",
            f"ld.param.u64 q, [p{name}];",
            f"mad.wide.u32 q, i, {bits // 8}, q;",
            f"ld.global.b{bits} {name}, [q];",
        ]
    bits = 8 * BYTES[result]
    space = form.get("memory")
    if space == "global":
        lines += ["ld.param.u64 q, [pm];", f"mad.wide.u32 p, i, {width[0] // 8}, q;", f"st.global.b{width[0]} [p], x;"]
    elif space == "shared":
        lines += ["mov.u64 p, cells;", f"mad.wide.u32 p, t, {width[0] // 8}, p;", f"st.shared.b{width[0]} [p], x;"]
    if "masks" in form:
        lines += [
            "ld.param.u64 q, [pmask];",
            "mov.u32 b, %ctaid.x;",
            "mad.wide.u32 q, b, 4, q;",
            "ld.global.b32 mask, [q];",
            "shr.u32 b, mask, t;",
            "and.b32 b, b, 1;",
            "setp.eq.u32 outside, b, 0;",
            "@outside bra done;",
        ]
    lines += [f".reg .b{bits} r;", form["ptx"]]
    lines += ["ld.param.u64 q, [pr];", f"mad.wide.u32 q, i, {bits // 8}, q;", f"st.global.b{bits} [q], r;"]
    if space == "shared":
        lines += [
            f".reg .b{width[0]} after;",
            f"ld.shared.b{width[0]} after, [p];",
            "ld.param.u64 q, [pm];",
            f"mad.wide.u32 q, i, {width[0] // 8}, q;",
            f"st.global.b{width[0]} [q], after;",
        ]
    parameters = ", ".join(f".param .u64 p{name}" for name in [*"xyz"[: len(operands)], "r", "m", "mask"])
    body = "\n  ".join(lines)
    return f""".version 8.4
.target sm_90
.address_size 64
.visible .entry kernel({parameters})
{{
  .reg .u32 i, t, b;
  .reg .b32 mask;
  .reg .u64 q, p;
  .reg .pred outside, c, d;
  .shared .align 8 .b8 cells[{LANES * 8}];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 i, b, {LANES}, t;
  {body}
done:
  ret;
}}
"""


def pack(values, kind):
    return bytearray(struct.pack(f"<{len(values)}{ {2: 'H', 4: 'I', 8: 'Q'}[BYTES[kind]] }", *values))


def hexadecimal(array, kind):
    """As in the other recorded files: fixed-width words, most significant digit first."""
    size = BYTES[kind]
    return "".join(array[at : at + size][::-1].hex() for at in range(0, len(array), size))


def record(driver, form):
    generator = random.Random(form["name"])
    masks = [int(mask, 16) for mask in form.get("masks", [])]
    count = LANES * len(masks) if masks else TUPLES
    inputs = []
    for index, kind in enumerate(form["operands"]):
        fixed = form.get("values", {}).get("xyz"[index])
        inputs.append([int(fixed[i % len(fixed)]) if fixed else value_of(kind, generator) for i in range(count)])
    arrays = [pack(values, kind) for values, kind in zip(inputs, form["operands"], strict=True)]
    result = bytearray(b"\xa5" * (count * BYTES[form["result"]]))
    memory = bytearray(count * BYTES[form["operands"][0]])
    mask = pack(masks or [0], "i32")
    texts = [hexadecimal(array, kind) for array, kind in zip(arrays, form["operands"], strict=True)]
    driver.run(kernel_text(form), [*arrays, result, memory, mask], count // LANES)
    answer = {**form, "inputs": texts, "answer": hexadecimal(result, form["result"])}
    if "memory" in form:
        answer["after"] = hexadecimal(memory, form["operands"][0])
    return answer


def main():
    forms = json.loads((pathlib.Path(__file__).parent / "forms.json").read_text())
    driver = Driver()
    records = [record(driver, form) for form in forms]
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"device": driver.device, "forms": records}, indent=0) + "\n")
    print(f"{len(records)} forms recorded on {driver.device}")


if __name__ == "__main__":
    main()
