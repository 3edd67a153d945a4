// Whether two launches of a kernel gave the same, as far as the roundings of floats permit.
#pragma once

#include "ArgumentValues.h"
#include "Evaluation.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tritonc {

/// Judges results by those of a launch that is taken to be right. Floats may differ by a tolerance: a multiple of the
/// distance that the right results have from a shadow, which computed the same more exactly. Without a shadow all bits
/// count. Distances are relative to the size of the element and the mean size of its array.
class ResultComparison {
public:
  /// `arrays` gives names, shapes and types.
  ResultComparison(const std::deque<Array> &arrays, const Evaluation &right) : arrays(arrays), right(right) {}

  /// From now on floats may differ as `shadow` permits. The tolerance is at least `least`, and at least a few
  /// neighbours of a number in its type.
  void useShadow(const Evaluation &shadow, double least);
  /// The first difference in words; none if there is none.
  std::optional<std::string> difference(const Evaluation &found) const;
  /// "`out` 2.4e-06, `sums` 1.9e-06"; empty where all bits count.
  std::string tolerances() const;

private:
  const std::deque<Array> &arrays;
  const Evaluation &right;
  const Evaluation *shadow = nullptr;
  std::vector<double> tolerance; ///< of each array, with a shadow
};

} // namespace tritonc
