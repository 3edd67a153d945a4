// Code that kernels bring along, and debugging aids.
#include "Harness.h"

#include <numeric>

namespace triton::gpu {

TEST(Print, WritesALineForEachElement) {
  LoweredKernel kernel = lower({R"(
tt.func public @kernel(%n: i32) {
  %i = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %f = arith.sitofp %i : tensor<2xi32> to tensor<2xf32>
  tt.print " f: " {hex = false, isSigned = array<i32: 0>} : %f : tensor<2xf32>
  tt.print " n: " {hex = true, isSigned = array<i32: 1>} : %n : i32
  tt.return
})",
                                1});
  testing::internal::CaptureStdout();
  run(kernel, {255}, 1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "pid (0, 0, 0) idx (0) f: 0.000000\n"
                                                    "pid (0, 0, 0) idx (1) f: 1.000000\n"
                                                    "pid (0, 0, 0) idx () n: 0x000000ff\n");
}

TEST(MapElementwise, RunsScalarCodeWithBranches) {
  std::vector<int32_t> in(128), out(128, -1);
  std::iota(in.begin(), in.end(), 0);
  run({R"(
tt.func public @kernel(%a: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %y = "tt.map_elementwise"(%i) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %c64 = arith.constant 64 : i32
    %small = arith.cmpi slt, %x, %c64 : i32
    cf.cond_br %small, ^one, ^two
  ^one:
    %d = arith.addi %x, %x : i32
    tt.map_elementwise.return %d : i32
  ^two:
    %s = arith.subi %c64, %x : i32
    tt.map_elementwise.return %s : i32
  }) : (tensor<128xi32>) -> tensor<128xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %po = tt.addptr %os, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %po, %y : tensor<128x!tt.ptr<i32>>
  tt.return
})"},
      {in, out});
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(out[i], i < 64 ? 2 * i : 64 - i);
}

TEST(InlineAssembly, PacksSmallElementsIntoRegisters) {
  std::string text = lowerToText({R"(
tt.func public @kernel(%out: !tt.ptr<i8>) {
  %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %b = arith.trunci %i : tensor<512xi32> to tensor<512xi8>
  %y = tt.elementwise_inline_asm "not.b32 $0, $1;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %b : tensor<512xi8> -> tensor<512xi8>
  %os = tt.splat %out : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
  %po = tt.addptr %os, %i : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
  tt.store %po, %y : tensor<512x!tt.ptr<i8>>
  tt.return
})"});
  EXPECT_NE(text.find("call i32 asm \"not.b32 $0, $1;\", \"=r,r\"(i32"), std::string::npos) << text;
}

TEST(Extern, CallsFunctionsByName) {
  std::string text = lowerToText({R"(
tt.func public @kernel(%out: !tt.ptr<f32>, %x: f32) {
  %y = tt.extern_elementwise %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
  tt.store %out, %y : !tt.ptr<f32>
  tt.return
})"});
  EXPECT_NE(text.find("call float @__nv_tanf(float"), std::string::npos) << text;
}

} // namespace triton::gpu
