#include "backends/cpu/runtime/CpuRuntimeFunctions.h"
#include "backends/cpu/runtime/DeviceAssert.h"
#include "backends/cpu/runtime/RuntimeSymbols.h"
#include "base/ForkSafeMutex.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace triton::cpu;

thread_local AssertScope *AssertScope::current = nullptr;
static thread_local std::string failureMessage;

void AssertScope::setMessage(std::string message) { failureMessage = std::move(message); }

std::string AssertScope::takeMessage() { return std::move(failureMessage); }

void AssertScope::leave() {
  if (!current) {
    // A kernel that was called without a launch has no caller that would get the report.
    std::fprintf(stderr, "%s\n", failureMessage.c_str());
    std::abort();
  }
  std::longjmp(current->resume, 1);
}

static void describeFailure(int32_t x, int32_t y, int32_t z, const char *message, const char *location) {
  std::string text = "device assertion failed";
  if (message && *message)
    text += std::string(": ") + message;
  if (location && *location)
    text += std::string("\n  at ") + location;
  text += llvm::formatv("\n  in program ({0}, {1}, {2})", x, y, z).str();
  AssertScope::setMessage(std::move(text));
}

void triton_cpu_assert_fail(int32_t x, int32_t y, int32_t z, const char *message, const char *location) {
  // The jump does not run destructors, so nothing here may own memory.
  describeFailure(x, y, z, message, location);
  AssertScope::leave();
}

/// The shortest text that gives the same number when it is read.
template <typename Number> static std::string formatNumber(Number number) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof(text), number).ptr);
}

static std::string formatSmallFloat(const llvm::fltSemantics &semantics, uint64_t value) {
  llvm::SmallString<32> text;
  llvm::APFloat(semantics, llvm::APInt(16, value)).toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6);
  return std::string(text);
}

static std::string formatElement(const char *element, int32_t bits, int32_t kind, bool hex) {
  uint64_t value = 0;
  std::memcpy(&value, element, std::size_t(bits) / 8);
  if (hex || kind == TritonCpuPointer)
    return "0x" + llvm::utohexstr(value, /*LowerCase=*/true, unsigned(bits) / 4);
  if (kind == TritonCpuUnsigned)
    return formatNumber(value);
  if (kind == TritonCpuBFloat16)
    return formatSmallFloat(llvm::APFloat::BFloat(), value);
  if (kind == TritonCpuFloat && bits == 16)
    return formatSmallFloat(llvm::APFloat::IEEEhalf(), value);
  if (kind == TritonCpuFloat)
    return bits == 32 ? formatNumber(std::bit_cast<float>(uint32_t(value)))
                      : formatNumber(std::bit_cast<double>(value));
  return formatNumber(int64_t(value << (64 - bits)) >> (64 - bits));
}

namespace {

struct PrintedArray {
  const char *elements;
  const int64_t *shape;
  int32_t rank, bits, kind;
  bool hex;

  /// Appends dimension `dim` from the element that `elements` has reached.
  void append(std::string &text, int32_t dim) {
    if (dim == rank) {
      text += formatElement(elements, bits, kind, hex);
      elements += bits / 8;
      return;
    }
    text += '[';
    for (int64_t i = 0; i < shape[dim]; ++i) {
      if (i != 0)
        text += dim + 1 == rank ? ", " : ",\n" + std::string(size_t(dim) + 1, ' ');
      append(text, dim + 1);
    }
    text += ']';
  }
};

} // namespace

static triton::base::ForkSafeMutex outputMutex;

void triton_cpu_print(int32_t x, int32_t y, int32_t z, const char *prefix, const void *elements, const int64_t *shape,
                      int32_t rank, int32_t bits, int32_t kind, int32_t hex) {
  std::string text = llvm::formatv("({0}, {1}, {2}){3}", x, y, z, prefix).str();
  if (elements)
    PrintedArray{static_cast<const char *>(elements), shape, rank, bits, kind, hex != 0}.append(text, 0);
  text += '\n';
  std::lock_guard lock(outputMutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int64_t triton_cpu_nanoseconds() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

void triton::cpu::registerCpuRuntimeFunctions() {
  static const bool once = [] {
    cpu::registerRuntimeSymbol("triton_cpu_print", reinterpret_cast<void *>(&triton_cpu_print));
    cpu::registerRuntimeSymbol("triton_cpu_assert_fail", reinterpret_cast<void *>(&triton_cpu_assert_fail));
    cpu::registerRuntimeSymbol("triton_cpu_nanoseconds", reinterpret_cast<void *>(&triton_cpu_nanoseconds));
    cpu::registerRuntimeSymbol("triton_cpu_attention", &triton_cpu_attention);
    cpu::registerRuntimeSymbol("triton_cpu_tick", reinterpret_cast<void *>(&triton_cpu_tick));
    return true;
  }();
  (void)once;
}
