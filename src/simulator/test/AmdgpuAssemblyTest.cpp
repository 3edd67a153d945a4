// Inline assembly of AMD's GPUs: operands, modifiers, conditions, waits, and what is refused.
// python/test/language/test_inline_amd.py assembles and runs each instruction.
#include "AmdgpuHarness.h"

namespace triton::simulator {
namespace {

/// A kernel whose result is that of an assembly text on the thread's number ($1) and on its element of `in` ($2), which
/// is larger by one.
std::string textOf(llvm::StringRef assembly, llvm::StringRef constraints = "=v,v,v") {
  return llvm::formatv(R"(
  %x = load i32, ptr addrspace(1) %from
  %r = call i32 asm sideeffect "{0}", "{1}"(i32 %t, i32 %x)
  store i32 %r, ptr addrspace(1) %to
  ret void)",
                       assembly, constraints)
      .str();
}

void expectEach(llvm::StringRef assembly, llvm::function_ref<uint32_t(uint32_t)> expected,
                llvm::StringRef constraints = "=v,v,v") {
  SCOPED_TRACE(assembly.str());
  AmdgpuRun(textOf(assembly, constraints)).expectOut(expected);
}

uint32_t bitsOf(float value) { return bitCast<uint32_t>(value); }

TEST(AmdgpuAssembly, SequencesWithCommentsAndEncodings) {
  expectEach(
      R"(v_add_u32_e32 $0, $1, $2 ; a comment\0A\0A  v_lshlrev_b32 $0, 3, $0 // another\0Av_xor_b32 $0, $0, 0x11)",
      [](uint32_t t) { return ((2 * t + 1) << 3) ^ 0x11; });
  expectEach("v_mov_b32 ${0}, -5", [](uint32_t) { return uint32_t(-5); });
  expectEach("", [](uint32_t t) { return t; }, "=v,0,v");
}

TEST(AmdgpuAssembly, NumbersAndModifiersOfOperands) {
  expectEach("v_cvt_f32_u32 $0, $1\\0Av_add_f32 $0, -0.5, $0", [](uint32_t t) { return bitsOf(float(t) - 0.5f); });
  expectEach("v_cvt_f32_u32 $0, $1\\0Av_sub_f32 $0, 1.0, -|$0|", [](uint32_t t) { return bitsOf(1 + float(t)); });
  expectEach("v_cvt_f32_u32 $0, $1\\0Av_mul_f32 $0, neg($0), abs($0) clamp", [](uint32_t) { return bitsOf(0); });
  // An integer stands for its bits.
  expectEach("v_mov_b32 $0, 1.0\\0Av_or_b32 $0, 1, $0", [](uint32_t) { return 0x3f800001; });
}

TEST(AmdgpuAssembly, ConditionsOfLanes) {
  expectEach("v_cmp_lt_u32 vcc, 7, $1\\0Av_cndmask_b32 $0, $1, $2, vcc", [](uint32_t t) { return t > 7 ? t + 1 : t; });
  EXPECT_NE(AmdgpuRun::refusal(textOf("v_cndmask_b32 $0, $1, $2, vcc")), "");
}

TEST(AmdgpuAssembly, HalvesOfPackedOperands) {
  auto pack = [](uint32_t low, uint32_t high) { return (low & 0xffff) | high << 16; };
  expectEach("v_pk_add_u16 $0, $1, $2", [&](uint32_t t) { return pack(2 * t + 1, 0); });
  expectEach("v_pk_add_u16 $0, $1, $2 op_sel:[0,0] op_sel_hi:[0,0]",
             [&](uint32_t t) { return pack(2 * t + 1, 2 * t + 1); });
  expectEach("v_pk_sub_i16 $0, $1, $2 op_sel_hi:[1,0]",
             [&](uint32_t t) { return pack(uint32_t(-1), uint32_t(-1 - int(t))); });
}

TEST(AmdgpuAssembly, TiedOperandsAreInitialValues) {
  expectEach("v_lshl_add_u32 $0, $2, 2, $0", [](uint32_t t) { return 4 * (t + 1) + t; }, "=v,0,v");
  // The instruction writes one half of its result.
  expectEach("v_cvt_pk_fp8_f32 $0, 1.0, 1.0 op_sel:[0,0,1]", [](uint32_t t) { return t | 0x40400000; }, "=v,0,v");
}

TEST(AmdgpuAssembly, ValuesOfOtherLanes) {
  expectEach("v_readfirstlane_b32 $0, $2", [](uint32_t) { return 1; }, "=s,v,v");
  expectEach("v_lshlrev_b32 $0, 2, $1\\0Av_xor_b32 $0, 4, $0\\0Ads_bpermute_b32 $0, $0, $2\\0As_waitcnt lgkmcnt(0)",
             [](uint32_t t) { return (t ^ 1) + 1; });
}

TEST(AmdgpuAssembly, BarriersAndWaits) {
  for (llvm::StringRef text :
       {"s_nop 0", "s_waitcnt vmcnt(0) & lgkmcnt(0)", "s_waitcnt 0", "s_setprio 1", "s_sleep 1", "s_barrier"})
    expectEach((text + "\\0Av_mov_b32 $0, $1").str(), [](uint32_t t) { return t; });
  AmdgpuRun::Setup later{.processor = "gfx1201", .threads = 32};
  AmdgpuRun(textOf("s_barrier_signal -1\\0As_barrier_wait -1\\0As_wait_loadcnt 0x0\\0Av_mov_b32 $0, $1"), later)
      .expectOut([](uint32_t t) { return t; });
  EXPECT_NE(AmdgpuRun::refusal(textOf("s_barrier"), later), "");
}

TEST(AmdgpuAssembly, CopiesToLdsAreWaitedFor) {
  std::string body = R"(
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr addrspace(3) @shared, i32 4, i32 0, i32 0)
  call void asm sideeffect "{0}", ""()
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %y = load i32, ptr addrspace(3) %mine
  store i32 %y, ptr addrspace(1) %to
  ret void)";
  AmdgpuRun(llvm::formatv(body.c_str(), "s_waitcnt vmcnt(0)").str()).expectOut([](uint32_t t) { return t + 1; });
  AmdgpuRun(llvm::formatv(body.c_str(), "s_waitcnt lgkmcnt(0)").str()).expect(FindingKind::SharedRace, "");
}

TEST(AmdgpuAssembly, RefusalsNameTheInstruction) {
  auto expectRefusal = [](llvm::StringRef assembly, llvm::StringRef part, const AmdgpuRun::Setup &setup) {
    std::string refusal = AmdgpuRun::refusal(textOf(assembly), setup);
    EXPECT_NE(refusal.find(part), std::string::npos) << assembly.str() << ": " << refusal;
  };
  expectRefusal("v_mov_b32 $0, $1\\0Aglobal_load_dword $0, $1, off",
                "`global_load_dword $0, $1, off` in inline assembly", {});
  expectRefusal("v_mov_b32 $0, v1", "the operand `v1` in inline assembly", {});
  expectRefusal("v_add_f32 $0, $1, $2 row_shr:1", "`v_add_f32 $0, $1, $2 row_shr:1` in inline assembly", {});
  expectRefusal("v_add_u32 $1, $1, $2", "`v_add_u32 $1, $1, $2` in inline assembly: it writes an input", {});
  expectRefusal("v_add_f64 $0, $1, $2", "`$1` is of another size", {});
  expectRefusal("v_addition $0, $1, $2", "`v_addition $0, $1, $2` in inline assembly", {});
  // Other processors call the sum otherwise.
  expectRefusal("v_add_nc_u32 $0, $1, $2", "`v_add_nc_u32", {});
  expectRefusal("v_add_u32 $0, $1, $2", "`v_add_u32", {.processor = "gfx1100", .threads = 32});
  expectRefusal("v_cvt_f32_fp8 $0, $1", "`v_cvt_f32_fp8", {.processor = "gfx90a"});
}

} // namespace
} // namespace triton::simulator
