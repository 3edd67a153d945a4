// Kernels that take tensor maps: what they compile to, and what launches give the driver.
#include "backends/nvidia/TensorMapEncoder.h"
#include "backends/nvidia/test/FakeDriver.h"
#include "compiler/Compiler.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

namespace triton::nvidia {
namespace {

using base::CompiledKernel;

/// Two maps: one of halves in two dimensions, and one of floats in one.
constexpr char mapsText[] = R"(
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.launch_warps = 5 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @maps(%x: !tt.ptr<f16>, %m: i32, %stride: i32,
    %a: !tt.tensordesc<64x32xf16> {ttg.tensor_map = {name = "x_desc", base = "arg:0", shape = ["arg:1", "const:48"], strides = ["arg:2"], box = array<i32: 64, 32>, swizzle = 64 : i32, nan}},
    %b: !tt.tensordesc<64xf32> {ttg.tensor_map = {name = "y_desc", base = "arg:0 const:256 add", shape = ["arg:1"], strides = [], box = array<i32: 64>, swizzle = 0 : i32, tf32}}) {
  tt.return
}
}
)";

std::shared_ptr<const CompiledKernel> compileMaps() {
  compiler::CompileRequest request;
  request.irText = mapsText;
  request.irStage = "ttgir";
  request.irPath = "maps.ttgir";
  request.target = {"cuda", "90", 32};
  return compiler::compile(request);
}

void launch(const CompiledKernel &kernel, std::vector<uint64_t> arguments) {
  kernel.loaded->launch({{1, 1, 1}, arguments, {}, nullptr});
}

TEST(TensorMapLaunch, MapsAreParametersBehindTheArguments) {
  auto kernel = compileMaps();
  EXPECT_EQ(kernel->arguments.size(), 3u);
  EXPECT_EQ(kernel->results.tensorMaps.size(), 2u);
  EXPECT_TRUE(contains(kernel->artifacts.at("llir"), "byval([128 x i8]) align 64"));
  EXPECT_TRUE(contains(kernel->artifacts.at("llir"), "\"nvvm.grid_constant\""));
  const std::string &ptx = kernel->artifacts.at("ptx");
  EXPECT_TRUE(contains(ptx, ".param .align 64 .b8 maps_param_3[128]")) << ptx;
  EXPECT_TRUE(contains(ptx, ".param .align 64 .b8 maps_param_4[128]")) << ptx;
  EXPECT_TRUE(contains(ptx, ".reqntid 160")) << ptx;
  EXPECT_TRUE(contains(kernel->metadata, "\"num_warps\":4"));
}

TEST(TensorMapLaunch, TheDriverEncodesTheNumbers) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileMaps();
    fake<int>("fakeParameterCount") = 5;
    int launches = 0;
    for (const auto &one : {kernel, compiler::restore(kernel->hash, kernel->metadata, kernel->artifacts)}) {
      launch(*one, {0x10000, 300, 64});
      const auto &last = fake<FakeLaunch>("fakeLastLaunch");
      EXPECT_EQ(std::vector(last.parameters, last.parameters + 5),
                (std::vector<uint64_t>{0x10000, 300, 64, 0x10000, 0x10100}));
      EXPECT_EQ(last.block[0], 160u);
      EXPECT_EQ(fake<int>("fakeTensorMapCount"), 2 * ++launches);
    }
    const auto &vector = fake<FakeTensorMap>("fakeLastTensorMap");
    EXPECT_EQ(vector.type, 11u);
    EXPECT_EQ(vector.rank, 1u);
    EXPECT_EQ(vector.arrays[0][0], 300u);
    EXPECT_EQ(vector.arrays[2][0], 64u);
    EXPECT_EQ(vector.swizzle, 0u);
    EXPECT_EQ(vector.fill, 0u);
    // The numbers of the other one, by a kernel that has it last.
    CompiledKernel swapped = *kernel;
    std::swap(swapped.results.tensorMaps[0], swapped.results.tensorMaps[1]);
    std::array<EncodedTensorMap, 2> maps;
    TensorMapEncoder(swapped).encode(Driver::get(), nullptr, std::array<uint64_t, 3>{0x10000, 300, 64}, maps);
    const auto &matrix = vector;
    EXPECT_EQ(matrix.type, 6u);
    EXPECT_EQ(matrix.rank, 2u);
    EXPECT_EQ(std::vector(matrix.arrays[0], matrix.arrays[0] + 2), (std::vector<uint64_t>{48, 300}));
    EXPECT_EQ(matrix.arrays[1][0], 128u);
    EXPECT_EQ(std::vector(matrix.arrays[2], matrix.arrays[2] + 2), (std::vector<uint64_t>{32, 64}));
    EXPECT_EQ(std::vector(matrix.arrays[3], matrix.arrays[3] + 2), (std::vector<uint64_t>{1, 1}));
    EXPECT_EQ(matrix.interleave, 0u);
    EXPECT_EQ(matrix.swizzle, 2u);
    EXPECT_EQ(matrix.l2Promotion, 2u);
    EXPECT_EQ(matrix.fill, 1u);
    EXPECT_TRUE(matrix.isAligned);
  });
}

TEST(TensorMapLaunch, EqualNumbersAreEncodedOnce) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileMaps();
    fake<int>("fakeParameterCount") = 5;
    int &count = fake<int>("fakeTensorMapCount");
    const auto &last = fake<FakeLaunch>("fakeLastLaunch");
    for (int repetition = 0; repetition < 3; ++repetition)
      for (uint64_t base : {0x10000, 0x20000}) {
        launch(*kernel, {base, 300, 64});
        EXPECT_EQ(last.parameters[3], base);
        EXPECT_EQ(last.parameters[4], base + 0x100);
      }
    EXPECT_EQ(count, 4);
    launch(*kernel, {0x10000, 300, 64 | uint64_t(7) << 32}); // of an i32's slot the rest does not count
    EXPECT_EQ(count, 4);
    launch(*kernel, {0x10000, 301, 64});
    EXPECT_EQ(count, 6);
    for (uint64_t base = 0x10000; base < 0x10000 + 0x1000 * 1000; base += 0x1000) { // more than are kept
      launch(*kernel, {base, 300, 64});
      EXPECT_EQ(last.parameters[3], base);
      EXPECT_EQ(last.parameters[4], base + 0x100);
    }
  });
}

TEST(TensorMapLaunch, ThreadsShareWhatIsKept) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileMaps();
    TensorMapEncoder encoder(*kernel);
    const Driver &driver = Driver::get();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (unsigned thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (uint64_t i = 0; i < 20000; ++i) {
          uint64_t base = 0x10000 + 0x1000 * ((i + thread) % 50);
          std::array<EncodedTensorMap, 2> maps;
          encoder.encode(driver, nullptr, std::array<uint64_t, 3>{base, 300, 64}, maps);
          wrong += llvm::any_of(maps[0].words, [&](uint64_t word) { return word != base; }) ||
                   llvm::any_of(maps[1].words, [&](uint64_t word) { return word != base + 0x100; });
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST(TensorMapLaunch, WhatNoMapDescribesIsRefusedBeforeTheLaunch) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileMaps();
    auto refusal = [&](std::vector<uint64_t> arguments) {
      return messageOf<base::LaunchError>([&] { launch(*kernel, arguments); });
    };
    EXPECT_EQ(refusal({0x10008, 300, 64}), "cannot launch kernel `maps`: the array of `x_desc` begins at the address "
                                           "0x10008, which must be a multiple of 16");
    EXPECT_TRUE(contains(refusal({0x10000, 300, 60}), "has a stride of 60 elements of 2 bytes along dimension 0"));
    EXPECT_EQ(fake<int>("fakeTensorMapCount"), 0);
    fake<int>("fakeTensorMapFailure") = 1;
    EXPECT_EQ(
        refusal({0x10000, 300, 64}),
        "cannot launch kernel `maps`: no tensor map describes the array of `x_desc` (type 6, address 0x10000, sizes "
        "(48, 300), strides (128), box (32, 64), swizzle 2, fill 1): something failed (CUDA_ERROR, 1)");
    EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").count, 0);
    fake<int>("fakeTensorMapFailure") = 0;
    launch(*kernel, {0x10000, 300, 64}); // what failed is not kept
    EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").count, 1);
  });
}

TEST(TensorMapLaunch, ArraysWithoutElementsLieInThePaddingOfTheContext) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileMaps();
    fake<int>("fakeParameterCount") = 5;
    const auto &last = fake<FakeLaunch>("fakeLastLaunch");
    fake<int>("fakeAllocationFailure") = 2;
    std::string message = messageOf<base::LaunchError>([&] { launch(*kernel, {0x10000, 0, 64}); });
    EXPECT_TRUE(contains(message, "cannot put the padding of an array without elements on the device")) << message;
    EXPECT_EQ(last.count, 0);
    fake<int>("fakeAllocationFailure") = 0;
    int first = fake<int>("fakeAllocationCount");
    uint64_t zeros = 0;
    for (uint64_t extent : {uint64_t(0), uint64_t(uint32_t(-3)), uint64_t(0)}) {
      launch(*kernel, {0x10008, extent, 60});
      zeros = last.parameters[4];
      EXPECT_EQ(last.parameters[3], zeros + 16); // of the map that pads with NaN
      const auto *bytes = reinterpret_cast<const uint16_t *>(uintptr_t(zeros));
      EXPECT_EQ(std::vector(bytes, bytes + 16), (std::vector<uint16_t>{0, 0, 0, 0, 0, 0, 0, 0, 0x7ff7, 0x7ff7, 0x7ff7,
                                                                       0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7, 0x7ff7}));
    }
    EXPECT_EQ(fake<int>("fakeAllocationCount"), first + 1);
    char other;
    Driver::get().cuCtxSetCurrent(&other);
    launch(*kernel, {0x10008, 0, 60});
    EXPECT_NE(last.parameters[4], zeros);
    EXPECT_EQ(fake<int>("fakeAllocationCount"), first + 2);
  });
}

TEST(TensorMapLaunch, DriversWithoutMapsRunOtherKernels) {
  withDriver(FAKE_OLD_CUDA, [] {
    auto kernel = compileMaps();
    std::string message = messageOf<base::LaunchError>([&] { launch(*kernel, {0x10000, 300, 64}); });
    EXPECT_TRUE(contains(message, "kernel `maps`")) << message;
    EXPECT_TRUE(contains(message, "it lacks `cuTensorMapEncodeTiled`")) << message;
    EXPECT_NO_THROW(Driver::get());
  });
}

/// The message for this text in place of another one.
std::string textError(const std::string &old, const std::string &now) {
  compiler::CompileRequest request;
  request.irText = mapsText;
  request.irText.replace(request.irText.find(old), old.size(), now);
  request.irStage = "ttgir";
  request.irPath = "maps.ttgir";
  request.target = {"cuda", "90", 32};
  return messageOf<base::CompilationError>([&] { compiler::compile(request); });
}

TEST(TensorMapLaunch, AttributesOfTextAreChecked) {
  for (auto [old, now, message] : {
           std::array{"arg:0\"", "arg:3\"", "argument 3 of `maps`: an expression is malformed or names an argument"},
           std::array{"arg:0\"", "arg0\"", "`base` has the expression `arg0`, which is malformed"},
           std::array{"base = \"arg:0\"", "basis = 0", "`base` must hold expressions, such as \"arg:0\""},
           std::array{"shape = [\"arg:1\", \"const:48\"]", "shape = 3", "there is no array `shape`"},
           std::array{"\"const:48\"", "1 : i32", "`shape` must hold expressions"},
           std::array{"i32: 64, 32", "i32: 64", "its box has 1 extents for 2 dimensions"},
           std::array{"swizzle = 64", "swizzle = 16", "its swizzle is over 16 bytes"},
           std::array{"nan}", "tf32}", "needs fp32 elements"},
           std::array{"%stride: i32", "%stride: i32 {ttg.tensor_map = {}}", "argument 2 of `maps`: it must be"},
           std::array{"%m: i32", "%m: i32 {ttg.tensor_map = {}}", "is for the last arguments of a kernel"},
           std::array{"launch_warps = 5", "launch_warps = 3", "must be from `ttg.num-warps`, which is 4, to 32"},
           std::array{"launch_warps = 5", "launch_warps = 33", "`ttg.launch_warps` is 33"},
       }) {
    std::string error = textError(old, now);
    EXPECT_TRUE(contains(error, message)) << now << ": " << error;
    EXPECT_TRUE(contains(error, "maps.ttgir")) << error;
  }
}

} // namespace
} // namespace triton::nvidia
