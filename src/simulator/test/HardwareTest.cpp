// The H200's own answers (data/*.json), which the simulator must reproduce bit for bit: matrix fragments and sums,
// ldmatrix, shuffles, votes, conversions and special values.
#include "Answers.h"
#include "Harness.h"

#include "simulator/core/Numerics.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

/// Registers of one operand: 32 lanes of each, as 32-bit words (f64: two words a lane, low first).
static std::vector<uint32_t> registerWords(const llvm::json::Array &registers, bool isDouble) {
  std::vector<uint32_t> result;
  for (const llvm::json::Value &text : registers)
    for (uint64_t word : words(*text.getAsString(), isDouble ? 16 : 8)) {
      result.push_back(uint32_t(word));
      if (isDouble)
        result.push_back(uint32_t(word >> 32));
    }
  return result;
}

namespace {
/// The LLVM types of a matrix form's operands.
struct FormTypes {
  std::string operand, accumulator;
};
} // namespace

static FormTypes typesOf(llvm::StringRef intrinsic) {
  if (intrinsic.ends_with("f64"))
    return {"double", "double"};
  if (intrinsic.ends_with("f16.f16"))
    return {"<2 x half>", "<2 x half>"};
  if (intrinsic.ends_with("f32.f32"))
    return {"<2 x half>", "float"};
  return {"i32", intrinsic.contains("8") && intrinsic.ends_with("s8") ? "i32" : "float"};
}

/// A kernel of one warp that loads the registers of A, B and C, multiplies, and stores D.
static std::string matrixKernel(llvm::StringRef intrinsic, unsigned a, unsigned b, unsigned c) {
  FormTypes types = typesOf(intrinsic);
  std::string arguments, loads, parameters, stores;
  auto load = [&](llvm::StringRef array, unsigned count, const std::string &type) {
    for (unsigned i = 0; i < count; ++i) {
      loads += llvm::formatv("  %{0}i{1} = add i32 %t, {2}\n  %{0}p{1} = getelementptr {3}, ptr addrspace(1) %{0}, i32 "
                             "%{0}i{1}\n  %{0}v{1} = load {3}, ptr addrspace(1) %{0}p{1}\n",
                             array, i, i * 32, type)
                   .str();
      arguments += llvm::formatv("{0}{1} %{2}v{3}", arguments.empty() ? "" : ", ", type, array, i).str();
      parameters += (parameters.empty() ? "" : ", ") + type;
    }
  };
  load("a", a, types.operand);
  load("b", b, types.operand);
  load("c", c, types.accumulator);
  std::string structure = "{";
  for (unsigned i = 0; i < c; ++i) {
    structure += (i ? ", " : "") + types.accumulator;
    stores +=
        llvm::formatv("  %r{0} = extractvalue %result %d, {0}\n  %q{0} = getelementptr {1}, ptr addrspace(1) %out, "
                      "i32 %ci{0}\n  store {1} %r{0}, ptr addrspace(1) %q{0}\n",
                      i, types.accumulator)
            .str();
  }
  structure += "}";
  return llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
%result = type {0}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare %result @llvm.nvvm.mma.{1}({2})
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{3}  %d = call %result @llvm.nvvm.mma.{1}({4})
{5}  ret void
}
)",
                       structure, intrinsic, parameters, loads, arguments, stores)
      .str();
}

TEST(Hardware, MatrixFragments) {
  for (auto &[name, entry] : loadAnswers("matrix.json")) {
    const llvm::json::Object &form = *entry.getAsObject();
    llvm::StringRef intrinsic = *form.getString("intrinsic");
    bool isDouble = intrinsic.ends_with("f64");
    std::vector<uint32_t> a = registerWords(*form.getArray("a"), isDouble),
                          b = registerWords(*form.getArray("b"), isDouble),
                          c = registerWords(*form.getArray("c"), isDouble),
                          d = registerWords(*form.getArray("d"), isDouble), out(d.size(), 0xDEADBEEF);
    auto program = decodeText(
        matrixKernel(intrinsic, form.getArray("a")->size(), form.getArray("b")->size(), form.getArray("c")->size()));
    ASSERT_TRUE(program) << name.str();
    LaunchResult result =
        launch(*program, {}, {addressOf(a), addressOf(b), addressOf(c), addressOf(out)},
               {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(c, "c"), allocationOf(out, "out")});
    EXPECT_TRUE(result.findings.empty()) << name.str() << ": " << result.findings.front().str();
    EXPECT_EQ(out, d) << name.str();
  }
}

namespace {
enum class Operand { A, B, Accumulator };
} // namespace

/// The registers, in the form of registerWords, of a row-major matrix: A is M x K, the accumulator M x N, B K x N. The
/// maps are those of the PTX ISA.
static std::vector<uint32_t> fragmentOf(Operand operand, const std::vector<uint64_t> &matrix, unsigned rows,
                                        unsigned columns, unsigned bits) {
  unsigned perRegister = bits == 64 ? 1 : 32 / bits, registers = rows * columns / perRegister / nvptx::warpSize;
  std::vector<uint32_t> result;
  for (unsigned reg = 0; reg < registers; ++reg)
    for (unsigned lane = 0; lane < nvptx::warpSize; ++lane) {
      uint64_t word = 0;
      for (unsigned element = 0; element < perRegister; ++element) {
        unsigned outer = lane >> 2, inner = (lane & 3) * perRegister + element, row = outer, column = inner;
        if (operand == Operand::B) {
          row = inner + reg * 4 * perRegister;
          column = outer;
        } else if (operand == Operand::A) {
          row += rows == 16 ? 8 * (reg & 1) : 0;
          column += (rows == 16 ? reg >> 1 : reg) * 4 * perRegister;
        } else {
          row += 8 * (bits == 16 ? reg : reg >> 1);
          column = (lane & 3) * 2 + (bits == 16 ? element : reg & 1);
        }
        word |= matrix[row * columns + column] << (element * bits % 64);
      }
      result.push_back(uint32_t(word));
      if (bits == 64)
        result.push_back(uint32_t(word >> 32));
    }
  return result;
}

/// Multiplies the recorded matrices of one regime; returns how many sums that checks.
static unsigned checkSums(llvm::StringRef name, const llvm::json::Object &form, const llvm::json::Object &matrices,
                          const Program &program) {
  llvm::StringRef intrinsic = *form.getString("intrinsic");
  auto size = [&](llvm::StringRef key) { return unsigned(*form.getInteger(key)); };
  unsigned m = size("M"), n = size("N"), k = size("K");
  unsigned bits = intrinsic.ends_with("f64") ? 64 : intrinsic.ends_with("tf32") ? 32 : 16;
  unsigned sumBits = bits == 64 ? 64 : intrinsic.ends_with("f16.f16") ? 16 : 32;
  auto matrix = [&](llvm::StringRef key, unsigned width) { return words(*matrices.getString(key), width / 4); };
  auto a = fragmentOf(Operand::A, matrix("a", bits), m, k, bits),
       b = fragmentOf(Operand::B, matrix("b", bits), k, n, bits),
       c = fragmentOf(Operand::Accumulator, matrix("c", sumBits), m, n, sumBits),
       d = fragmentOf(Operand::Accumulator, matrix("d", sumBits), m, n, sumBits);
  std::vector<uint32_t> out(d.size(), 0xDEADBEEF);
  launch(program, {}, {addressOf(a), addressOf(b), addressOf(c), addressOf(out)},
         {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(c, "c"), allocationOf(out, "out")});
  EXPECT_EQ(out, d) << name.str();
  return m * n;
}

TEST(Hardware, MatrixSums) {
  unsigned checked = 0;
  for (auto &[name, entry] : loadAnswers("matrix.json")) {
    const llvm::json::Object &form = *entry.getAsObject();
    const llvm::json::Object *sums = form.getObject("sums");
    if (!sums)
      continue;
    auto program = decodeText(matrixKernel(*form.getString("intrinsic"), form.getArray("a")->size(),
                                           form.getArray("b")->size(), form.getArray("c")->size()));
    ASSERT_TRUE(program) << name.str();
    for (auto &[regime, sets] : *sums)
      for (const llvm::json::Value &matrices : *sets.getAsArray())
        checked += checkSums(name.str() + " " + regime.str(), form, *matrices.getAsObject(), *program);
  }
  EXPECT_GT(checked, 12000u);
}

TEST(Hardware, MatrixLoads) {
  llvm::json::Object answers = loadAnswers("ldmatrix.json");
  std::vector<uint32_t> offsets, out(128);
  for (const llvm::json::Value &offset : *answers.getArray("lane_byte_offset"))
    offsets.push_back(uint32_t(*offset.getAsInteger()));
  for (unsigned count : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      std::string structure = count == 1 ? "i32" : count == 2 ? "{i32, i32}" : "{i32, i32, i32, i32}", stores;
      for (unsigned i = 0; i < count; ++i) {
        std::string value = "%v";
        if (count > 1) {
          stores += llvm::formatv("  %e{0} = extractvalue {1} %v, {0}\n", i, structure).str();
          value = llvm::formatv("%e{0}", i).str();
        }
        stores += llvm::formatv("  %oi{0} = add i32 %t, {1}\n  %op{0} = getelementptr i32, ptr addrspace(1) %out, i32 "
                                "%oi{0}\n  store i32 {2}, ptr addrspace(1) %op{0}\n",
                                i, i * 32, value)
                      .str();
      }
      std::string intrinsic =
          llvm::formatv("@llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{0}{1}.b16.p3", count, transposed ? ".trans" : "")
              .str();
      // The shared window holds the 16-bit number i at byte 2 * i; each lane fills a 32nd of it.
      auto program = decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {0} {1}(ptr addrspace(3))
define ptx_kernel void @kernel(ptr addrspace(1) %offsets, ptr addrspace(1) %out) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %fill
fill:
  %i = phi i32 [ %t, %entry ], [ %next, %fill ]
  %p = getelementptr i16, ptr addrspace(3) @shared, i32 %i
  %value = trunc i32 %i to i16
  store i16 %value, ptr addrspace(3) %p
  %next = add i32 %i, 32
  %more = icmp ult i32 %next, 2048
  br i1 %more, label %fill, label %body
body:
  %po = getelementptr i32, ptr addrspace(1) %offsets, i32 %t
  %offset = load i32, ptr addrspace(1) %po
  %row = getelementptr i8, ptr addrspace(3) @shared, i32 %offset
  %v = call {0} {1}(ptr addrspace(3) %row)
{2}  ret void
}
)",
                                              structure, intrinsic, stores)
                                    .str());
      ASSERT_TRUE(program);
      LaunchConfiguration configuration;
      configuration.dynamicSharedBytes = 4096;
      LaunchResult result = launch(*program, configuration, {addressOf(offsets), addressOf(out)},
                                   {allocationOf(offsets, "offsets"), allocationOf(out, "out")});
      EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
      std::string key = llvm::formatv("ldmatrix_x{0}{1}", count, transposed ? "_trans" : "").str();
      std::vector<uint32_t> expected = registerWords(*answers.getArray(key), false);
      EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + expected.size()), expected) << key;
    }
}

/// shfl.sync with operand b per lane and the same c in all lanes.
static std::unique_ptr<Program> shuffleProgram(llvm::StringRef mode) {
  return decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {{i32, i1} @llvm.nvvm.shfl.sync.{0}.i32p(i32, i32, i32, i32)
define ptx_kernel void @kernel(ptr addrspace(1) %b, i32 %c, ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %amount = load i32, ptr addrspace(1) %pb
  %r = call {{i32, i1} @llvm.nvvm.shfl.sync.{0}.i32p(i32 -1, i32 %t, i32 %amount, i32 %c)
  %v = extractvalue {{i32, i1} %r, 0
  %p = extractvalue {{i32, i1} %r, 1
  %wide = zext i1 %p to i32
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %po
  %t2 = add i32 %t, 32
  %pp = getelementptr i32, ptr addrspace(1) %out, i32 %t2
  store i32 %wide, ptr addrspace(1) %pp
  ret void
}
)",
                                  mode)
                        .str());
}

TEST(Hardware, Shuffles) {
  llvm::json::Object answers = loadAnswers("warp.json");
  std::map<std::string, std::unique_ptr<Program>> programs;
  for (const llvm::json::Value &entry : *answers.getArray("shfl")) {
    const llvm::json::Object &shuffle = *entry.getAsObject();
    std::string mode = shuffle.getString("mode")->str();
    std::unique_ptr<Program> &program = programs[mode];
    if (!program)
      program = shuffleProgram(mode);
    ASSERT_TRUE(program) << mode;
    std::vector<uint32_t> b(32), out(64), expected;
    if (auto single = shuffle.getInteger("b"))
      std::fill(b.begin(), b.end(), uint32_t(*single));
    else if (const llvm::json::Array *list = shuffle.getArray("b"))
      for (unsigned lane = 0; lane < 32; ++lane)
        b[lane] = uint32_t(*(*list)[lane].getAsInteger());
    else
      for (auto [lane, value] : llvm::enumerate(words(*shuffle.getString("b"), 2)))
        b[lane] = uint32_t(value);
    for (uint64_t value : words(*shuffle.getString("value"), 2))
      expected.push_back(uint32_t(value));
    for (uint64_t value : words(*shuffle.getString("p"), 1))
      expected.push_back(uint32_t(value));
    launch(*program, {}, {addressOf(b), uint64_t(*shuffle.getInteger("c")), addressOf(out)},
           {allocationOf(b, "b"), allocationOf(out, "out")});
    EXPECT_EQ(out, expected) << mode << " c=" << *shuffle.getInteger("c");
  }
}

TEST(Hardware, NarrowingConversions) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("from_f32");
  std::vector<uint64_t> inputs = words(*table.getString("input"), 8);
  auto check = [&](llvm::StringRef key, unsigned digits, llvm::function_ref<uint32_t(float)> convert) {
    std::vector<uint64_t> expected = words(*table.getString(key), digits);
    ASSERT_EQ(expected.size(), inputs.size());
    for (auto [input, answer] : llvm::zip_equal(inputs, expected))
      EXPECT_EQ(convert(bitCast<float>(uint32_t(input))), answer & 0xFFFF)
          << key.str() << " of " << llvm::utohexstr(input);
  };
  check("f16.rn", 4, [](float x) { return halfFromFloat(x); });
  check("f16.rz", 4, [](float x) { return halfFromFloat(x, Rounding::TowardZero); });
  check("bf16.rn", 4, [](float x) { return bfloatFromFloat(x); });
  check("bf16.rz", 4, [](float x) { return bfloatFromFloat(x, Rounding::TowardZero); });
  auto lowByte = [&](llvm::StringRef key, llvm::function_ref<uint8_t(float)> convert) {
    for (auto [input, answer] : llvm::zip_equal(inputs, words(*table.getString(key), 4)))
      EXPECT_EQ(convert(bitCast<float>(uint32_t(input))), answer & 0xFF)
          << key.str() << " of " << llvm::utohexstr(input);
  };
  lowByte("e4m3x2 (low byte)", e4m3FromFloat);
  lowByte("e5m2x2", e5m2FromFloat);
  for (auto [bits, answer] : llvm::enumerate(words(*answers.getString("e4m3_to_f16"), 4)))
    EXPECT_EQ(halfFromE4M3(uint8_t(bits)), answer) << bits;
  for (auto [bits, answer] : llvm::enumerate(words(*answers.getString("e5m2_to_f16"), 4)))
    EXPECT_EQ(halfFromE5M2(uint8_t(bits)), answer) << bits;
}

/// out[t] = f(in[t]) for one operation on f32.
static std::vector<uint32_t> applyUnary(llvm::StringRef operation, std::vector<uint32_t> inputs) {
  unsigned count = unsigned(inputs.size());
  inputs.resize(64);
  std::vector<uint32_t> out(64);
  auto program = decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @{0}(float)
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pi = getelementptr float, ptr addrspace(1) %in, i32 %t
  %po = getelementptr float, ptr addrspace(1) %out, i32 %t
  %x = load float, ptr addrspace(1) %pi
  %y = call float @{0}(float %x)
  store float %y, ptr addrspace(1) %po
  ret void
}
)",
                                          operation)
                                .str());
  EXPECT_TRUE(program) << operation.str();
  LaunchConfiguration configuration;
  configuration.threads = 64;
  if (program)
    launch(*program, configuration, {addressOf(inputs), addressOf(out)},
           {allocationOf(inputs, "in"), allocationOf(out, "out")});
  out.resize(count);
  return out;
}

/// Zeros, infinities, NaN and subnormals must be exact. The results of approximate instructions for ordinary numbers
/// must lie within the documented error (relative, and absolute near the zero of the logarithm).
TEST(Hardware, SpecialValuesOfUnaryFunctions) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("unary_f32");
  std::vector<uint32_t> inputs;
  for (uint64_t word : words(*table.getString("input"), 8))
    inputs.push_back(uint32_t(word));
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> functions[] = {
      {"ex2.approx", "llvm.nvvm.ex2.approx.f"},
      {"ex2.approx.ftz", "llvm.nvvm.ex2.approx.ftz.f"},
      {"lg2.approx", "llvm.nvvm.lg2.approx.f"},
      {"lg2.approx.ftz", "llvm.nvvm.lg2.approx.ftz.f"},
      {"rcp.approx.ftz", "llvm.nvvm.rcp.approx.ftz.f"},
      {"rsqrt.approx", "llvm.nvvm.rsqrt.approx.f"},
      {"rsqrt.approx.ftz", "llvm.nvvm.rsqrt.approx.ftz.f"},
      {"sqrt.approx", "llvm.nvvm.sqrt.approx.f"},
      {"sqrt.approx.ftz", "llvm.nvvm.sqrt.approx.ftz.f"},
      {"tanh.approx", "llvm.nvvm.tanh.approx.f"},
      {"sqrt.rn", "llvm.nvvm.sqrt.rn.f"},
      {"rcp.rn", "llvm.nvvm.rcp.rn.f"},
      {"rcp.rn.ftz", "llvm.nvvm.rcp.rn.ftz.f"},
      {"abs", "llvm.nvvm.fabs.f32"},
  };
  for (auto &[key, intrinsic] : functions) {
    std::vector<uint32_t> results = applyUnary(intrinsic, inputs);
    for (auto [input, result, answer] : llvm::zip_equal(inputs, results, words(*table.getString(key), 8))) {
      float actual = bitCast<float>(result), expected = bitCast<float>(uint32_t(answer));
      bool special = std::fpclassify(expected) != FP_NORMAL || key.contains(".rn") || key == "abs";
      bool roundingOfSubnormal = std::fpclassify(expected) == FP_SUBNORMAL && key.contains("approx");
      if (roundingOfSubnormal)
        EXPECT_LE(std::abs(int64_t(result) - int64_t(answer)), 3) << key.str() << " of " << llvm::utohexstr(input);
      else if (special)
        EXPECT_EQ(result, uint32_t(answer)) << key.str() << " of " << llvm::utohexstr(input);
      else
        EXPECT_NEAR(actual, expected, std::fabs(expected) * 2e-5 + 2.2e-7)
            << key.str() << " of " << llvm::utohexstr(input);
    }
  }
}

} // namespace triton::simulator
