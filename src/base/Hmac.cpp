#include "base/Hmac.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <string>

using namespace triton;

static constexpr std::size_t blockBytes = 64;

static void addPadded(llvm::SHA256 &hasher, llvm::StringRef block, uint8_t pad) {
  std::array<uint8_t, blockBytes> padded{};
  for (std::size_t i = 0; i < blockBytes; ++i)
    padded[i] = uint8_t(block[i]) ^ pad;
  hasher.update(padded);
}

std::array<uint8_t, 32> base::hmacSha256(llvm::StringRef bytes, llvm::StringRef key) {
  std::string block = key.str();
  if (key.size() > blockBytes)
    block = llvm::toStringRef(llvm::SHA256::hash(llvm::arrayRefFromStringRef(key))).str();
  block.resize(blockBytes);
  llvm::SHA256 inner, outer;
  addPadded(inner, block, 0x36);
  inner.update(bytes);
  addPadded(outer, block, 0x5C);
  outer.update(llvm::arrayRefFromStringRef(llvm::toStringRef(inner.final())));
  std::array<uint8_t, 32> result = outer.final();
  return result;
}
