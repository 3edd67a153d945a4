// Kernels of AMD's GPUs: what a thread knows of the launch, scheduling, and arithmetic on one lane.
#include "AmdgpuHarness.h"

#include <cmath>

namespace triton::simulator {
namespace {

TEST(Amdgpu, WarpsHaveTheLanesOfTheProcessor) {
  constexpr llvm::StringLiteral body = R"(
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  store i32 %lane, ptr addrspace(1) %to
  ret void)";
  AmdgpuRun(body, {.threads = 128}).expectOut([](unsigned i) { return i % 64; });
  AmdgpuRun(body, {.processor = "gfx1100", .threads = 128}).expectOut([](unsigned i) { return i % 32; });
  AmdgpuRun(body, {.processor = "gfx1100", .threads = 128, .features = "+wavefrontsize64"}).expectOut([](unsigned i) {
    return i % 64;
  });
}

TEST(Amdgpu, ThreadsFindTheirPlaceInTheLaunch) {
  AmdgpuRun(R"(
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %countx = load i32, ptr addrspace(4) %hidden
  %placey = getelementptr i8, ptr addrspace(4) %hidden, i64 4
  %county = load i32, ptr addrspace(4) %placey
  %placesize = getelementptr i8, ptr addrspace(4) %hidden, i64 12
  %size = load i16, ptr addrspace(4) %placesize
  %threads = zext i16 %size to i32
  %zy = mul i32 %z, %county
  %row = add i32 %zy, %y
  %rows = mul i32 %row, %countx
  %program = add i32 %rows, %x
  %first = mul i32 %program, %threads
  %t2 = add i32 %t, %ty
  %index = add i32 %first, %t2
  %wide = sext i32 %index to i64
  %own = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %index, ptr addrspace(1) %own
  ret void)",
            {.threads = 128, .grid = {3, 2, 2}})
      .expectOut([](unsigned i) { return i; });
}

TEST(Amdgpu, HiddenArgumentsEndSomewhere) {
  AmdgpuRun run(R"(
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %beyond = getelementptr i8, ptr addrspace(4) %hidden, i64 256
  %v = load i32, ptr addrspace(4) %beyond
  store i32 %v, ptr addrspace(1) %to
  ret void)");
  run.expect(FindingKind::OutOfBounds, "read of 4 bytes");
}

TEST(Amdgpu, HintsDoNothing) {
  AmdgpuRun(R"(
  call void @llvm.amdgcn.s.setprio(i16 1)
  call void @llvm.amdgcn.sched.barrier(i32 0)
  call void @llvm.amdgcn.sched.group.barrier(i32 8, i32 1, i32 0)
  call void @llvm.amdgcn.iglp.opt(i32 0)
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @llvm.amdgcn.wave.barrier()
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  call void asm sideeffect "", ""()
  store i32 %t, ptr addrspace(1) %to
  ret void)")
      .expectOut([](unsigned i) { return i; });
}

TEST(Amdgpu, WhatIsNotKnownIsRefused) {
  EXPECT_NE(AmdgpuRun::refusal("call void @llvm.amdgcn.s.sethalt(i32 1)\n ret void").find("sethalt"),
            std::string::npos);
  EXPECT_NE(AmdgpuRun::refusal("%p = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()\n ret void").find("dispatch"),
            std::string::npos);
  EXPECT_NE(AmdgpuRun::refusal("%x = call float @llvm.tanh.f32(float 1.0)\n ret void").find("no instructions"),
            std::string::npos);
}

TEST(Amdgpu, TrapsAreReported) { AmdgpuRun("call void @llvm.trap()\n unreachable").expect(FindingKind::Trap, ""); }

/// One function of one float, given by a kernel's body that defines %y from the float %x.
std::vector<float> evaluate(llvm::StringRef code, const std::vector<float> &inputs) {
  AmdgpuRun::Setup setup{.words = 64, .input = std::vector<uint32_t>(64)};
  for (unsigned i = 0; i < inputs.size(); ++i)
    setup.input[i] = bitCast<uint32_t>(inputs[i]);
  std::string body =
      "%x = load float, ptr addrspace(1) %from\n" + code.str() + "\n store float %y, ptr addrspace(1) %to\n ret void";
  AmdgpuRun run(body, setup);
  run.expectNoFindings();
  std::vector<float> results(inputs.size());
  for (auto [result, bits] : llvm::zip(results, run.out))
    result = bitCast<float>(bits);
  return results;
}

TEST(Amdgpu, FunctionsOfFloats) {
  const std::vector<float> inputs{0.25f, 1.0f, 3.5f, 100.25f, 0x1p-20f};
  struct Case {
    const char *code;
    double (*expected)(double);
  };
  const Case cases[] = {
      {"%y = call float @llvm.amdgcn.exp2.f32(float %x)", [](double x) { return std::exp2(x); }},
      {"%y = call float @llvm.amdgcn.log.f32(float %x)", [](double x) { return std::log2(x); }},
      {"%y = call float @llvm.amdgcn.rcp.f32(float %x)", [](double x) { return 1 / x; }},
      {"%y = call float @llvm.amdgcn.rsq.f32(float %x)", [](double x) { return 1 / std::sqrt(x); }},
      {"%y = call float @llvm.amdgcn.sqrt.f32(float %x)", [](double x) { return std::sqrt(x); }},
      {"%y = call float @llvm.amdgcn.sin.f32(float %x)", [](double x) { return std::sin(2 * M_PI * std::fmod(x, 1)); }},
      {"%y = call float @llvm.amdgcn.cos.f32(float %x)", [](double x) { return std::cos(2 * M_PI * std::fmod(x, 1)); }},
      {"%y = call float @llvm.amdgcn.fract.f32(float %x)", [](double x) { return x - std::floor(x); }},
      {"%y = call float @llvm.amdgcn.frexp.mant.f32(float %x)",
       [](double x) {
         int e;
         return std::frexp(x, &e);
       }},
      {"%e = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %x)\n %y = sitofp i32 %e to float",
       [](double x) { return double(std::ilogb(x) + 1); }},
      {"%y = call float @llvm.sin.f32(float %x)", [](double x) { return std::sin(x); }},
      {"%y = call float @llvm.cos.f32(float %x)", [](double x) { return std::cos(x); }},
      {"%y = call float @llvm.exp.f32(float %x)", [](double x) { return std::exp(x); }},
      {"%y = call float @llvm.exp10.f32(float %x)", [](double x) { return std::pow(10, x); }},
      {"%y = call float @llvm.log10.f32(float %x)", [](double x) { return std::log10(x); }},
      {"%y = call float @llvm.pow.f32(float %x, float 3.0)", [](double x) { return x * x * x; }},
      {"%y = call float @llvm.ldexp.f32.i32(float %x, i32 5)", [](double x) { return 32 * x; }},
      {"%y = call float @llvm.amdgcn.fmed3.f32(float %x, float 1.0, float 2.0)",
       [](double x) { return std::fmin(std::fmax(x, 1), 2); }},
      {"%p = call { float, i32 } @llvm.frexp.f32.i32(float %x)\n %y = extractvalue { float, i32 } %p, 0",
       [](double x) {
         int e;
         return std::frexp(x, &e);
       }},
      {"%y = call float @llvm.minimumnum.f32(float %x, float 2.0)", [](double x) { return std::fmin(x, 2); }},
      {"%y = call float @llvm.canonicalize.f32(float %x)", [](double x) { return x; }},
  };
  for (const Case &one : cases) {
    std::vector<float> results = evaluate(one.code, inputs);
    for (auto [input, result] : llvm::zip_equal(inputs, results)) {
      auto expected = float(one.expected(input));
      if (std::isinf(expected))
        EXPECT_EQ(result, expected) << one.code << " of " << input;
      else
        EXPECT_NEAR(result, expected, 2e-7 * std::fabs(expected) + 2e-7) << one.code << " of " << input;
    }
  }
}

TEST(Amdgpu, IntegerInstructions) {
  auto run = [](llvm::StringRef code, auto expected) {
    AmdgpuRun::Setup setup{.words = 64, .input = std::vector<uint32_t>(64)};
    for (unsigned i = 0; i < 64; ++i)
      setup.input[i] = 0x9e3779b9u * (i + 1);
    std::string body =
        "%x = load i32, ptr addrspace(1) %from\n" + code.str() + "\n store i32 %y, ptr addrspace(1) %to\n ret void";
    AmdgpuRun(body, setup).expectOut([&](unsigned i) { return expected(setup.input[i]); });
  };
  run("%y = call i32 @llvm.amdgcn.ubfe.i32(i32 %x, i32 5, i32 7)", [](uint32_t x) { return x >> 5 & 127; });
  run("%y = call i32 @llvm.amdgcn.sbfe.i32(i32 %x, i32 5, i32 7)",
      [](uint32_t x) { return uint32_t(int32_t(x << 20) >> 25); });
  run("%y = call i32 @llvm.amdgcn.sbfe.i32(i32 %x, i32 28, i32 8)",
      [](uint32_t x) { return uint32_t(int32_t(x) >> 28); });
  run("%y = call i32 @llvm.amdgcn.alignbyte(i32 %x, i32 305419896, i32 1)",
      [](uint32_t x) { return x << 24 | 0x123456; });
  run("%y = call i32 @llvm.amdgcn.perm(i32 %x, i32 305419896, i32 201786118)", // selectors 0c 07 03 06
      [](uint32_t x) { return (x >> 16 & 0xff) | 0x1200 | (x >> 24) << 16; });
  run("%y = call i32 @llvm.amdgcn.mul.u24.i32(i32 %x, i32 %x)",
      [](uint32_t x) { return (x & 0xffffff) * (x & 0xffffff); });
  run("%y = call i32 @llvm.amdgcn.mul.i24.i32(i32 %x, i32 -3)",
      [](uint32_t x) { return uint32_t((int32_t(x << 8) >> 8) * -3); });
  run("%b = trunc i32 %x to i1\n %r = call i1 @llvm.bitreverse.i1(i1 %b)\n %c = icmp slt i32 %x, 0\n"
      "%s = call i1 @llvm.umax.i1(i1 %r, i1 %c)\n %y = zext i1 %s to i32",
      [](uint32_t x) { return x >> 31 | (x & 1); });
  run("%f = bitcast i32 %x to float\n %c = call i1 @llvm.amdgcn.class.f32(float %f, i32 8)\n %y = zext i1 %c to i32",
      [](uint32_t x) { return uint32_t(x >> 31 && (x >> 23 & 0xff) != 0 && (x >> 23 & 0xff) != 0xff); });
}

TEST(Amdgpu, ConstantsMayBeExpressions) {
  auto run = [](llvm::StringRef type, llvm::StringRef constant, llvm::StringRef code, uint32_t expected) {
    std::string body = llvm::formatv(R"(
  %low = icmp ult i32 %t, 16
  br i1 %low, label %small, label %end
small:
  br label %end
end:
  %x = phi {0} [ {1}, %small ], [ zeroinitializer, %entry ]
  {2}
  store i32 %y, ptr addrspace(1) %to
  ret void)",
                                     type, constant, code)
                           .str();
    AmdgpuRun(body).expectOut([&](unsigned i) { return i < 16 ? expected : 0; });
  };
  llvm::StringRef half = "%y = extractelement <2 x i32> %x, i64 1";
  run("<2 x i32>", "bitcast (<1 x double> splat (double 5.0e-01) to <2 x i32>)", half, 0x3fe00000);
  run("<2 x i32>", "bitcast (<4 x i16> <i16 1, i16 2, i16 3, i16 4> to <2 x i32>)", half, 0x00040003);
  run("[2 x <1 x i32>]", "[<1 x i32> splat (i32 7), <1 x i32> bitcast (<2 x half> splat (half 1.0) to <1 x i32>)]",
      "%e = extractvalue [2 x <1 x i32>] %x, 1\n%y = extractelement <1 x i32> %e, i64 0", 0x3c003c00);
  run("bfloat", "bitcast (half 1.0 to bfloat)", "%b = bitcast bfloat %x to i16\n%y = zext i16 %b to i32", 0x3c00);
}

TEST(Amdgpu, IntegersOfAnyWidth) {
  // `body` computes %y from %t, the number of the thread, and from %n, a number of 64 bits.
  auto run = [](llvm::StringRef body, uint32_t (*expected)(unsigned, uint64_t)) {
    AmdgpuRun("%w = zext i32 %t to i64\n%m = add i64 %w, -5\n%n = mul i64 %m, -7046029254386353131\n" + body.str() +
              "\nstore i32 %y, ptr addrspace(1) %to\nret void")
        .expectOut([&](unsigned i) { return expected(i, (uint64_t(i) - 5) * 0x9e3779b97f4a7c15u); });
  };
  using Wide = unsigned __int128;
  using Signed = __int128;
  // The sum of the numbers below n needs 65 bits for its product.
  run("%a = zext i64 %n to i65\n%b = add i65 %a, -1\n%p = mul i65 %a, %b\n%h = lshr i65 %p, 1\n"
      "%r = trunc i65 %h to i64\n%u = lshr i64 %r, 32\n%y = trunc i64 %u to i32",
      [](unsigned, uint64_t n) { return uint32_t((Wide(n) * (Wide(n) - 1) & ((Wide(1) << 65) - 1)) >> 33); });
  run("%a = sext i64 %n to i72\n%s = shl i72 %a, 6\n%r = ashr i72 %s, 40\n%y = trunc i72 %r to i32",
      [](unsigned, uint64_t n) { return uint32_t((Signed(int64_t(n)) << 62 >> 56) >> 40); });
  run("%a = zext i64 %n to i128\n%d = shl i128 %a, 3\n%s = trunc i128 %d to i67\n%c = icmp slt i67 %s, 0\n"
      "%e = sext i67 %s to i128\n%h = lshr i128 %e, 96\n%k = trunc i128 %h to i32\n%y = select i1 %c, i32 %k, i32 7",
      [](unsigned, uint64_t n) { return int64_t(n) < 0 ? ~0u : 7u; });
  run("%a = trunc i64 %n to i33\n%b = sext i33 %a to i80\n%h = ashr i80 %b, 30\n%y = trunc i80 %h to i32",
      [](unsigned, uint64_t n) { return uint32_t(int64_t(n << 31) >> 31 >> 30); });
  run("%a = zext i64 %n to i65\n%d = shl i65 %a, 1\n%q = udiv i65 %d, 3\n%s = urem i65 %d, 1000\n"
      "%r = add i65 %q, %s\n%y = trunc i65 %r to i32",
      [](unsigned, uint64_t n) { return uint32_t(Wide(n) * 2 / 3 + Wide(n) * 2 % 1000); });
  run("%a = sext i64 %n to i70\n%d = shl i70 %a, 3\n%q = sdiv i70 %d, -7\n%s = srem i70 %d, 1000\n"
      "%r = add i70 %q, %s\n%y = trunc i70 %r to i32",
      [](unsigned, uint64_t n) { return uint32_t(Signed(int64_t(n)) * 8 / -7 + Signed(int64_t(n)) * 8 % 1000); });
  // Signs of narrow ones.
  run("%a = trunc i32 %t to i2\n%c = icmp sgt i2 %a, -1\n%y = zext i1 %c to i32",
      [](unsigned i, uint64_t) { return uint32_t((i & 2) == 0); });
  run("%a = trunc i32 %t to i3\n%b = sext i3 %a to i32\n%s = ashr i3 %a, 1\n%v = zext i3 %s to i32\n"
      "%x = shl i32 %v, 16\n%y = xor i32 %b, %x",
      [](unsigned i, uint64_t) { return uint32_t(int(i << 29) >> 29) ^ (uint32_t(int(i << 29) >> 30) & 7) << 16; });
  run("%a = trunc i32 %t to i3\n%b = call i3 @llvm.smin.i3(i3 %a, i3 1)\n%d = sdiv i3 %b, 2\n%y = sext i3 %d to i32",
      [](unsigned i, uint64_t) { return uint32_t(std::min(int(i << 29) >> 29, 1) / 2); });
}

TEST(Amdgpu, RefusesWhatOtherBitsOfARegisterWouldChange) {
  EXPECT_NE(AmdgpuRun::refusal("%a = trunc i32 %t to i24\nstore i24 %a, ptr addrspace(1) %to\nret void").find("width"),
            std::string::npos);
  EXPECT_NE(AmdgpuRun::refusal("%a = trunc i32 %t to i24\n%b = call i24 @llvm.ctlz.i24(i24 %a, i1 false)\nret void")
                .find("width"),
            std::string::npos);
}

TEST(Amdgpu, SwitchesOnBits) {
  AmdgpuRun("%o = and i32 %t, 1\n%c = icmp eq i32 %o, 1\nswitch i1 %c, label %even [ i1 true, label %odd ]\n"
            "even:\nstore i32 3, ptr addrspace(1) %to\nret void\nodd:\nstore i32 4, ptr addrspace(1) %to\nret void")
      .expectOut([](unsigned i) { return i & 1 ? 4 : 3; });
}

TEST(Amdgpu, IntegersOf128Bits) {
  // The words 64 to 95 of a result, from the 64 bits of `n`, a number that fills them.
  auto run = [](llvm::StringRef code, unsigned __int128 (*expected)(uint64_t)) {
    std::string body =
        "%w = zext i32 %t to i64\n%m = add i64 %w, -5\n%n = mul i64 %m, -7046029254386353131\n"
        "%a = zext i64 %n to i128\n%b = sext i64 %n to i128\n" +
        code.str() + "\n%h = lshr i128 %r, 64\n%y = trunc i128 %h to i32\nstore i32 %y, ptr addrspace(1) %to\nret void";
    AmdgpuRun(body).expectOut([&](unsigned i) {
      uint64_t n = (uint64_t(i) - 5) * 0x9e3779b97f4a7c15u;
      return uint32_t(expected(n) >> 64);
    });
  };
  using Wide = unsigned __int128;
  using Signed = __int128;
  run("%r = mul i128 %a, %a", [](uint64_t n) { return Wide(n) * n; });
  run("%r = mul i128 %b, %a", [](uint64_t n) { return Wide(Signed(int64_t(n))) * n; });
  run("%r = add i128 %b, %a", [](uint64_t n) { return Wide(Signed(int64_t(n))) + n; });
  run("%r = sub i128 %a, %b", [](uint64_t n) { return Wide(n) - Wide(Signed(int64_t(n))); });
  run("%s = shl i128 %a, 100\n%r = or i128 %s, %b",
      [](uint64_t n) { return Wide(n) << 100 | Wide(Signed(int64_t(n))); });
  run("%s = mul i128 %b, %b\n%t2 = shl i128 %s, 13\n%r = ashr i128 %t2, 7",
      [](uint64_t n) { return Wide(Signed(Wide(Signed(int64_t(n))) * Wide(Signed(int64_t(n))) << 13) >> 7); });
  run("%r = xor i128 %b, -1", [](uint64_t n) { return ~Wide(Signed(int64_t(n))); });
  // `n` of each lane beside its neighbour's, below and above 2^64.
  auto compare = [&](llvm::StringRef predicate, bool (*expected)(Signed, Signed)) {
    for (int64_t limit : {INT64_C(-5), INT64_C(0x3c6ef372fe94f82a)}) {
      std::string body = llvm::formatv("%w = zext i32 %t to i64\n%m = add i64 %w, -5\n%n = mul i64 %m, "
                                       "-7046029254386353131\n%a = sext i64 %n to i128\n"
                                       "%c = icmp {0} i128 %a, {1}\n%y = zext i1 %c to i32\n"
                                       "store i32 %y, ptr addrspace(1) %to\nret void",
                                       predicate, limit)
                             .str();
      AmdgpuRun(body).expectOut([&](unsigned i) {
        uint64_t n = (uint64_t(i) - 5) * 0x9e3779b97f4a7c15u;
        return uint32_t(expected(Signed(int64_t(n)), Signed(limit)));
      });
    }
  };
  compare("eq", [](Signed a, Signed b) { return a == b; });
  compare("ne", [](Signed a, Signed b) { return a != b; });
  compare("slt", [](Signed a, Signed b) { return a < b; });
  compare("sge", [](Signed a, Signed b) { return a >= b; });
  compare("ugt", [](Signed a, Signed b) { return Wide(a) > Wide(b); });
  compare("ule", [](Signed a, Signed b) { return Wide(a) <= Wide(b); });
}

} // namespace
} // namespace triton::simulator
