#include "simulator/core/LanePermutation.h"

#include "simulator/core/HostVectors.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace triton::simulator {

#if defined(__x86_64__)
/// The hardware permutes the elements of two vectors, and ignores the other bits of the numbers.
__attribute__((target("avx512f"))) static void permuteByAvx512(const uint32_t *values, const uint32_t *sources,
                                                               unsigned count, uint32_t *results) {
  constexpr unsigned elements = 16;
  __m512i first = _mm512_loadu_si512(values), second = _mm512_loadu_si512(values + elements);
  for (unsigned lane = 0; lane < count; lane += elements) {
    __m512i from = _mm512_loadu_si512(sources + lane), result = _mm512_permutex2var_epi32(first, from, second);
    if (count > laneGroup) {
      __m512i other = _mm512_permutex2var_epi32(_mm512_loadu_si512(values + laneGroup), from,
                                                _mm512_loadu_si512(values + laneGroup + elements));
      __mmask16 isOther = _mm512_test_epi32_mask(from, _mm512_set1_epi32(laneGroup));
      result = _mm512_mask_blend_epi32(isOther, result, other);
    }
    _mm512_storeu_si512(results + lane, result);
  }
}
#endif

void permuteLanes(const uint32_t *values, const uint32_t *sources, unsigned count, uint32_t *results) {
#if defined(__x86_64__)
  if (vectorBytes() == 64)
    return permuteByAvx512(values, sources, count, results);
#endif
  for (unsigned lane = 0; lane < count; ++lane)
    results[lane] = values[sources[lane] & (count - 1)];
}

} // namespace triton::simulator
