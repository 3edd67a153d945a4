// Ranges of bytes at addresses that programs compute: any address may be asked for, also the last of all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triton::simulator {

/// Whether `length` bytes from `begin` hold all `size` bytes at an address, whose end may be beyond the last address.
inline bool isInside(uintptr_t address, std::size_t size, uintptr_t begin, std::size_t length) {
  return address >= begin && address - begin <= length && size <= length - (address - begin);
}

} // namespace triton::simulator
