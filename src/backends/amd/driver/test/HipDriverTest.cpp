// Launches through AMD's driver: without a driver, and with a library in its place that checks and records them.
#include "backends/amd/driver/HipDriver.h"
#include "backends/amd/driver/HipDevices.h"
#include "backends/gpu/driver/test/StandIn.h"
#include "base/LoadCount.h"
#include "compiler/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

namespace triton::amd {
namespace {

using backends::contains;
using backends::messageOf;
using base::CompiledKernel;
using base::LaunchError;

void withDriver(const char *library, const std::function<void()> &body) {
  backends::withStandIn("TRITON_LIBHIP_PATH", library, body);
}

/// As FakeHip.cpp has it.
struct FakeHipLaunch {
  unsigned grid[3], block[3], sharedBytes;
  void *stream, *function;
  unsigned char kernarg[256];
  int count;
  bool isCooperative;
};

template <typename T> T &fake(const char *name) { return backends::standInVariable<T>(FAKE_HIP, name); }
const FakeHipLaunch &lastLaunch() { return fake<FakeHipLaunch>("fakeLastLaunch"); }
std::string complaints() { return &fake<char>("fakeComplaints"); }

std::shared_ptr<const CompiledKernel> compileText(const std::string &text, const char *stage,
                                                  const std::map<std::string, std::string> &options = {}) {
  compiler::CompileRequest request;
  request.options.extra = options;
  request.irText = text;
  request.irStage = stage;
  request.irPath = std::string("kernel.") + stage;
  request.target = {"hip", "gfx942", 64};
  return compiler::compile(request);
}

/// Arguments of several widths.
std::shared_ptr<const CompiledKernel> compileMixed(const std::map<std::string, std::string> &options = {}) {
  return compileText("tt.func public @mixed(%p: !tt.ptr<f32>, %b: i8, %n: i64, %h: f16, %i: i32) {\n"
                     "  %wide = arith.extf %h : f16 to f32\n"
                     "  tt.store %p, %wide : !tt.ptr<f32>\n"
                     "  tt.return\n}\n",
                     "ttir", options);
}

/// The kernel with so many bytes of shared memory, as the stage ttgir leaves it.
std::shared_ptr<const CompiledKernel> withSharedBytes(int64_t bytes) {
  return compileText("module attributes {\"ttg.num-warps\" = 4 : i32, ttg.shared = " + std::to_string(bytes) +
                         " : i32, ttg.target = \"hip:gfx942\", \"ttg.threads-per-warp\" = 64 : i32} {\n"
                         "  tt.func public @empty() { tt.return }\n}\n",
                     "ttgir");
}

/// Tells the library where a kernel of this code object reads its arguments, as the driver finds out.
void describeArguments(const std::string &codeObject) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile({codeObject, "hsaco"}));
  auto *elf = llvm::cast<llvm::object::ELF64LEObjectFile>(file.get());
  int &count = fake<int>("fakeArgumentCount");
  count = 0;
  for (const auto &section : llvm::cantFail(elf->getELFFile().sections())) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf->getELFFile().notes(section, error)) {
      llvm::msgpack::Document metadata;
      ASSERT_TRUE(metadata.readFromBlob(note.getDescAsStringRef(section.sh_addralign), /*Multi=*/false));
      auto kernel = metadata.getRoot().getMap()["amdhsa.kernels"].getArray()[0].getMap();
      for (auto &argument : kernel[".args"].getArray()) {
        if (argument.getMap()[".value_kind"].getString().starts_with("hidden"))
          continue;
        (&fake<unsigned>("fakeArgumentOffsets"))[count] = unsigned(argument.getMap()[".offset"].getUInt());
        (&fake<unsigned>("fakeArgumentSizes"))[count++] = unsigned(argument.getMap()[".size"].getUInt());
      }
    }
    ASSERT_FALSE(bool(error));
  }
}

TEST(HipDriver, AbsenceIsNoErrorUntilUsed) {
  withDriver("/nowhere/libamdhip64.so", [] {
    EXPECT_FALSE(HipDriver::isAvailable());
    EXPECT_FALSE(hipDevices().exists());
    auto kernel = compileMixed();
    ASSERT_TRUE(kernel->loaded);
    std::string message = messageOf<LaunchError>([&] { kernel->loaded->launch({}); });
    EXPECT_TRUE(contains(message, "cannot load the HIP driver")) << message;
    EXPECT_TRUE(contains(message, "/nowhere/libamdhip64.so")) << message;
    EXPECT_TRUE(contains(message, "TRITON_LIBHIP_PATH")) << message;
  });
}

TEST(HipDriver, OtherLibrariesAreNoDriver) {
  withDriver(FAKE_CUDA, [] {
    std::string message = messageOf<LaunchError>([] { HipDriver::get(); });
    EXPECT_TRUE(contains(message, "the HIP driver is too old: it lacks `hip")) << message;
  });
}

TEST(HipDriver, MachinesWithoutDevicesHaveNone) {
  withDriver(FAKE_HIP, [] {
    fake<int>("fakeInitResult") = 100;
    EXPECT_FALSE(hipDevices().exists());
    std::string message = messageOf<LaunchError>([] { HipDriver::get(); });
    EXPECT_TRUE(contains(message, "the HIP driver cannot be used: something failed (hipError, 100)")) << message;
  });
  withDriver(FAKE_HIP, [] {
    fake<int>("fakeDeviceCount") = 0;
    EXPECT_EQ(messageOf<LaunchError>([] { HipDriver::get(); }), "there is no HIP device");
  });
}

TEST(HipDriver, TheLibraryThatIsLoadedComesFirst) {
  EXPECT_EXIT(
      {
        unsetenv("TRITON_LIBHIP_PATH");
        fake<int>("fakeDeviceCount") = 1; // loads the library, as PyTorch does
        exit(hipDevices().deviceCount() != 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(HipDriver, TellsProperties) {
  withDriver(FAKE_HIP, [] {
    const base::DeviceDriver &devices = hipDevices();
    EXPECT_EQ(devices.deviceCount(), 2);
    base::DeviceProperties properties = devices.properties(0);
    EXPECT_EQ(properties.name, "Fake Instinct gfx1");
    EXPECT_EQ(properties.arch, "gfx942");
    EXPECT_EQ(properties.maxSharedBytes, 65536);
    EXPECT_EQ(properties.warpSize, 64);
    EXPECT_EQ(properties.multiprocessors, 304);
    EXPECT_EQ(devices.arch(1), "gfx90a");
    EXPECT_TRUE(contains(messageOf<LaunchError>([&] { devices.arch(2); }), "no HIP device 2; there are 2"));
    int questions = fake<int>("fakeQuestions");
    devices.properties(0);
    EXPECT_EQ(fake<int>("fakeQuestions"), questions); // everything is known
    EXPECT_EQ(complaints(), "");
  });
  withDriver(FAKE_HIP, [] {
    fake<const char *>("fakeArchName") = "unknown";
    EXPECT_TRUE(contains(messageOf<LaunchError>([] { hipDevices().arch(0); }), "does not say which architecture"));
  });
}

TEST(HipDriver, MovesMemory) {
  withDriver(FAKE_HIP, [] {
    const base::DeviceDriver &devices = hipDevices();
    void *memory = devices.allocate(0);
    int there = 7, back = 0;
    devices.free(memory);
    memory = devices.allocate(sizeof(int));
    devices.upload(memory, &there, sizeof(int));
    devices.download(&back, memory, sizeof(int));
    devices.free(memory);
    EXPECT_EQ(back, 7);
    EXPECT_EQ(devices.deviceAddress(&back), 0u);
    EXPECT_EQ(complaints(), "");
  });
}

TEST(HipDriver, LaunchPassesEverything) {
  withDriver(FAKE_HIP, [] {
    auto kernel = compileMixed();
    describeArguments(kernel->artifacts.at("hsaco"));
    ASSERT_EQ(fake<int>("fakeArgumentCount"), 5);
    uint64_t arguments[] = {0x123456789abcdef0, 0xffffffffffffff77, 0x0fedcba987654321, 0x3c00, 0x11223344};
    int stream;
    const uint64_t loadsBefore = base::loadCount.loads;
    for (const auto &loaded :
         {kernel->loaded, compiler::restore(kernel->hash, kernel->metadata, kernel->artifacts)->loaded}) {
      loaded->launch({{5, 6, 7}, arguments, {}, &stream});
      const FakeHipLaunch &launch = lastLaunch();
      EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector<unsigned>{5, 6, 7}));
      EXPECT_EQ(std::vector(launch.block, launch.block + 3), (std::vector<unsigned>{256, 1, 1}));
      EXPECT_EQ(std::vector(launch.kernarg, launch.kernarg + 32),
                (std::vector<unsigned char>{0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0x77, 0xee, 0xee,
                                            0xee, 0xee, 0xee, 0xee, 0xee, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb,
                                            0xed, 0x0f, 0x00, 0x3c, 0xee, 0xee, 0x44, 0x33, 0x22, 0x11}));
      EXPECT_EQ(launch.stream, &stream);
      EXPECT_EQ(launch.sharedBytes, 0u);
      EXPECT_FALSE(launch.isCooperative);
      EXPECT_EQ(loaded->load().function, reinterpret_cast<uintptr_t>(launch.function));
      EXPECT_EQ(loaded->load().registers, 48);
    }
    EXPECT_EQ(lastLaunch().count, 2);
    EXPECT_EQ(fake<int>("fakeLoads"), 2); // once for each of the two
    EXPECT_EQ(base::loadCount.loads - loadsBefore, 2u);
    EXPECT_GT(base::loadCount.nanoseconds, 0u);
    EXPECT_EQ(complaints(), "");
  });
}

TEST(HipDriver, CooperativeLaunchesHaveAFunctionOfTheirOwn) {
  withDriver(FAKE_HIP, [] {
    auto kernel = compileMixed({{"launch_cooperative_grid", "True"}});
    describeArguments(kernel->artifacts.at("hsaco"));
    uint64_t arguments[] = {1, 2, 3, 4, 5};
    kernel->loaded->launch({{5, 6, 7}, arguments, {}, nullptr});
    EXPECT_TRUE(lastLaunch().isCooperative);
    fake<int>("fakeFailure") = 720;
    std::string message = messageOf<LaunchError>([&] { kernel->loaded->launch({{5, 6, 7}, arguments, {}, nullptr}); });
    EXPECT_TRUE(contains(message, "(hipErrorCooperativeLaunchTooLarge, 720); all programs")) << message;
  });
  withDriver(FAKE_HIP, [] {
    fake<int>("fakeCooperative") = 0;
    auto kernel = compileMixed({{"launch_cooperative_grid", "True"}});
    std::string message = messageOf<LaunchError>([&] { kernel->loaded->load(); });
    EXPECT_TRUE(contains(message, "has no cooperative launches")) << message;
  });
}

TEST(HipDriver, SharedMemoryIsThatOfTheLaunch) {
  withDriver(FAKE_HIP, [] {
    withSharedBytes(65536)->loaded->launch({});
    EXPECT_EQ(lastLaunch().sharedBytes, 65536u);
    EXPECT_EQ(complaints(), "");
  });
}

TEST(HipDriver, OutOfResourcesTellsHowMuch) {
  withDriver(FAKE_HIP, [] {
    try {
      withSharedBytes(73728)->loaded->launch({});
      ADD_FAILURE() << "launched with more shared memory than there is";
    } catch (const base::OutOfResourcesError &error) {
      EXPECT_EQ(error.required, 73728);
      EXPECT_EQ(error.limit, 65536);
      EXPECT_EQ(error.resource, "shared memory");
    }
    fake<int>("fakeMaxThreads") = 128;
    std::string message = messageOf<base::OutOfResourcesError>([&] { withSharedBytes(16)->loaded->launch({}); });
    EXPECT_TRUE(contains(message, "kernel `empty` needs 256 of threads")) << message;
    EXPECT_EQ(lastLaunch().count, 0);
  });
}

TEST(HipDriver, KernelsOfAnotherArchitectureAreRefused) {
  withDriver(FAKE_HIP, [] {
    auto kernel = withSharedBytes(0);
    hipDevices().setCurrentDevice(1);
    EXPECT_EQ(messageOf<LaunchError>([&] { kernel->loaded->launch({}); }),
              "cannot load kernel `empty` on device 1 (Fake Instinct gfx1, gfx90a): it was compiled for gfx942");
    EXPECT_EQ(fake<int>("fakeLoads"), 0);
    hipDevices().setCurrentDevice(0);
    fake<int>("fakeLoadFailure") = 209;
    std::string message = messageOf<LaunchError>([&] { kernel->loaded->launch({}); });
    EXPECT_TRUE(contains(message, "(Fake Instinct gfx1, gfx942): something failed (hipError, 209)")) << message;
    fake<int>("fakeLoadFailure") = 0;
    kernel->loaded->launch({});
    EXPECT_EQ(lastLaunch().count, 1);
  });
}

TEST(HipDriver, FailuresOfLaunchesAreExplained) {
  withDriver(FAKE_HIP, [] {
    auto kernel = withSharedBytes(0);
    auto failure = [&](int code, std::array<int32_t, 3> grid) {
      fake<int>("fakeFailure") = code;
      return messageOf<LaunchError>([&] { kernel->loaded->launch({grid, {}, {}, nullptr}); });
    };
    for (int code : {700, 710, 719}) {
      std::string message = failure(code, {3, 1, 1});
      EXPECT_TRUE(contains(message, "cannot launch kernel `empty` over the grid (3, 1, 1) with 256 threads and 0 "
                                    "bytes of shared memory"))
          << message;
      EXPECT_TRUE(contains(message, "may be an earlier kernel's")) << message;
    }
    EXPECT_TRUE(contains(failure(701, {3, 1, 1}), "(hipErrorLaunchOutOfResources, 701); a program takes more"));
    EXPECT_TRUE(contains(failure(9, {INT32_MAX, 1, 1}), "must be fewer than 4294967296"));
    EXPECT_FALSE(contains(failure(9, {3, 1, 1}), "4294967296"));
    fake<int>("fakeFailure") = 700;
    std::string message = messageOf<LaunchError>([] { hipDevices().synchronize(); });
    EXPECT_TRUE(contains(message, "a kernel failed: an illegal memory access was encountered "
                                  "(hipErrorIllegalAddress, 700)"))
        << message;
  });
}

/// Prints a number and asserts something.
std::shared_ptr<const CompiledKernel> compileSpeaking(bool debug) {
  compiler::CompileRequest request;
  request.options.debug = debug;
  request.irText = "tt.func public @speaks(%n: i32, %holds: i1) {\n"
                   "  tt.print \" 100%: \" {hex = false, isSigned = array<i32: 1>} : %n : i32\n"
                   "  tt.assert %holds, \"holds\" : i1\n"
                   "  tt.return\n}\n";
  request.irStage = "ttir";
  request.irPath = "speaks.ttir";
  request.target = {"hip", "gfx942", 64};
  return compiler::compile(request);
}

/// What a launch prints.
std::string printedBy(const std::function<void()> &body) {
  testing::internal::CaptureStdout();
  body();
  return testing::internal::GetCapturedStdout();
}

TEST(HipDriver, MessagesAreReadAtTheLaunch) {
  withDriver(FAKE_HIP, [] {
    auto kernel = compileSpeaking(/*debug=*/true);
    ASSERT_EQ(kernel->results.messages.size(), 2u);
    EXPECT_EQ(kernel->results.messages[0].format, "pid (%u, %u, %u) idx () 100%%: %d\n");
    describeArguments(kernel->artifacts.at("hsaco"));
    ASSERT_EQ(fake<int>("fakeArgumentCount"), 3); // the last one is the buffer
    uint64_t arguments[] = {7, 1};
    int stream;
    // The first message has the arguments 1, 2, 3 and -4; the second one follows.
    uint64_t words[] = {6,
                        0,
                        uint64_t(3) << 32 | 1,
                        uint64_t(2) << 32 | 1,
                        uint64_t(0xfffffffc) << 32 | 3,
                        uint64_t(3) << 32 | 2,
                        uint64_t(6) << 32 | 5,
                        7};
    words[1] = 1 << 17;
    std::copy(std::begin(words), std::end(words), &fake<uint64_t>("fakeMessageWords"));
    for (const auto &loaded :
         {kernel->loaded, compiler::restore(kernel->hash, kernel->metadata, kernel->artifacts)->loaded}) {
      auto launch = [&] { loaded->launch({{1, 1, 1}, arguments, {}, &stream}); };
      fake<int>("fakeMessageCount") = 0;
      EXPECT_EQ(printedBy(launch), "");
      fake<int>("fakeMessageCount") = 8;
      fake<uint64_t>("fakeMessageWords") = 3;
      EXPECT_EQ(printedBy(launch), "pid (1, 2, 3) idx () 100%: -4\n");
      fake<uint64_t>("fakeMessageWords") = 6;
      std::string message;
      EXPECT_EQ(printedBy([&] { message = messageOf<std::runtime_error>(launch); }), "pid (1, 2, 3) idx () 100%: -4\n");
      EXPECT_TRUE(message.starts_with("device assertion failed: holds\n  at ")) << message;
      EXPECT_TRUE(message.ends_with("\n  in program (5, 6, 7)")) << message;
      fake<uint64_t>("fakeMessageWords") = 1 << 18; // more than there is room for
      std::string printed = printedBy([&] { messageOf<std::runtime_error>(launch); });
      EXPECT_TRUE(contains(printed, "the rest of what the kernel prints is left out")) << printed;
    }
    fake<int>("fakeSynchronizationFailure") = 719;
    EXPECT_TRUE(contains(messageOf<LaunchError>([&] { kernel->loaded->launch({{1, 1, 1}, arguments, {}, &stream}); }),
                         "cannot launch kernel `speaks`"));
    EXPECT_EQ(complaints(), "");
  });
}

TEST(HipDriver, KernelsThatSayNothingTakeNoBuffer) {
  EXPECT_EQ(compileSpeaking(/*debug=*/false)->results.messages.size(), 1u);
  auto kernel = compileMixed();
  EXPECT_TRUE(kernel->results.messages.empty());
  EXPECT_FALSE(contains(kernel->metadata, "messages"));
}

} // namespace
} // namespace triton::amd
