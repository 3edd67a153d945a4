// Machine code that is linked but for the addresses which differ between processes: loading it takes a copy and a few
// pointers, where linking an object takes longer than a small kernel runs.
#pragma once

#include "backends/cpu/ObjectLinker.h"

#include <string>

namespace triton::cpu {

/// The image of an object (ELF bytes for any processor). The error says why there is none: the code needs more than an
/// image has, such as variables, or is not an object.
llvm::Expected<std::string> makeCodeImage(llvm::StringRef object);

/// Does what linkObject does with the object that the image was made of; debuggers read the object.
llvm::Expected<std::shared_ptr<LinkedObject>> loadCodeImage(llvm::StringRef image, llvm::StringRef object);

} // namespace triton::cpu
