// What follows from a compute capability, times 10: 90 is 9.0.
#pragma once

namespace triton::nvidia {

/// Blocks of arrays are copied beside the program: TMA.
constexpr bool hasBulkCopies(unsigned capability) { return capability >= 90; }

/// Four warps multiply blocks in shared memory together: wgmma. It is the only unit known here that reads what bulk
/// copies bring; later machines have others.
constexpr bool hasWarpGroupProducts(unsigned capability) { return capability == 90; }

} // namespace triton::nvidia
