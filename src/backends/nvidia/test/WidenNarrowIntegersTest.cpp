// Narrow arithmetic in 32 bits: the results must be correct, and the PTX must not contain instructions that ptxas
// misreads.

#include "backends/nvidia/llvm/Passes.h"
#include "backends/nvidia/test/Require.h"
#include "simulator/test/Harness.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"

#include <regex>

using namespace triton;
using namespace triton::nvidia;

namespace {

struct Integers {
  int64_t x, y; ///< signed
  unsigned bits;
  uint64_t unsignedX() const { return uint64_t(x) & llvm::maxUIntN(bits); }
  uint64_t unsignedY() const { return uint64_t(y) & llvm::maxUIntN(bits); }
  int64_t clamp(int64_t value) const { return std::clamp(value, llvm::minIntN(bits), llvm::maxIntN(bits)); }
};

/// Statements that compute %r from %x and %y of the type `T`, whose elements have the type `E`, and the expected low
/// bits of %r.
struct Operation {
  const char *name;
  const char *statements;
  int64_t (*expected)(Integers);
};

constexpr Operation operations[] = {
    {"neg", "%r = sub T zeroinitializer, %x", [](Integers v) { return -v.x; }},
    {"add", "%r = add T %x, %y", [](Integers v) { return v.x + v.y; }},
    {"sub", "%r = sub T %x, %y", [](Integers v) { return v.x - v.y; }},
    {"mul", "%r = mul T %x, %y", [](Integers v) { return v.x * v.y; }},
    {"not", "%s = add T %x, %y\n%r = xor T %s, splat (E -1)", [](Integers v) { return ~(v.x + v.y); }},
    {"sdiv", "%d = or T %y, splat (E 1)\n%n = or T %x, splat (E 1)\n%r = sdiv T %n, %d",
     [](Integers v) { return (v.x | 1) / (v.y | 1); }},
    {"srem", "%d = or T %y, splat (E 1)\n%n = or T %x, splat (E 1)\n%r = srem T %n, %d",
     [](Integers v) { return (v.x | 1) % (v.y | 1); }},
    {"udiv", "%d = or T %y, splat (E 1)\n%r = udiv T %x, %d",
     [](Integers v) { return int64_t(v.unsignedX() / (v.unsignedY() | 1)); }},
    {"urem", "%d = or T %y, splat (E 1)\n%r = urem T %x, %d",
     [](Integers v) { return int64_t(v.unsignedX() % (v.unsignedY() | 1)); }},
    {"shl", "%d = and T %y, splat (E 7)\n%r = shl T %x, %d", [](Integers v) { return v.x << (v.y & 7); }},
    {"lshr", "%d = and T %y, splat (E 7)\n%r = lshr T %x, %d",
     [](Integers v) { return int64_t(v.unsignedX() >> (v.y & 7)); }},
    {"ashr", "%d = and T %y, splat (E 7)\n%r = ashr T %x, %d", [](Integers v) { return v.x >> (v.y & 7); }},
    {"abs", "%r = call T @llvm.abs(T %x, i1 false)", [](Integers v) { return std::abs(v.x); }},
    {"smin", "%r = call T @llvm.smin(T %x, T %y)", [](Integers v) { return std::min(v.x, v.y); }},
    {"smax", "%r = call T @llvm.smax(T %x, T %y)", [](Integers v) { return std::max(v.x, v.y); }},
    {"umin", "%r = call T @llvm.umin(T %x, T %y)",
     [](Integers v) { return int64_t(std::min(v.unsignedX(), v.unsignedY())); }},
    {"umax", "%r = call T @llvm.umax(T %x, T %y)",
     [](Integers v) { return int64_t(std::max(v.unsignedX(), v.unsignedY())); }},
    {"sadd.sat", "%r = call T @llvm.sadd.sat(T %x, T %y)", [](Integers v) { return v.clamp(v.x + v.y); }},
    {"ssub.sat", "%r = call T @llvm.ssub.sat(T %x, T %y)", [](Integers v) { return v.clamp(v.x - v.y); }},
    {"uadd.sat", "%r = call T @llvm.uadd.sat(T %x, T %y)",
     [](Integers v) { return int64_t(std::min(v.unsignedX() + v.unsignedY(), llvm::maxUIntN(v.bits))); }},
    {"usub.sat", "%r = call T @llvm.usub.sat(T %x, T %y)",
     [](Integers v) { return int64_t(v.unsignedX() - std::min(v.unsignedX(), v.unsignedY())); }},
    {"scmp", "%r = call T @llvm.scmp(T %x, T %y)", [](Integers v) { return int64_t(v.x > v.y) - int64_t(v.x < v.y); }},
    {"ucmp", "%r = call T @llvm.ucmp(T %x, T %y)",
     [](Integers v) { return int64_t(v.unsignedX() > v.unsignedY()) - int64_t(v.unsignedX() < v.unsignedY()); }},
    {"rotate", "%r = call T @llvm.fshl(T %x, T %x, T %y)",
     [](Integers v) {
       unsigned amount = v.unsignedY() % v.bits;
       return int64_t((v.unsignedX() << v.bits | v.unsignedX()) << amount >> v.bits);
     }},
    {"fshr", "%r = call T @llvm.fshr(T %x, T %y, T %y)",
     [](Integers v) { return int64_t((v.unsignedX() << v.bits | v.unsignedY()) >> v.unsignedY() % v.bits); }},
    {"chain", "%s = add T %x, %y\n%m = mul T %s, %s\n%o = or T %m, %x\n%r = sub T %o, %s",
     [](Integers v) { return (((v.x + v.y) * (v.x + v.y)) | v.x) - (v.x + v.y); }},
};

/// A kernel whose threads take elements of a and b, as x and y or as the lanes <x, y> and <y, x>. It stores the
/// results' sign extensions, zero extensions, comparison with x, and the results themselves.
std::string kernelText(const Operation &operation, unsigned bits, unsigned lanes) {
  std::string element = "i" + std::to_string(bits);
  auto shaped = [&](const std::string &type) { return lanes == 1 ? type : "<2 x " + type + ">"; };
  std::string type = shaped(element), text = R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr E, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr E, ptr addrspace(1) %b, i32 %t
  %ea = load E, ptr addrspace(1) %pa
  %eb = load E, ptr addrspace(1) %pb
)";
  if (lanes == 1)
    text += "%x = add T %ea, 0\n%y = add T %eb, 0\n";
  else
    text += "%v = insertelement T poison, E %ea, i32 0\n%x = insertelement T %v, E %eb, i32 1\n"
            "%w = insertelement T poison, E %eb, i32 0\n%y = insertelement T %w, E %ea, i32 1\n";
  text += std::string(operation.statements) + "\n";
  text += "%signed = sext T %r to W\n%unsigned = zext T %r to W\n%less = icmp slt T %r, %x\n%c = zext C %less to W\n"
          "%kept = freeze T %r\n%same = zext T %kept to W\n";
  unsigned slot = 0;
  for (const char *result : {"%signed", "%unsigned", "%c", "%same"})
    for (unsigned lane = 0; lane < lanes; ++lane, ++slot) {
      std::string n = std::to_string(slot), value = std::string(result);
      if (lanes > 1) {
        text += "%e" + n + " = extractelement W " + result + ", i32 " + std::to_string(lane) + "\n";
        value = "%e" + n;
      }
      text += llvm::formatv("%i{0} = mul i32 %t, 8\n%j{0} = add i32 %i{0}, {0}\n%p{0} = getelementptr i32, ptr "
                            "addrspace(1) %out, i32 %j{0}\nstore i32 {1}, ptr addrspace(1) %p{0}\n",
                            n, value)
                  .str();
    }
  text += "ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  auto replace = [&](const std::string &name, const std::string &with) {
    text = std::regex_replace(text, std::regex("\\b" + name), with);
  };
  if (lanes == 1)
    replace(R"(splat \(E (-?\d+)\))", "$1");
  replace("T\\b", type);
  replace("E\\b", element);
  replace("W\\b", shaped("i32"));
  replace("C\\b", shaped("i1"));
  return text;
}

class NarrowArithmetic : public testing::TestWithParam<std::tuple<unsigned, unsigned>> {};

template <typename T> void expectResults(const Operation &operation, llvm::StringRef text, unsigned lanes) {
  constexpr unsigned bits = 8 * sizeof(T);
  const T extremes[] = {std::numeric_limits<T>::min(),        T(std::numeric_limits<T>::min() + 1), -2, -1, 0, 1,
                        T(std::numeric_limits<T>::max() - 1), std::numeric_limits<T>::max()};
  std::vector<T> a, b;
  for (T x : extremes)
    for (T y : extremes) {
      a.push_back(x);
      b.push_back(y);
    }
  std::vector<int32_t> out(a.size() * 8);
  auto program = simulator::decodeText(text);
  ASSERT_TRUE(program) << operation.name;
  simulator::LaunchConfiguration configuration;
  configuration.threads = unsigned(a.size());
  using simulator::addressOf, simulator::allocationOf;
  simulator::launch(*program, configuration, {addressOf(a), addressOf(b), addressOf(out)},
                    {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(out, "out")});
  for (std::size_t i = 0; i < a.size(); ++i)
    for (unsigned lane = 0; lane < lanes; ++lane) {
      T x = lane ? b[i] : a[i], y = lane ? a[i] : b[i];
      auto expected = T(operation.expected({x, y, bits}));
      auto zeroExtended = int32_t(std::make_unsigned_t<T>(expected));
      auto place = testing::Message() << operation.name << " of " << int(x) << " and " << int(y) << ", lane " << lane;
      EXPECT_EQ(out[i * 8 + lane], expected) << place;
      EXPECT_EQ(out[i * 8 + lanes + lane], zeroExtended) << place;
      EXPECT_EQ(out[i * 8 + 2 * lanes + lane], expected < x) << place;
      EXPECT_EQ(out[i * 8 + 3 * lanes + lane], zeroExtended) << place;
    }
}

TEST_P(NarrowArithmetic, KeepsItsResults) {
  auto [bits, lanes] = GetParam();
  for (const Operation &operation : operations) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(kernelText(operation, bits, lanes), diagnostic, context);
    ASSERT_TRUE(module) << operation.name << ": " << diagnostic.getMessage().str();
    llvm::ModuleAnalysisManager analyses;
    WidenNarrowIntegersPass().run(*module, analyses);
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    ASSERT_FALSE(llvm::verifyModule(*module)) << text;
    if (bits == 8)
      expectResults<int8_t>(operation, text, lanes);
    else
      expectResults<int16_t>(operation, text, lanes);
  }
}

TEST_P(NarrowArithmetic, DoesNotReachTheAssembler) {
  auto [bits, lanes] = GetParam();
  for (const char *arch : {"80", "90", "100"})
    for (const Operation &operation : operations) {
      llvm::LLVMContext context;
      llvm::SMDiagnostic diagnostic;
      auto module = llvm::parseAssemblyString(kernelText(operation, bits, lanes), diagnostic, context);
      ASSERT_TRUE(module) << operation.name << ": " << diagnostic.getMessage().str();
      PtxOptions options;
      options.architecture = llvm::cantFail(parseArchitecture(arch));
      llvm::cantFail(prepareModule(*module, options));
      optimize(*module, options);
      std::string ptx = writePtx(*module, options);
      std::smatch found;
      const std::regex narrow(
          R"(\b(add|sub|mul\.(?!wide)|mad|neg|abs|min|max|div|rem|shl|shr)\S*\.[subf]?(8|16)(x2)?\s)");
      EXPECT_FALSE(std::regex_search(ptx, found, narrow)) << found.str() << "of " << operation.name << " in\n" << ptx;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NarrowArithmetic, testing::Combine(testing::Values(8u, 16u), testing::Values(1u, 2u)),
                         [](const auto &info) {
                           return "i" + std::to_string(std::get<0>(info.param)) + "x" +
                                  std::to_string(std::get<1>(info.param));
                         });

/// If halves are computed as well, the optimizer makes pairs of integers.
TEST(NarrowVectors, OfTheOptimizerAreTakenApart) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(R"(
define ptx_kernel void @kernel(ptr addrspace(1) align 16 %i, ptr addrspace(1) align 16 %h, ptr addrspace(1) align 16 %o) {
  %v = load <2 x i16>, ptr addrspace(1) %i
  %f = load <2 x half>, ptr addrspace(1) %h
  %v0 = extractelement <2 x i16> %v, i32 0
  %v1 = extractelement <2 x i16> %v, i32 1
  %f0 = extractelement <2 x half> %f, i32 0
  %f1 = extractelement <2 x half> %f, i32 1
  %a0 = add i16 %v0, 1
  %a1 = add i16 %v1, 1
  %m0 = fmul half %f0, %f0
  %m1 = fmul half %f1, %f1
  %p1 = getelementptr i8, ptr addrspace(1) %o, i32 2
  %p2 = getelementptr i8, ptr addrspace(1) %o, i32 4
  %p3 = getelementptr i8, ptr addrspace(1) %o, i32 6
  store i16 %a0, ptr addrspace(1) %o, align 4
  store i16 %a1, ptr addrspace(1) %p1, align 2
  store half %m0, ptr addrspace(1) %p2, align 4
  store half %m1, ptr addrspace(1) %p3, align 2
  ret void
}
)",
                                          diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  PtxOptions options;
  options.architecture = llvm::cantFail(parseArchitecture("90"));
  llvm::cantFail(prepareModule(*module, options));
  optimize(*module, options);
  std::string llir;
  llvm::raw_string_ostream(llir) << *module;
  EXPECT_NE(llir.find("add <2 x i16>"), std::string::npos) << "the case is gone:\n" << llir;
  std::string ptx = writePtx(*module, options);
  EXPECT_NE(ptx.find("mul.f16x2"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("add.s32"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("add.s16"), std::string::npos) << ptx;
}

} // namespace
