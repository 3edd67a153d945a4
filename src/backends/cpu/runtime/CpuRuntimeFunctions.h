// Functions that compiled CPU kernels call by name. They are registered with the kernels' linker if the runtime is
// linked in.
#pragma once

#include <cstdint>

extern "C" {

/// The form of the elements that `triton_cpu_print` gets. Elements smaller than a byte occupy one byte each.
enum TritonCpuElementKind : int32_t {
  TritonCpuSigned = 0,
  TritonCpuUnsigned = 1,
  TritonCpuFloat = 2, ///< IEEE formats; 16 bits: half
  TritonCpuBFloat16 = 3,
  TritonCpuPointer = 4,
};

/// Prints one operand of device_print in program (x, y, z). `elements` points to contiguous elements in row-major
/// order; `shape` has `rank` extents. Rank 0 is one scalar; a null `elements` prints only the prefix. `bits` is an
/// element's width (8, 16, 32 or 64). A line or block of lines is written at once.
void triton_cpu_print(int32_t x, int32_t y, int32_t z, const char *prefix, const void *elements, const int64_t *shape,
                      int32_t rank, int32_t bits, int32_t kind, int32_t hex);

/// A failed device_assert in program (x, y, z): leaves the kernel and makes the launch throw. `message` is the user's;
/// `location` is "file:line" or empty. Does not return.
[[noreturn]] void triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z, const char *message, const char *location);

/// The time of a clock that never goes back.
int64_t triton_cpu_nanoseconds();

/// Kernels read this at the start of each iteration of their loops. They call triton_cpu_tick if it is not 0. Accessed
/// atomically.
extern int32_t triton_cpu_attention;

/// Checks for an interrupt and for failures of other programs. Does not return if the launch must end.
void triton_cpu_tick();
}

namespace triton::cpu {

/// Registers the functions above with the linker of kernels. Called by a static object of the launch, so that every
/// program that can launch can also print.
void registerCpuRuntimeFunctions();

} // namespace triton::cpu
