// Functions that compiled CPU kernels call by name. Registered with the kernels' linker when the runtime is linked in.
#pragma once

#include <cstdint>

extern "C" {

/// How to read the elements that `triton_cpu_print` gets. Smaller than a byte: one byte each.
enum TritonCpuElementKind : int32_t {
  TritonCpuSigned = 0,
  TritonCpuUnsigned = 1,
  TritonCpuFloat = 2, ///< IEEE formats; 16 bits: half
  TritonCpuBFloat16 = 3,
  TritonCpuPointer = 4,
};

/// device_print of one operand in program (x, y, z): `elements` points to rank-many `shape` extents, contiguous and
/// row-major; rank 0 is one scalar; a null `elements` prints the prefix alone. `bits` is an element's width (8, 16, 32
/// or 64). One line or block of lines, written at once.
void triton_cpu_print(int32_t x, int32_t y, int32_t z, const char *prefix, const void *elements, const int64_t *shape,
                      int32_t rank, int32_t bits, int32_t kind, int32_t hex);

/// A failed device_assert in program (x, y, z): leaves the kernel and makes the launch throw. `message` is the user's,
/// `location` reads "file:line" and may be empty. Does not return.
[[noreturn]] void triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z, const char *message, const char *location);

/// The time of a clock that never goes back.
int64_t triton_cpu_nanoseconds();

/// Kernels read it at the start of each iteration of their loops: not 0 when they should call triton_cpu_tick. Accessed
/// atomically.
extern int32_t triton_cpu_attention;

/// Looks for an interrupt and for failures of other programs. Does not return when the launch is to end.
void triton_cpu_tick();
}

namespace triton::cpu {

/// Makes the functions above known to the linker of kernels. Called by a static object of the launch, so that whatever
/// can launch can also print.
void registerCpuRuntimeFunctions();

} // namespace triton::cpu
