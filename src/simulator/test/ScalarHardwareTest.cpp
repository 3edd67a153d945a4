// The H200's own answers for scalar instructions (data/scalar.json), obtained by kernels that use them as the backend
// does. They are compared bit for bit if the instruction is not an approximation.
#include "Answers.h"
#include "Harness.h"

#include "simulator/core/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace triton::simulator {
namespace {

/// A kernel that computes %r of type `result` from %x, %y, ... of type `operand`, which it reads from arrays.
struct Elementwise {
  std::string operand, result, body;
  std::string declarations;
};

/// `inputs` are the arrays; each run of 32 elements is a program.
template <typename In, typename Out>
std::vector<Out> evaluate(const Elementwise &kernel, std::vector<std::vector<In>> inputs) {
  std::size_t count = inputs.front().size(), padded = (count + 31) / 32 * 32;
  std::string parameters, loads;
  for (auto [i, name] : llvm::enumerate(llvm::StringRef("xyz").take_front(inputs.size()))) {
    inputs[i].resize(padded);
    parameters += llvm::formatv("ptr addrspace(1) %p{0}, ", name).str();
    loads += llvm::formatv("  %a{0} = getelementptr {1}, ptr addrspace(1) %p{0}, i32 %i\n  %{0} = load {1}, ptr "
                           "addrspace(1) %a{0}\n",
                           name, kernel.operand)
                 .str();
  }
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
)" + kernel.declarations +
                     "\ndefine ptx_kernel void @kernel(" + parameters + R"(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %p, 5
  %i = add i32 %base, %t
)" + loads + "  " + kernel.body +
                     "\n  %po = getelementptr " + kernel.result + ", ptr addrspace(1) %out, i32 %i\n  store " +
                     kernel.result + " %r, ptr addrspace(1) %po\n  ret void\n}\n";
  std::unique_ptr<Program> program = decodeText(text);
  std::vector<Out> out(padded);
  if (!program)
    return out;
  LaunchConfiguration configuration;
  configuration.grid = {uint32_t(padded / 32), 1, 1};
  std::vector<uint64_t> arguments;
  std::vector<Allocation> allocations;
  for (auto [i, array] : llvm::enumerate(inputs)) {
    arguments.push_back(addressOf(array));
    allocations.push_back(allocationOf(array, "input" + std::to_string(i)));
  }
  arguments.push_back(addressOf(out));
  allocations.push_back(allocationOf(out, "out"));
  LaunchResult result = launch(*program, configuration, arguments, std::move(allocations));
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  out.resize(count);
  return out;
}

/// A call of `intrinsic` with `operands` arguments of one type.
Elementwise callOf(llvm::StringRef intrinsic, unsigned operands, llvm::StringRef operand, llvm::StringRef result) {
  constexpr llvm::StringLiteral names[] = {"%x", "%y", "%z"};
  std::string types, arguments;
  for (unsigned i = 0; i < operands; ++i) {
    types += (i ? ", " : "") + operand.str();
    arguments += (i ? ", " : "") + operand.str() + " " + names[i].str();
  }
  return {operand.str(), result.str(), llvm::formatv("%r = call {0} @{1}({2})", result, intrinsic, arguments).str(),
          llvm::formatv("declare {0} @{1}({2})", result, intrinsic, types).str()};
}

/// All pairs of the inputs, as the tables list them: rows a, columns b.
template <typename T> std::vector<std::vector<T>> allPairs(const std::vector<T> &inputs) {
  std::vector<std::vector<T>> pairs(2);
  for (T a : inputs)
    for (T b : inputs) {
      pairs[0].push_back(a);
      pairs[1].push_back(b);
    }
  return pairs;
}

template <typename T>
void expectBits(llvm::StringRef name, const std::vector<std::vector<T>> &inputs, const std::vector<T> &actual,
                const std::vector<T> &expected) {
  ASSERT_EQ(actual.size(), expected.size()) << name.str();
  unsigned shown = 0;
  for (std::size_t i = 0; i < actual.size() && shown < 5; ++i)
    if (actual[i] != expected[i]) {
      ++shown;
      ADD_FAILURE() << name.str() << " of " << llvm::utohexstr(inputs[0][i])
                    << (inputs.size() > 1 ? " and " + llvm::utohexstr(inputs[1][i]) : "") << ": "
                    << llvm::utohexstr(actual[i]) << ", not " << llvm::utohexstr(expected[i]);
    }
}

constexpr llvm::StringLiteral binarySingle = "binary_f32 (rows a, columns b, of unary_f32.input)";

TEST(ScalarHardware, BinarySingle) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject(binarySingle);
  auto pairs = allPairs(column<uint32_t>(*answers.getObject("unary_f32")->getString("input"), 8));
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> calls[] = {
      {"min", "llvm.nvvm.fmin.f"},
      {"max", "llvm.nvvm.fmax.f"},
      {"min", "llvm.minnum.f32"},
      {"max", "llvm.maxnum.f32"},
      {"min.NaN", "llvm.nvvm.fmin.nan.f"},
      {"max.NaN", "llvm.nvvm.fmax.nan.f"},
      {"min.NaN", "llvm.minimum.f32"},
      {"max.NaN", "llvm.maximum.f32"},
      {"min.ftz", "llvm.nvvm.fmin.ftz.f"},
      {"add.rn", "llvm.nvvm.add.rn.f"},
      {"add.rn.ftz", "llvm.nvvm.add.rn.ftz.f"},
      {"mul.rn", "llvm.nvvm.mul.rn.f"},
      {"mul.rn.ftz", "llvm.nvvm.mul.rn.ftz.f"},
      {"div.rn", "llvm.nvvm.div.rn.f"},
      {"min.xorsign.abs", "llvm.nvvm.fmin.xorsign.abs.f"},
      {"max.xorsign.abs", "llvm.nvvm.fmax.xorsign.abs.f"},
  };
  for (auto [key, intrinsic] : calls)
    expectBits<uint32_t>(intrinsic, pairs, evaluate<uint32_t, uint32_t>(callOf(intrinsic, 2, "float", "float"), pairs),
                         column<uint32_t>(*table.getString(key), 8));
  for (auto [key, operation] : {std::pair("add.rn", "fadd"), {"mul.rn", "fmul"}, {"div.rn", "fdiv"}})
    expectBits<uint32_t>(
        operation, pairs,
        evaluate<uint32_t, uint32_t>({"float", "float", llvm::formatv("%r = {0} float %x, %y", operation), ""}, pairs),
        column<uint32_t>(*table.getString(key), 8));
  // PTX names the sign first, LLVM the magnitude.
  expectBits<uint32_t>(
      "copysign", pairs,
      evaluate<uint32_t, uint32_t>({"float", "float", "%r = call float @llvm.copysign.f32(float %y, float %x)",
                                    "declare float @llvm.copysign.f32(float, float)"},
                                   pairs),
      column<uint32_t>(*table.getString("copysign(a,b)"), 8));
}

/// In a kernel whose attribute asks for it, LLVM's own operations flush.
TEST(ScalarHardware, FlushingKernel) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject(binarySingle);
  auto pairs = allPairs(column<uint32_t>(*answers.getObject("unary_f32")->getString("input"), 8));
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %p, 5
  %i = add i32 %base, %t
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %i
  %po = getelementptr float, ptr addrspace(1) %out, i32 %i
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %r = fmul float %x, %y
  store float %r, ptr addrspace(1) %po
  ret void
}
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
)";
  auto program = decodeText(text);
  ASSERT_TRUE(program);
  std::size_t count = pairs[0].size();
  for (auto &operand : pairs)
    operand.resize((count + 31) / 32 * 32);
  std::vector<uint32_t> out(pairs[0].size());
  LaunchConfiguration configuration;
  configuration.grid = {uint32_t(out.size() / 32), 1, 1};
  launch(*program, configuration, {addressOf(pairs[0]), addressOf(pairs[1]), addressOf(out)},
         {allocationOf(pairs[0], "a"), allocationOf(pairs[1], "b"), allocationOf(out, "out")});
  out.resize(count);
  expectBits<uint32_t>("fmul", pairs, out, column<uint32_t>(*table.getString("mul.rn.ftz"), 8));
}

/// Exact, except in the columns for which the hardware's own reciprocal is not correctly rounded.
TEST(ScalarHardware, ApproximateDivisions) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject(binarySingle), &unary = *answers.getObject("unary_f32");
  auto inputs = column<uint32_t>(*unary.getString("input"), 8),
       reciprocals = column<uint32_t>(*unary.getString("rcp.approx"), 8);
  auto pairs = allPairs(inputs);
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> divisions[] = {
      {"div.full", "llvm.nvvm.div.full"},
      {"div.full.ftz", "llvm.nvvm.div.full.ftz"},
      {"div.approx", "llvm.nvvm.div.approx.f"},
  };
  for (auto [key, intrinsic] : divisions) {
    auto actual = evaluate<uint32_t, uint32_t>(callOf(intrinsic, 2, "float", "float"), pairs),
         expected = column<uint32_t>(*table.getString(key), 8);
    for (auto [i, answer] : llvm::enumerate(expected)) {
      float divisor = bitCast<float>(pairs[1][i]);
      float reciprocal = float(1.0 / double(divisor));
      bool exact = divisor != divisor || bitCast<uint32_t>(reciprocal) == reciprocals[i % inputs.size()];
      EXPECT_LE(std::abs(int64_t(actual[i]) - int64_t(answer)), exact ? 0 : 1)
          << intrinsic.str() << " of " << llvm::utohexstr(pairs[0][i]) << " and " << llvm::utohexstr(pairs[1][i]);
    }
  }
}

TEST(ScalarHardware, Comparisons) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject(binarySingle);
  auto pairs = allPairs(column<uint32_t>(*answers.getObject("unary_f32")->getString("input"), 8));
  for (auto [key, predicate] : {std::pair("lt", "olt"),
                                {"ltu", "ult"},
                                {"eq", "oeq"},
                                {"ne", "one"},
                                {"neu", "une"},
                                {"num", "ord"},
                                {"nan", "uno"}}) {
    Elementwise kernel{"float", "i32",
                       llvm::formatv("%c = fcmp {0} float %x, %y\n  %r = zext i1 %c to i32", predicate).str(), ""};
    expectBits<uint32_t>(predicate, pairs, evaluate<uint32_t, uint32_t>(kernel, pairs),
                         column<uint32_t>(*table.getString(std::string("setp.") + key), 1));
  }
}

TEST(ScalarHardware, RoundingToIntegersAndSigns) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("unary_f32");
  std::vector<std::vector<uint32_t>> inputs{column<uint32_t>(*table.getString("input"), 8)};
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> functions[] = {
      {"cvt.rni", "llvm.rint.f32"},        {"cvt.rni", "llvm.roundeven.f32"}, {"cvt.rzi", "llvm.trunc.f32"},
      {"cvt.rmi", "llvm.floor.f32"},       {"cvt.rpi", "llvm.ceil.f32"},      {"cvt.rmi", "llvm.nvvm.floor.f"},
      {"cvt.sat", "llvm.nvvm.saturate.f"}, {"abs", "llvm.fabs.f32"},          {"sqrt.rn", "llvm.sqrt.f32"},
  };
  for (auto [key, intrinsic] : functions)
    expectBits<uint32_t>(intrinsic, inputs,
                         evaluate<uint32_t, uint32_t>(callOf(intrinsic, 1, "float", "float"), inputs),
                         column<uint32_t>(*table.getString(key), 8));
  expectBits<uint32_t>("fneg", inputs,
                       evaluate<uint32_t, uint32_t>({"float", "float", "%r = fneg float %x", ""}, inputs),
                       column<uint32_t>(*table.getString("neg"), 8));
}

/// Zeros and NaNs exactly, the rest within the documented absolute error where the argument is in [-pi, pi].
TEST(ScalarHardware, SineAndCosine) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("unary_f32");
  std::vector<std::vector<uint32_t>> inputs{column<uint32_t>(*table.getString("input"), 8)};
  for (auto [key, intrinsic] : {std::pair("sin.approx", "llvm.nvvm.sin.approx.f"),
                                {"cos.approx", "llvm.nvvm.cos.approx.f"},
                                {"sin.approx.ftz", "llvm.nvvm.sin.approx.ftz.f"},
                                {"cos.approx.ftz", "llvm.nvvm.cos.approx.ftz.f"}}) {
    auto actual = evaluate<uint32_t, uint32_t>(callOf(intrinsic, 1, "float", "float"), inputs);
    for (auto [input, bits, answer] : llvm::zip_equal(inputs[0], actual, column<uint32_t>(*table.getString(key), 8))) {
      float x = bitCast<float>(input), expected = bitCast<float>(answer);
      if (!(std::fabs(x) <= 3.1415927f) && std::isfinite(x))
        continue;
      if (std::fabs(x) < 1e-3f || expected != expected)
        EXPECT_EQ(bits, answer) << intrinsic << " of " << llvm::utohexstr(input);
      else
        EXPECT_NEAR(bitCast<float>(bits), expected, 4e-7) << intrinsic << " of " << llvm::utohexstr(input);
    }
  }
}

TEST(ScalarHardware, SixteenBitArithmetic) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("binary_16bit");
  auto pairs = allPairs(column<uint16_t>(*table.getString("input"), 4));
  for (auto [suffix, type] : {std::pair("f16", "half"), {"bf16", "bfloat"}}) {
    auto check = [&](const std::string &key, const Elementwise &kernel) {
      expectBits<uint16_t>(kernel.body, pairs, evaluate<uint16_t, uint16_t>(kernel, pairs),
                           column<uint16_t>(*table.getString(key), 4));
    };
    check(std::string("add.rn.") + suffix, {type, type, llvm::formatv("%r = fadd {0} %x, %y", type), ""});
    check(std::string("mul.rn.") + suffix, {type, type, llvm::formatv("%r = fmul {0} %x, %y", type), ""});
    check(std::string("min.") + suffix, callOf(std::string("llvm.nvvm.fmin.") + suffix, 2, type, type));
    check(std::string("max.NaN.") + suffix, callOf(std::string("llvm.nvvm.fmax.nan.") + suffix, 2, type, type));
    check(std::string("fma.rn.") + suffix + "(a,b,a)",
          {type, type, llvm::formatv("%r = call {0} @llvm.fma.{1}({0} %x, {0} %y, {0} %x)", type, suffix),
           llvm::formatv("declare {0} @llvm.fma.{1}({0}, {0}, {0})", type, suffix)});
  }
  expectBits<uint16_t>(
      "fma.rn.relu", pairs,
      evaluate<uint16_t, uint16_t>({"bfloat", "bfloat",
                                    "%r = call bfloat @llvm.nvvm.fma.rn.relu.bf16(bfloat %x, bfloat %y, bfloat %x)",
                                    "declare bfloat @llvm.nvvm.fma.rn.relu.bf16(bfloat, bfloat, bfloat)"},
                                   pairs),
      column<uint16_t>(*table.getString("fma.rn.relu.bf16(a,b,a)"), 4));
}

TEST(ScalarHardware, FloatToInteger) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  std::vector<float> inputs;
  std::vector<double> wideInputs;
  for (const llvm::json::Value &text : *answers.getArray("float_to_int_input")) {
    double value = std::stod(text.getAsString()->str());
    inputs.push_back(float(value));
    wideInputs.push_back(value);
  }
  const llvm::json::Object &table = *answers.getObject("float_to_int_rzi");
  for (auto [format, type] : {std::pair("f32", "float"), {"f64", "double"}, {"f16", "half"}, {"bf16", "bfloat"}})
    for (auto &[target, text] : *table.getObject(format)) {
      llvm::StringRef name(target);
      bool isSigned = name.consume_front("s");
      name.consume_front("u");
      std::string integer = ("i" + name).str();
      std::string body = llvm::formatv("%n = fpto{0} {1} %x to {2}\n", isSigned ? "si" : "ui", type, integer).str();
      body += integer == "i64" ? "  %r = add i64 %n, 0" : "  %r = zext " + integer + " %n to i64";
      // The recorded inputs: f16 the nearest numbers, bf16 the high halves of f32.
      std::vector<uint64_t> actual;
      Elementwise kernel{type, "i64", body, ""};
      if (llvm::StringRef(format) == "f64") {
        actual = evaluate<double, uint64_t>(kernel, {wideInputs});
      } else if (llvm::StringRef(format) == "f32") {
        actual = evaluate<float, uint64_t>(kernel, {inputs});
      } else {
        bool isHalf = llvm::StringRef(format) == "f16";
        std::vector<uint16_t> narrow;
        narrow.reserve(wideInputs.size());
        for (double value : wideInputs)
          narrow.push_back(isHalf ? halfFromFloat(float(value)) : uint16_t(bitCast<uint32_t>(float(value)) >> 16));
        actual = evaluate<uint16_t, uint64_t>(kernel, {narrow});
      }
      unsigned bits = 0;
      name.getAsInteger(10, bits);
      uint64_t kept = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
      for (auto [value, result, answer] : llvm::zip_equal(wideInputs, actual, words(*text.getAsString(), 16)))
        EXPECT_EQ(result, answer & kept) << format << " to " << llvm::StringRef(target).str() << " of " << value;
    }
}

/// Integers are converted to 16-bit floats with one rounding, not by way of f32.
TEST(ScalarHardware, IntegersRoundOnce) {
  std::vector<std::vector<uint32_t>> inputs{{2049, 0x1000001, 0x1800001, 0x01020001, 65519, 65520}};
  auto halves = evaluate<uint32_t, uint16_t>({"i32", "half", "%r = uitofp i32 %x to half", ""}, inputs);
  auto bfloats = evaluate<uint32_t, uint16_t>({"i32", "bfloat", "%r = uitofp i32 %x to bfloat", ""}, inputs);
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x6800, 0x7c00, 0x7c00, 0x7c00, 0x7bff, 0x7c00}));
  EXPECT_EQ(bfloats, (std::vector<uint16_t>{0x4500, 0x4b80, 0x4bc0, 0x4b81, 0x4780, 0x4780}));
  std::vector<std::vector<double>> doubles{{1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-8 + 0x1p-40}};
  EXPECT_EQ((evaluate<double, uint16_t>({"double", "half", "%r = fptrunc double %x to half", ""}, doubles))[0], 0x3c01);
  EXPECT_EQ((evaluate<double, uint16_t>({"double", "bfloat", "%r = fptrunc double %x to bfloat", ""}, doubles))[1],
            0x3f81);
}

TEST(ScalarHardware, NarrowingIntrinsics) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("from_f32");
  auto inputs = column<uint32_t>(*table.getString("input"), 8);
  struct Form {
    llvm::StringLiteral key, intrinsic, result;
  };
  const Form single[] = {
      {"f16.rn", "llvm.nvvm.f2f16.rn", "half"},
      {"f16.rz", "llvm.nvvm.f2f16.rz", "half"},
      {"f16.rn.relu", "llvm.nvvm.f2f16.rn.relu", "half"},
      {"f16.rn.satfinite", "llvm.nvvm.f2f16.rn.satfinite", "half"},
      {"bf16.rn", "llvm.nvvm.f2bf16.rn", "bfloat"},
      {"bf16.rz", "llvm.nvvm.f2bf16.rz", "bfloat"},
      {"bf16.rn.relu", "llvm.nvvm.f2bf16.rn.relu", "bfloat"},
      {"bf16.rn.satfinite", "llvm.nvvm.f2bf16.rn.satfinite", "bfloat"},
  };
  for (const Form &form : single) {
    auto actual = evaluate<uint32_t, uint16_t>(callOf(form.intrinsic, 1, "float", form.result), {inputs});
    for (auto [input, bits, answer] : llvm::zip_equal(inputs, actual, words(*table.getString(form.key), 4)))
      EXPECT_EQ(bits, answer) << form.intrinsic.str() << " of " << llvm::utohexstr(input);
  }
  for (llvm::StringRef rule : {"rna", "rn", "rz", "rna.satfinite", "rn.relu"}) {
    auto actual = evaluate<uint32_t, uint32_t>(callOf(("llvm.nvvm.f2tf32." + rule).str(), 1, "float", "i32"), {inputs});
    expectBits<uint32_t>(rule, {inputs}, actual, column<uint32_t>(*table.getString(("tf32." + rule).str()), 8));
  }
  // Pairs: the first operand goes to the high half.
  std::vector<uint32_t> ones(inputs.size(), 0x3f800000);
  const Form pairs[] = {
      {"f16.rn", "llvm.nvvm.ff2f16x2.rn", "<2 x half>"},
      {"bf16.rn.relu", "llvm.nvvm.ff2bf16x2.rn.relu", "<2 x bfloat>"},
  };
  for (const Form &form : pairs) {
    auto actual = evaluate<uint32_t, uint32_t>(callOf(form.intrinsic, 2, "float", form.result), {ones, inputs});
    for (auto [input, bits, answer] : llvm::zip_equal(inputs, actual, words(*table.getString(form.key), 4)))
      EXPECT_EQ(bits, answer | (form.result.contains("bfloat") ? 0x3f800000 : 0x3c000000))
          << form.intrinsic.str() << " of " << llvm::utohexstr(input);
  }
  const Form eights[] = {
      {"e4m3x2 (low byte)", "llvm.nvvm.ff.to.e4m3x2.rn", "i16"},
      {"e5m2x2", "llvm.nvvm.ff.to.e5m2x2.rn", "i16"},
      {"e4m3x2.relu", "llvm.nvvm.ff.to.e4m3x2.rn.relu", "i16"},
      {"e5m2x2.relu", "llvm.nvvm.ff.to.e5m2x2.rn.relu", "i16"},
  };
  for (const Form &form : eights) {
    auto actual = evaluate<uint32_t, uint16_t>(callOf(form.intrinsic, 2, "float", "i16"), {ones, inputs});
    for (auto [input, bits, answer] : llvm::zip_equal(inputs, actual, words(*table.getString(form.key), 4)))
      EXPECT_EQ(bits, (answer & 0xff) | (form.intrinsic.contains("e4m3") ? 0x3800 : 0x3c00))
          << form.intrinsic.str() << " of " << llvm::utohexstr(input);
  }
}

TEST(ScalarHardware, WideningIntrinsics) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  std::vector<uint16_t> pairs;
  pairs.reserve(256);
  for (unsigned byte = 0; byte < 256; ++byte)
    pairs.push_back(uint16_t(byte | (255 - byte) << 8));
  for (auto [key, intrinsic] :
       {std::pair("e4m3_to_f16", "llvm.nvvm.e4m3x2.to.f16x2.rn"), {"e5m2_to_f16", "llvm.nvvm.e5m2x2.to.f16x2.rn"}}) {
    auto answer = words(*answers.getString(key), 4);
    auto actual = evaluate<uint16_t, uint32_t>(callOf(intrinsic, 1, "i16", "<2 x half>"), {pairs});
    for (unsigned byte = 0; byte < 256; ++byte)
      EXPECT_EQ(actual[byte], answer[byte] | answer[255 - byte] << 16) << intrinsic << " of " << byte;
  }
}

TEST(ScalarHardware, HalvesToEightBits) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("every_8th_16bit_input");
  std::vector<uint32_t> pairs;
  for (uint32_t bits = 0; bits < 0x10000; bits += 8)
    pairs.push_back(bits | bits << 16);
  for (auto [key, intrinsic] :
       {std::pair("f16_to_e4m3", "llvm.nvvm.f16x2.to.e4m3x2.rn"), {"f16_to_e5m2", "llvm.nvvm.f16x2.to.e5m2x2.rn"}}) {
    auto actual = evaluate<uint32_t, uint16_t>(callOf(intrinsic, 1, "<2 x half>", "i16"), {pairs});
    for (auto [pair, bits, answer] : llvm::zip_equal(pairs, actual, words(*table.getString(key), 2)))
      EXPECT_EQ(bits, answer | answer << 8) << intrinsic << " of " << llvm::utohexstr(pair);
  }
}

TEST(ScalarHardware, BytePermutations) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("prmt a=33221100 b=f7e6d5c4, selector 0..255");
  std::vector<uint32_t> selectors(256);
  for (unsigned i = 0; i < 256; ++i)
    selectors[i] = i;
  for (auto &[mode, text] : table) {
    llvm::StringRef name(mode);
    bool two = name == "default" || name == "f4e" || name == "b4e";
    std::string intrinsic = name == "default" ? "llvm.nvvm.prmt" : ("llvm.nvvm.prmt." + name).str();
    Elementwise kernel{
        "i32", "i32",
        llvm::formatv("%r = call i32 @{0}(i32 857870592{1}, i32 %x)", intrinsic, two ? ", i32 4159100356" : "").str(),
        llvm::formatv("declare i32 @{0}(i32, i32{1})", intrinsic, two ? ", i32" : "").str()};
    expectBits<uint32_t>(mode.str(), {selectors}, evaluate<uint32_t, uint32_t>(kernel, {selectors}),
                         column<uint32_t>(*text.getAsString(), 8));
  }
}

} // namespace
} // namespace triton::simulator
