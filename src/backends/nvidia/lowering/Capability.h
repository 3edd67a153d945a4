// What follows from a compute capability, times 10: 90 is 9.0.
#pragma once

namespace triton::nvidia {

/// Threads copy from global to shared memory beside the program: cp.async.
constexpr bool hasAsyncCopies(unsigned capability) { return capability >= 80; }

/// Instructions convert float8 formats.
constexpr bool convertsByteFloats(unsigned capability) { return capability >= 89; }

/// Instructions add and subtract bf16.
constexpr bool addsBrainFloats(unsigned capability) { return capability >= 90; }

/// Several blocks of threads are scheduled together, and reach each other's shared memory.
constexpr bool hasClusters(unsigned capability) { return capability >= 90; }

/// A launch may begin before the one before it ends: griddepcontrol.
constexpr bool overlapsLaunches(unsigned capability) { return capability >= 90; }

/// Code has what only this architecture has, as sm_90a does, so that later ones do not run it.
constexpr bool isForOneArchitecture(unsigned capability) { return capability >= 90; }

/// Blocks of arrays are copied beside the program: TMA.
constexpr bool hasBulkCopies(unsigned capability) { return capability >= 90; }

/// Four warps multiply blocks in shared memory together: wgmma. It is the only unit known here that reads what bulk
/// copies bring; later machines have others.
constexpr bool hasWarpGroupProducts(unsigned capability) { return capability == 90; }

/// A matrix unit has a memory of its own: tcgen05.
constexpr bool hasTensorMemory(unsigned capability) { return capability >= 100 && capability < 120; }

/// This unit also multiplies integers of 8 bits.
constexpr bool hasByteTensorProducts(unsigned capability) { return hasTensorMemory(capability) && capability != 103; }

} // namespace triton::nvidia
