// Launches through the driver: without a driver, and with a library in its place that records them.

#include "backends/nvidia/Driver.h"
#include "backends/nvidia/test/FakeDriver.h"
#include "compiler/Compiler.h"
#include "simulator/test/VectorAdd.h"

#include "llvm/Support/JSON.h"

namespace triton::nvidia {
namespace {

using base::CompiledKernel;

std::shared_ptr<const CompiledKernel> compileVectorAdd(const std::map<std::string, std::string> &options = {}) {
  compiler::CompileRequest request;
  request.options.extra = options;
  request.irText = simulator::vectorAddText;
  request.irStage = "llir";
  request.irPath = "add.llir";
  request.target = {"cuda", "90", 32};
  return compiler::compile(request);
}

TEST(Driver, AbsenceIsNoErrorUntilUsed) {
  withDriver("/nowhere/libcuda.so.1", [] {
    EXPECT_FALSE(Driver::isAvailable());
    auto kernel = compileVectorAdd();
    ASSERT_TRUE(kernel->loaded);
    std::string message = messageOf<base::LaunchError>([&] { kernel->loaded->launch({}); });
    EXPECT_TRUE(contains(message, "cannot load the CUDA driver")) << message;
    EXPECT_TRUE(contains(message, "/nowhere/libcuda.so.1")) << message;
  });
}

TEST(Driver, ExistsInForkedProcesses) {
  withDriver(FAKE_CUDA, [] {
    fake<int>("fakeInitResult") = 3;
    EXPECT_TRUE(Driver::exists());
    EXPECT_FALSE(Driver::isAvailable());
    std::string message = messageOf<base::LaunchError>([] { Driver::get(); });
    EXPECT_TRUE(contains(message, "forked")) << message;
  });
}

TEST(Driver, LoadsNothingDuringCaptures) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileVectorAdd();
    int stream = 0;
    base::KernelLaunch launch{};
    launch.grid = {1, 1, 1};
    launch.stream = &stream;
    fake<int>("fakeCapturing") = 1;
    std::string message = messageOf<base::LaunchError>([&] { kernel->loaded->launch(launch); });
    EXPECT_TRUE(contains(message, "it is not loaded on the device yet, and its stream captures a graph")) << message;
    EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").count, 0);
    kernel->loaded->load();
    kernel->loaded->launch(launch);
    EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").count, 1);
  });
}

TEST(Driver, TellsProperties) {
  withDriver(FAKE_CUDA, [] {
    const Driver &driver = Driver::get();
    EXPECT_EQ(driver.deviceCount(), 1);
    int device = driver.currentDevice();
    EXPECT_EQ(driver.deviceName(device), "Fake GPU");
    EXPECT_EQ(driver.capability(device), 90);
    EXPECT_EQ(driver.attribute(device, DeviceAttribute::MaxShared), 232448);
    EXPECT_TRUE(contains(messageOf<base::LaunchError>([&] { driver.capability(1); }), "no CUDA device 1"));
  });
}

TEST(Driver, AsksOncePerDeviceAndOnlyWhatIsNeeded) {
  withDriver(FAKE_CUDA, [] {
    const Driver &driver = Driver::get();
    for (int repetition = 0; repetition < 3; ++repetition)
      driver.capability(driver.currentDevice());
    driver.setCurrentDevice(0);
    EXPECT_EQ(fake<int>("fakeQuestions"), 2); // the two parts of the capability
    compileVectorAdd()->loaded->load();
    compileVectorAdd()->loaded->load();
    EXPECT_EQ(fake<int>("fakeQuestions"), 3); // and the shared memory
  });
}

TEST(Driver, LaunchPassesEverything) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileVectorAdd();
    fake<int>("fakeParameterCount") = 4;
    uint64_t arguments[] = {0x1000, 0x2000, 0x3000, 77};
    int stream;
    kernel->loaded->launch({{5, 6, 7}, arguments, {}, &stream});
    const auto &launch = fake<FakeLaunch>("fakeLastLaunch");
    EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector<unsigned>{5, 6, 7}));
    EXPECT_EQ(std::vector(launch.block, launch.block + 3), (std::vector<unsigned>{128, 1, 1}));
    EXPECT_EQ(std::vector(launch.parameters, launch.parameters + 4), std::vector(arguments, arguments + 4));
    EXPECT_EQ(launch.stream, &stream);
    EXPECT_EQ(launch.sharedBytes, 0u);
    EXPECT_EQ(kernel->loaded->load().function, reinterpret_cast<uintptr_t>(launch.function));
  });
}

TEST(Driver, UnloadedKernelsAreLoadedAgain) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileVectorAdd();
    fake<int>("fakeParameterCount") = 4;
    uint64_t arguments[] = {0x1000, 0x2000, 0x3000, 77};
    kernel->loaded->unload();
    EXPECT_EQ(fake<int>("fakeUnloads"), 0) << "it was not loaded";
    for (int times = 1; times < 3; ++times) {
      kernel->loaded->launch({{5, 6, 7}, arguments, {}, nullptr});
      EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").count, times);
      kernel->loaded->unload();
      kernel->loaded->unload();
      EXPECT_EQ(fake<int>("fakeUnloads"), times);
    }
  });
}

TEST(Driver, LaunchHasTheAttributesOfItsOptions) {
  withDriver(FAKE_CUDA, [] {
    fake<int>("fakeParameterCount") = 4;
    uint64_t arguments[] = {0x1000, 0x2000, 0x3000, 77};
    int stream;
    base::KernelLaunch given{{5, 6, 7}, arguments, {}, &stream};
    const auto &launch = fake<FakeLaunch>("fakeLastLaunch");
    auto kernel = compileVectorAdd({{"launch_cooperative_grid", "True"}, {"launch_pdl", "True"}});
    for (const auto &loaded :
         {kernel->loaded, compiler::restore(kernel->hash, kernel->metadata, kernel->artifacts)->loaded}) {
      loaded->launch(given);
      EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector<unsigned>{5, 6, 7}));
      EXPECT_EQ(std::vector(launch.block, launch.block + 3), (std::vector<unsigned>{128, 1, 1}));
      EXPECT_EQ(std::vector(launch.parameters, launch.parameters + 4), std::vector(arguments, arguments + 4));
      EXPECT_EQ(launch.stream, &stream);
      ASSERT_EQ(launch.attributeCount, 2u);
      EXPECT_EQ(launch.attributes[0], 2); // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
      EXPECT_EQ(launch.attributes[1], 6); // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    }
    compileVectorAdd({{"launch_pdl", "False"}})->loaded->launch(given);
    EXPECT_EQ(launch.attributeCount, 0u);
  });
}

TEST(Driver, FailedLaunchNamesKernelGridAndCause) {
  withDriver(FAKE_CUDA, [] {
    auto kernel = compileVectorAdd();
    uint64_t arguments[] = {0, 0, 0, 0};
    fake<int>("fakeFailure") = 700;
    std::string message =
        messageOf<base::LaunchError>([&] { kernel->loaded->launch({{3, 1, 1}, arguments, {}, nullptr}); });
    EXPECT_TRUE(contains(message, "cannot launch kernel `add` over the grid (3, 1, 1) with 128 threads")) << message;
    EXPECT_TRUE(contains(message, "(CUDA_ERROR_ILLEGAL_ADDRESS, 700)")) << message;
    EXPECT_TRUE(contains(message, "may be an earlier kernel's")) << message;
    fake<int>("fakeFailure") = 1;
    message = messageOf<base::LaunchError>([&] { kernel->loaded->launch({{3, 70000, 1}, arguments, {}, nullptr}); });
    EXPECT_TRUE(contains(message, "at most 65535")) << message;
  });
}

/// The kernel with another size of shared memory, as the stage ttgir leaves it in the metadata.
std::shared_ptr<const CompiledKernel> withSharedBytes(int64_t bytes) {
  compiler::CompileRequest request;
  request.irText = "module attributes {\"ttg.num-warps\" = 4 : i32, ttg.shared = " + std::to_string(bytes) +
                   " : i32, ttg.target = \"cuda:90\", \"ttg.threads-per-warp\" = 32 : i32} {\n"
                   "  tt.func public @empty() { tt.return }\n}\n";
  request.irStage = "ttgir";
  request.irPath = "empty.ttgir";
  request.target = {"cuda", "90", 32};
  return compiler::compile(request);
}

TEST(Driver, LargeSharedMemoryIsAskedFor) {
  withDriver(FAKE_CUDA, [] {
    withSharedBytes(1000)->loaded->launch({});
    EXPECT_EQ(fake<int>("fakeMaxDynamicShared"), 48 << 10);
    EXPECT_EQ(fake<FakeLaunch>("fakeLastLaunch").sharedBytes, 1000u);
    withSharedBytes(100000)->loaded->launch({});
    EXPECT_EQ(fake<int>("fakeMaxDynamicShared"), 100000);
  });
}

TEST(Driver, OutOfResourcesTellsHowMuch) {
  withDriver(FAKE_CUDA, [] {
    try {
      withSharedBytes(300000)->loaded->launch({});
      ADD_FAILURE() << "launched with more shared memory than there is";
    } catch (const base::OutOfResourcesError &error) {
      EXPECT_EQ(error.required, 300000);
      EXPECT_EQ(error.limit, 232448);
      EXPECT_EQ(error.resource, "shared memory");
    }
    fake<int>("fakeMaxThreads") = 64;
    std::string message = messageOf<base::OutOfResourcesError>([&] { withSharedBytes(16)->loaded->launch({}); });
    EXPECT_TRUE(contains(message, "kernel `empty` needs 128 of threads")) << message;
  });
}

} // namespace
} // namespace triton::nvidia
