// The constants that loops begin with.
#pragma once

#include "llvm/IR/Module.h"

namespace triton::nvidia {

/// A loop behind a test of whether it runs begins with constants, such as the zeros of sums, that are also the results
/// where it does not run. LLVM would write them into the same registers twice, before the test and behind it. Defines
/// them once, before the test: a product of 128 x 256 elements on eight warps has 128 of them in each thread.
void shareInitialValues(llvm::Module &module);

} // namespace triton::nvidia
