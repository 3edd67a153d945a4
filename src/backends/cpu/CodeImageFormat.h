// What an image of machine code consists of.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace triton::cpu {

/// Texts are those of the bytes that were read, or of the linker that makes the image.
struct CodeImageFormat {
  /// A place in the code that holds an address of 8 bytes.
  struct Pointer {
    uint64_t place = 0;
    llvm::StringRef function; ///< outside, whose address it is; empty: it is that of a place in the code
    uint64_t target = 0;      ///< this one
  };
  llvm::StringRef code; ///< with its constants; it lies in memory at a multiple of 4096 that may be read and executed
  std::vector<std::pair<llvm::StringRef, uint64_t>> functions; ///< global ones, with their places in the code
  std::vector<Pointer> pointers;
  /// Places in the object where a debugger reads the address of a place in the code.
  std::vector<std::pair<uint64_t, uint64_t>> sections;
};

/// For the streams of base/PackedBytes.h.
template <typename Stream> void pack(Stream &stream, CodeImageFormat &image) {
  stream(image.code);
  stream.list(image.functions, [&](auto &function) {
    stream(function.first);
    stream(function.second);
  });
  stream.list(image.pointers, [&](CodeImageFormat::Pointer &pointer) {
    stream(pointer.place);
    stream(pointer.function);
    stream(pointer.target);
  });
  stream.list(image.sections, [&](auto &section) {
    stream(section.first);
    stream(section.second);
  });
}

} // namespace triton::cpu
