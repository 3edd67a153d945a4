// Chooses the instantiation of a handler by the size of integers.
#pragma once

#include "simulator/core/Program.h"

#include <cstdint>

/// The instantiation of a template for an unsigned type of `bytes`.
#define TRITON_BY_SIZE(bytes, function, ...)                                                                           \
  ((bytes) == 1   ? Handler(&function<uint8_t __VA_OPT__(, ) __VA_ARGS__>)                                             \
   : (bytes) == 2 ? Handler(&function<uint16_t __VA_OPT__(, ) __VA_ARGS__>)                                            \
   : (bytes) == 4 ? Handler(&function<uint32_t __VA_OPT__(, ) __VA_ARGS__>)                                            \
   : (bytes) == 8 ? Handler(&function<uint64_t __VA_OPT__(, ) __VA_ARGS__>)                                            \
                  : Handler(nullptr))

namespace triton::simulator {

/// The result of `find`, a template over a type, for the integer of this size and sign; null if there is no such type.
template <typename Find> Handler findByInteger(unsigned bytes, bool isSigned, Find find) {
  switch (bytes) {
  case 1:
    return isSigned ? find.template operator()<int8_t>() : find.template operator()<uint8_t>();
  case 2:
    return isSigned ? find.template operator()<int16_t>() : find.template operator()<uint16_t>();
  case 4:
    return isSigned ? find.template operator()<int32_t>() : find.template operator()<uint32_t>();
  case 8:
    return isSigned ? find.template operator()<int64_t>() : find.template operator()<uint64_t>();
  default:
    return nullptr;
  }
}

} // namespace triton::simulator
