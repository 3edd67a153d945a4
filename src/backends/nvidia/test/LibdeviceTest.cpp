// Every function of libdevice that the language knows, in the simulator: computed by libdevice, and by the simulator
// when there is no libdevice.

#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/Ptx.h"
#include "backends/nvidia/test/Require.h"
#include "simulator/Decode.h"
#include "simulator/core/Launch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>
#include <limits>

#include <cmath>
#include <random>

using namespace triton;
using namespace triton::nvidia;

namespace {

constexpr unsigned count = 1024;

/// `__nv_ldexpf(fp32,i32)->fp32`, as Libdevice.def writes it.
struct Overload {
  std::string symbol;
  std::vector<std::string> operands;
  std::string result;
};

Overload parseOverload(llvm::StringRef text) {
  auto [call, result] = text.split("->");
  auto [symbol, operands] = call.split('(');
  Overload overload{symbol.str(), {}, result.str()};
  llvm::SmallVector<llvm::StringRef> parts;
  operands.drop_back().split(parts, ',');
  for (llvm::StringRef part : parts)
    overload.operands.push_back(part.str());
  if (overload.result == "i1") // libdevice's predicates give whole words.
    overload.result = "i32";
  return overload;
}

std::vector<Overload> allOverloads() {
  std::string all;
#define TRITON_LIBDEVICE(name, emit, parameters, overloads) all += std::string(overloads) + " ";
#include "frontend/lowering/builtins/Libdevice.def"
  llvm::SmallVector<llvm::StringRef> texts;
  llvm::StringRef(all).split(texts, ' ', -1, /*KeepEmpty=*/false);
  std::vector<Overload> result;
  for (llvm::StringRef text : texts)
    result.push_back(parseOverload(text));
  return result;
}

std::string llvmType(llvm::StringRef type) {
  return type == "fp32" ? "float" : type == "fp64" ? "double" : type.ends_with("64") ? "i64" : "i32";
}

bool isWide(llvm::StringRef type) { return type.ends_with("64"); }

/// A kernel that stores the function of the elements of its arrays.
std::string kernelText(const Overload &overload) {
  std::string parameters, loads, arguments, types;
  for (auto [i, operand] : llvm::enumerate(overload.operands)) {
    std::string type = llvmType(operand);
    parameters += llvm::formatv("ptr addrspace(1) %p{0}, ", i).str();
    loads += llvm::formatv("  %a{0} = getelementptr {1}, ptr addrspace(1) %p{0}, i32 %i\n"
                           "  %x{0} = load {1}, ptr addrspace(1) %a{0}\n",
                           i, type)
                 .str();
    arguments += llvm::formatv("{0}{1} %x{2}", i ? ", " : "", type, i).str();
    types += (i ? ", " : "") + type;
  }
  return llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare {0} @{1}({2})
define ptx_kernel void @kernel({3}ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %p, 5
  %i = add i32 %base, %t
{4}  %r = call {0} @{1}({5})
  %po = getelementptr {0}, ptr addrspace(1) %out, i32 %i
  store {0} %r, ptr addrspace(1) %po
  ret void
})",
                       llvmType(overload.result), overload.symbol, types, parameters, loads, arguments)
      .str();
}

using Words = std::vector<uint64_t>; ///< `count` elements of 4 or 8 bytes

uint64_t floatBits(double value, bool wide) {
  if (wide)
    return llvm::bit_cast<uint64_t>(value);
  return llvm::bit_cast<uint32_t>(float(value));
}

/// Numbers of every size, mostly where functions are interesting, and special ones.
Words floats(std::mt19937_64 &random, bool wide) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double special[] = {0.0,    -0.0,   1,    -1,   0.5,   -0.5,   2,        -2,        3,   1e-45, -1e-40,
                                5e-324, 1e-310, 88.8, -104, 709.9, -745.5, infinity, -infinity, nan, 1e300, -1e38};
  Words words;
  auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  while (words.size() < count) {
    std::size_t i = words.size();
    double value = i < std::size(special) ? special[i]
                   : i % 4 == 0           ? uniform(-1, 1)
                   : i % 4 == 1           ? uniform(0, 10)
                   : i % 4 == 2           ? uniform(-100, 100)
                                          : std::exp2(uniform(-40, 40)) * (i % 8 == 3 ? 1 : -1);
    words.push_back(floatBits(value, wide));
  }
  return words;
}

Words integers(std::mt19937_64 &random, bool wide, bool isSmall) {
  constexpr uint64_t special[] = {0, 1, ~uint64_t(0), uint64_t(1) << 31, uint64_t(1) << 63, INT32_MAX, INT64_MAX};
  Words words;
  while (words.size() < count) {
    uint64_t value = words.size() < std::size(special) ? special[words.size()] : random() >> (random() % 64);
    if (isSmall)
      value = random() % 9;
    words.push_back(wide ? value : uint32_t(value));
  }
  return words;
}

std::unique_ptr<simulator::Program> decode(const Overload &overload, bool linked) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kernelText(overload), diagnostic, context);
  if (!module)
    throw std::runtime_error(diagnostic.getMessage().str());
  if (linked) {
    PtxOptions options;
    options.architecture = require(parseArchitecture("90"));
    options.reflectFlush = false; // the host keeps subnormal numbers
    require(prepareModule(*module, options));
    require(linkLibdevice(*module));
    optimize(*module, options);
  }
  return require(simulator::decodeKernel(*module, "kernel"));
}

std::vector<std::byte> packed(const Words &words, bool wide) {
  std::vector<std::byte> bytes(count * (wide ? 8 : 4));
  for (auto [i, word] : llvm::enumerate(words))
    std::memcpy(bytes.data() + i * (wide ? 8 : 4), &word, wide ? 8 : 4);
  return bytes;
}

Words evaluate(const Overload &overload, const std::vector<Words> &inputs, bool linked) {
  std::unique_ptr<simulator::Program> program = decode(overload, linked);
  std::vector<std::vector<std::byte>> arrays;
  for (auto [words, type] : llvm::zip_equal(inputs, overload.operands))
    arrays.push_back(packed(words, isWide(type)));
  bool wide = isWide(overload.result);
  arrays.emplace_back(count * (wide ? 8 : 4));
  std::vector<uint64_t> arguments;
  std::vector<simulator::Allocation> allocations;
  for (std::vector<std::byte> &array : arrays) {
    auto address = reinterpret_cast<uintptr_t>(array.data());
    arguments.push_back(address);
    allocations.push_back({"array", address, array.size()});
  }
  simulator::LaunchConfiguration configuration;
  configuration.grid = {count / 32, 1, 1};
  simulator::LaunchResult result = simulator::launch(*program, configuration, arguments, std::move(allocations));
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  Words words(count);
  for (auto [i, word] : llvm::enumerate(words))
    std::memcpy(&word, arrays.back().data() + i * (wide ? 8 : 4), wide ? 8 : 4);
  return words;
}

/// The largest allowed distance of two results: the errors that NVIDIA documents and the host's rounding, in units of
/// the last place, or an absolute distance.
struct Tolerance {
  llvm::StringLiteral name; ///< a prefix, after `__nv_`
  double ulps;
  double absolute = 0;
};

constexpr Tolerance tolerances[] = {
    {"fast_", 128, 1e-6}, // The error of exponentials and powers grows with the result.
    // Where these oscillate, NVIDIA documents absolute errors.
    {"j0f", 9, 3e-6},
    {"j1f", 9, 3e-6},
    {"jnf", 9, 3e-6},
    {"y0f", 9, 3e-6},
    {"y1f", 9, 3e-6},
    {"ynf", 9, 3e-6},
    {"j0", 7, 1e-11},
    {"j1", 7, 1e-11},
    {"jn", 7, 1e-11},
    {"y0", 7, 1e-11},
    {"y1", 7, 1e-11},
    {"yn", 7, 1e-11},
    {"lgamma", 4, 1e-14}, // near its zeros
};

Tolerance toleranceOf(llvm::StringRef symbol) {
  symbol.consume_front("__nv_");
  for (const Tolerance &tolerance : tolerances)
    if (symbol.starts_with(tolerance.name))
      return tolerance;
  return {"", 4};
}

double valueOf(uint64_t word, bool wide) {
  return wide ? llvm::bit_cast<double>(word) : llvm::bit_cast<float>(uint32_t(word));
}

bool agree(uint64_t word, uint64_t other, bool wide, const Tolerance &tolerance) {
  double a = valueOf(word, wide), b = valueOf(other, wide);
  if (a != a || b != b)
    return (a != a) == (b != b);
  if (a == b)
    return std::signbit(a) == std::signbit(b) || tolerance.absolute > 0;
  double difference = std::fabs(a - b), magnitude = std::fmax(std::fabs(a), std::fabs(b));
  double unit = wide ? std::fmax(std::ldexp(1, std::ilogb(magnitude) - 52), 0x1p-1074)
                     : std::fmax(std::ldexp(1, std::ilogb(magnitude) - 23), 0x1p-149);
  return difference <= tolerance.ulps * unit || difference <= tolerance.absolute;
}

class EveryFunction : public testing::TestWithParam<Overload> {};

TEST_P(EveryFunction, NeedsNoLibdevice) {
  const Overload &overload = GetParam();
  std::mt19937_64 random(1);
  std::vector<Words> inputs;
  bool takesFloats = llvm::any_of(overload.operands, [](llvm::StringRef type) { return type.starts_with("fp"); });
  // libdevice returns NaN for the Bessel functions of an order and a tiny number.
  bool hasOrder = takesFloats && overload.operands.front() == "i32";
  inputs.reserve(overload.operands.size());
  for (llvm::StringRef operand : overload.operands)
    inputs.push_back(operand.starts_with("fp") ? floats(random, isWide(operand))
                                               : integers(random, isWide(operand), /*isSmall=*/takesFloats));
  if (hasOrder)
    for (uint64_t &word : inputs.back())
      if (std::fabs(valueOf(word, isWide(overload.operands.back()))) < 1e-3)
        word = floatBits(0.5, isWide(overload.operands.back()));
  Words expected = evaluate(overload, inputs, /*linked=*/true), own = evaluate(overload, inputs, /*linked=*/false);
  bool wide = isWide(overload.result), isFloat = llvm::StringRef(overload.result).starts_with("fp");
  Tolerance tolerance = toleranceOf(overload.symbol);
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (isFloat ? agree(expected[i], own[i], wide, tolerance) : expected[i] == own[i])
      continue;
    if (++wrong > 5)
      continue;
    std::string operands;
    for (auto [words, type] : llvm::zip_equal(inputs, overload.operands))
      operands += llvm::StringRef(type).starts_with("fp")
                      ? llvm::formatv(" {0:e20}", valueOf(words[i], isWide(type))).str()
                      : " " + std::to_string(words[i]);
    if (isFloat)
      ADD_FAILURE() << overload.symbol << operands << ": " << std::scientific << std::setprecision(17)
                    << valueOf(expected[i], wide) << " by libdevice, " << valueOf(own[i], wide) << " by the host";
    else
      ADD_FAILURE() << overload.symbol << operands << ": " << expected[i] << " by libdevice, " << own[i]
                    << " by the host";
  }
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Libdevice, EveryFunction, testing::ValuesIn(allOverloads()),
                         [](const auto &info) { return llvm::StringRef(info.param.symbol).drop_front(5).str(); });

} // namespace
