// Layouts in words, for people who do not read bases. Free of MLIR.
#pragma once

#include "layout/LinearLayout.h"

namespace triton::layout {

/// Distributed: "a thread holds 16 elements, 4 neighbours along dimension 1 at a time", "32 lanes: 2 along dimension 0,
/// 16 along dimension 1", and so on for warps and blocks. Shared: along which dimension neighbours lie in memory, and
/// whether they change places.
std::vector<std::string> describeInWords(const LinearLayout &layout);

} // namespace triton::layout
