// Runs the lowered form of a kernel, which is given as TTIR or TTGIR text, in the simulator.
#pragma once

#include "simulator/Decode.h"
#include "simulator/core/Launch.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

namespace triton::gpu {

/// The text is the body of a module. It may begin with definitions of names such as `#blocked`. Kernels without layouts
/// get layouts.
struct KernelText {
  std::string module;
  unsigned warps = 4;
  unsigned capability = 90;
  bool isWide = false;      ///< for the machine of 64 lanes (WideTarget.h)
  bool isOptimized = false; ///< by all passes of the stage ttgir; kernels without layouts only

  std::string target() const { return isWide ? "wide:64" : "cuda:" + std::to_string(capability); }
  unsigned lanes() const { return isWide ? 64 : 32; }
};

/// A decoded kernel, and the bytes of shared memory that it needs. Null after a failure of the test.
struct LoweredKernel {
  std::unique_ptr<simulator::Program> program;
  std::size_t sharedBytes = 0;
  unsigned threads = 0;
};

LoweredKernel lower(const KernelText &text);

/// The LLVM IR that `lower` decodes, before functions of libraries are linked.
std::string lowerToText(const KernelText &text);

/// An argument: an array, or the bits of a scalar.
struct Argument {
  void *data = nullptr;
  std::size_t bytes = 0;
  uint64_t scalar = 0;

  template <typename T> Argument(std::vector<T> &array) : data(array.data()), bytes(array.size() * sizeof(T)) {}
  Argument(int32_t value) : scalar(uint32_t(value)) {}
};

/// Runs `programs` programs and fails the test on any finding.
void run(const LoweredKernel &kernel, const std::vector<Argument> &arguments, uint32_t programs = 1);

/// `text` with each first part of `replacements` replaced by its second, one after another.
std::string replaceAll(std::string text, const std::vector<std::pair<std::string, std::string>> &replacements);

/// Lowers and runs.
void run(const KernelText &text, const std::vector<Argument> &arguments, uint32_t programs = 1);

} // namespace triton::gpu
