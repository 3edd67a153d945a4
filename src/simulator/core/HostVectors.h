// Runs code with the widest vectors of this processor. The simulator is compiled for every processor of its kind.
#pragma once

#include <atomic>

namespace triton::simulator {

#define TRITON_ALWAYS_INLINE __attribute__((always_inline))

#if defined(__x86_64__)

/// The size of the vectors that are used. Tests lower it. 0: the plain code runs (`isPlain`).
inline std::atomic<unsigned> &vectorBytes() {
  static std::atomic<unsigned> bytes = [] {
    bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool hasAvx512 =
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return !hasAvx2 ? 16u : hasAvx512 ? 64u : 32u;
  }();
  return bytes;
}

// The copy's captured values stay in registers, also where only some lanes need them.
template <typename Body> __attribute__((target("avx2,fma"))) void runWithAvx2(const Body &body) {
  Body copy = body;
  copy();
}
template <typename Body>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))) void runWithAvx512(const Body &body) {
  Body copy = body;
  copy();
}

/// Calls `body`, a lambda with TRITON_ALWAYS_INLINE: it becomes a part of functions for several sets of instructions.
/// So does what it calls, where that has the attribute, too.
template <typename Body> void runWithVectors(const Body &body) {
  switch (vectorBytes().load(std::memory_order_relaxed)) {
  case 64:
    return runWithAvx512(body);
  case 32:
    return runWithAvx2(body);
  default:
    return body();
  }
}

#else

inline std::atomic<unsigned> &vectorBytes() {
  static std::atomic<unsigned> bytes = 16;
  return bytes;
}
template <typename Body> void runWithVectors(const Body &body) { body(); }

#endif

/// Whether launches take no short way: each element is computed, moved and recorded by itself. This is the reference
/// with which the fast code is compared (BothWays.h).
inline bool isPlain() { return vectorBytes().load(std::memory_order_relaxed) == 0; }

/// Vectors of `lanes` elements, for local variables: functions take them by reference.
template <typename Element, unsigned lanes> using Vector = Element __attribute__((ext_vector_type(lanes)));

/// Reads or writes neighbouring elements at any address.
template <typename VectorType> TRITON_ALWAYS_INLINE inline void loadVector(VectorType &vector, const void *source) {
  __builtin_memcpy(&vector, source, sizeof(vector));
}
template <typename VectorType> TRITON_ALWAYS_INLINE inline void storeVector(const VectorType &vector, void *target) {
  __builtin_memcpy(target, &vector, sizeof(vector));
}

/// 2^exponent, or 0 where that is below the normal numbers of f32. The largest power is 2^127.
template <typename Floats, typename Ints>
TRITON_ALWAYS_INLINE inline void powersOf2(const Ints &exponents, Floats &powers) {
  Ints bits = __builtin_elementwise_max(__builtin_elementwise_min(exponents, Ints(127)) + 127, Ints(0)) << 23;
  loadVector(powers, &bits);
}

} // namespace triton::simulator
