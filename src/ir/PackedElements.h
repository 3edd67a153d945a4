// A bound that the frontend and the verifiers of operations share.
#pragma once

#include <cstdint>

namespace triton::tt {

/// Of each operand, in one execution of inline code or of a region for elements.
constexpr int64_t mostPackedElements = 1024;

} // namespace triton::tt
