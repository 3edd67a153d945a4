// The H200's own answers (data/*.json).
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <vector>

namespace triton::simulator {

inline llvm::json::Object loadAnswers(llvm::StringRef name) {
  std::string path = (llvm::Twine(TRITON_SOURCE_DIR) + "/src/simulator/test/data/" + name).str();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  EXPECT_TRUE(bool(value)) << llvm::toString(value.takeError());
  return std::move(*value->getAsObject());
}

/// A string of fixed-width hexadecimal words.
inline std::vector<uint64_t> words(llvm::StringRef text, unsigned digits) {
  std::vector<uint64_t> result;
  for (; !text.empty(); text = text.drop_front(digits)) {
    uint64_t word = 0;
    text.take_front(digits).getAsInteger(16, word);
    result.push_back(word);
  }
  return result;
}

template <typename T> std::vector<T> column(llvm::StringRef text, unsigned digits) {
  std::vector<uint64_t> wide = words(text, digits);
  return std::vector<T>(wide.begin(), wide.end());
}

} // namespace triton::simulator
