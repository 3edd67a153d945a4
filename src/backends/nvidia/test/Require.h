// Results without which a test cannot continue.
#pragma once

#include "llvm/Support/Error.h"

#include <stdexcept>

namespace triton::nvidia {

/// The value. If there is none, for example because this machine has no ptxas, the test fails with the error's text.
template <typename T> T require(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}

inline void require(llvm::Error error) {
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

} // namespace triton::nvidia
