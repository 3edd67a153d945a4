// Lists of expressions and of a signature's items, as people write them.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace triton::base {

/// The parts of `text` between the commas outside of quotes and of these brackets, without the spaces around them. A
/// comma may follow the last part. A blank text has no part; between two commas there is an empty one.
llvm::SmallVector<llvm::StringRef> splitAtCommas(llvm::StringRef text, llvm::StringRef opening = "([{",
                                                 llvm::StringRef closing = ")]}");

/// The same for the items of a signature, which has types such as `tensordesc<fp16[64, 32]>`.
llvm::SmallVector<llvm::StringRef> splitSignature(llvm::StringRef text);

} // namespace triton::base
