// A kernel that takes a tensor map, launched in the simulator as its metadata says.
#include "compiler/KernelMetadata.h"

#include <gtest/gtest.h>

namespace triton {
namespace {

using base::CompiledKernel;
using base::LaunchExpression;

/// One program: a copy brings a box of 8 rows of 64 halves, which the 128 threads of the first four warps then store as
/// 256 words. A fifth warp starts the copy.
constexpr char copyText[] = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
@shared = external addrspace(3) global [0 x i8], align 1024

define ptx_kernel void @copy(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %rows, i32 %stride, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bar = getelementptr i8, ptr addrspace(3) @shared, i32 1024
  %starts = icmp eq i32 %t, 128
  br i1 %starts, label %init, label %ready
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %bar, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  br label %ready
ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %starts, label %issue, label %issued
issue:
  %token = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) %bar, i32 1024)
  %to = addrspacecast ptr addrspace(3) @shared to ptr addrspace(7)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %to, ptr addrspace(3) %bar, ptr %map, i32 0, i32 4, i16 0, i64 0, i1 false, i1 false, i32 0)
  br label %issued
issued:
  %stores = icmp slt i32 %t, 128
  br i1 %stores, label %store, label %exit
store:
  %there = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %bar, i32 0)
  %pair = shl i32 %t, 3
  %from = getelementptr i8, ptr addrspace(3) @shared, i32 %pair
  %words = load <2 x i32>, ptr addrspace(3) %from, align 8
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %pair
  store <2 x i32> %words, ptr addrspace(1) %place, align 8
  br label %exit
exit:
  ret void
}

; warps, warps that a launch starts, bytes of shared memory, maps, messages
!triton.launch = !{!0}
!0 = !{i64 4, i64 5, i64 1032, i64 0, i64 0}
)";

class SimulatedTensorMaps : public testing::Test {
protected:
  static constexpr int64_t columns = 64;

  SimulatedTensorMaps() {
    compiler::CompileRequest request;
    request.irText = copyText;
    request.irStage = "llir";
    request.irPath = "copy.llir";
    request.target = {"sim:cuda", "90", 32};
    CompiledKernel compiled = *compiler::compile(request);
    for (auto [name, type] : {std::pair{"in", "*fp16"}, {"out", "*fp16"}, {"rows", "i32"}, {"stride", "i32"}})
      compiled.arguments.push_back({name, *base::parseElementType(type)});
    compiled.results.tensorMaps.push_back(
        {.name = "in",
         .element = base::ScalarType::Float16,
         .base = *LaunchExpression::parse("arg:0"),
         .shape = {*LaunchExpression::parse("arg:2 const:1 sub"), *LaunchExpression::parse("const:64")},
         .strides = {*LaunchExpression::parse("arg:3")},
         .box = {8, 64}});
    compiled.metadata = compiler::writeMetadata(compiled, base::Environment::read());
    written = compiled.results.tensorMaps;
    kernel = compiler::restore(compiled.hash, compiled.metadata, compiled.artifacts);
  }

  void launch(uint64_t rows, uint64_t stride, std::size_t shift = 0) {
    uint64_t begin = reinterpret_cast<uintptr_t>(in.data()), to = reinterpret_cast<uintptr_t>(out.data());
    std::vector<uint64_t> arguments{begin + shift, to, rows, stride};
    std::vector<base::ArrayExtent> arrays{{0, begin, in.size() * 2}, {1, to, out.size() * 2}};
    kernel->loaded->launch({.arguments = arguments, .arrays = arrays});
  }
  std::string refusal(uint64_t rows, uint64_t stride, std::size_t shift = 0) {
    try {
      launch(rows, stride, shift);
    } catch (const base::LaunchError &error) {
      return error.what();
    }
    return "";
  }

  std::shared_ptr<const CompiledKernel> kernel;
  std::vector<base::TensorMapParameter> written;
  alignas(16) std::array<uint16_t, 16 * columns> in{};
  std::array<uint16_t, 8 * columns> out{};
};

} // namespace

TEST_F(SimulatedTensorMaps, WhatLaunchesOfBundlesReadHoldsThem) {
  ASSERT_TRUE(kernel);
  const std::string packed = compiler::loadingForms(kernel->hash, kernel->metadata, kernel->artifacts).at("launch");
  auto restoredBy = [&](const std::string &bytes) {
    auto artifacts = kernel->artifacts;
    artifacts["launch"] = bytes;
    return compiler::restore(kernel->hash, "", std::move(artifacts));
  };
  auto restored = restoredBy(packed);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->results.tensorMaps, written);
  EXPECT_EQ(restored->results.launchWarps, 5);
  EXPECT_EQ(restored->results.numWarps, 4);
  EXPECT_EQ(restored->name, kernel->name);
  EXPECT_EQ(restored->target.backend, kernel->target.backend);
  EXPECT_EQ(restored->target.arch, kernel->target.arch);
  ASSERT_EQ(restored->arguments.size(), 4u);
  EXPECT_EQ(restored->arguments[2].type, kernel->arguments[2].type);
  EXPECT_EQ(restored->artifacts, kernel->artifacts);
  for (std::size_t size = 0; size < packed.size(); size += 5)
    EXPECT_FALSE(restoredBy(packed.substr(0, size))) << size;
  EXPECT_FALSE(restoredBy(packed + "x"));
  EXPECT_FALSE(compiler::restore("another", "", {{"launch", packed}}));
}

TEST_F(SimulatedTensorMaps, MetadataHoldsThem) {
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->results.tensorMaps, written);
  EXPECT_EQ(kernel->results.launchWarps, 5);
  EXPECT_EQ(kernel->results.numWarps, 4);
  auto restoredWith = [&](const std::string &old, const std::string &now) {
    std::string metadata = kernel->metadata;
    metadata.replace(metadata.find(old), old.size(), now);
    return compiler::restore(kernel->hash, metadata, kernel->artifacts);
  };
  EXPECT_TRUE(restoredWith("arg:0", "arg:1"));
  EXPECT_FALSE(restoredWith("arg:0", "arg:4")); // there are four
  EXPECT_FALSE(restoredWith("arg:0", "arg"));
  EXPECT_FALSE(restoredWith("\"box\":[8,64]", "\"box\":[8]"));
}

TEST_F(SimulatedTensorMaps, CopiesArrive) {
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = uint16_t(i);
  launch(10, columns); // Nine rows are described, from the fifth of which eight are copied.
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], i < 5 * columns ? in[4 * columns + i] : 0) << i;
}

/// The copy begins at the fifth row.
TEST_F(SimulatedTensorMaps, ArraysWithoutElementsReadAsPadding) {
  for (uint64_t rows : {1, 0, -8}) { // one less is described
    out.fill(7);
    EXPECT_EQ(refusal(rows, 60, 8), "");
    EXPECT_EQ(out, decltype(out){}) << int64_t(rows);
  }
  EXPECT_EQ(refusal(2, 60), ""); // the stride of a single row
}

TEST_F(SimulatedTensorMaps, RulesAreThoseOfTheDriver) {
  EXPECT_EQ(refusal(10, columns, 8).substr(0, 68),
            "cannot launch kernel `copy`: the array of `in` begins at the address");
  EXPECT_NE(refusal(10, 60).find("has a stride of 60 elements of 2 bytes"), std::string::npos);
}

} // namespace triton
