// Profiles through a library in CUPTI's place (FakeCupti.cpp).
#include "backends/gpu/driver/test/StandIn.h"
#include "base/LoadedCode.h"
#include "profiler/CuptiSampling.h"
#include "profiler/Profiler.h"
#include "profiler/test/Profiles.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace triton::profiling {
namespace {

using backends::contains;
using backends::messageOf;
namespace json = llvm::json;

void withCupti(const std::function<void()> &body) { backends::withStandIn("TRITON_CUPTI_LIB_PATH", FAKE_CUPTI, body); }

template <typename T> T &fake(const char *name) { return backends::standInVariable<T>(FAKE_CUPTI, name); }
template <typename... T> void callFake(const char *name, T... arguments) {
  reinterpret_cast<void (*)(T...)>(dlsym(dlopen(FAKE_CUPTI, RTLD_NOW), name))(arguments...);
}
void launch(const char *name, uint64_t begin, uint64_t end, bool isRuntime = false, int result = 0) {
  callFake("fakeLaunch", name, begin, end, isRuntime, result);
}

/// Calls of the stand-in are not safe for threads, but what the profiler does at them is.
void launchAlone(const char *name) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  launch(name, 0, 1);
}

SessionOptions options(const char *data = "tree") {
  SessionOptions options;
  options.data = data;
  options.backend = "cupti";
  return options;
}

TEST(Cupti, KernelsBelongToTheScopesOfTheirLaunches) {
  withCupti([] {
    SessionId session = start(options());
    enterScope("outer");
    launch("first", 1000, 1500);
    enterScope("inner");
    launch("first", 2000, 2250, /*isRuntime=*/true);
    std::thread([] { launch("elsewhere", 0, 5); }).join();
    exitScope("inner");
    exitScope("outer");
    launch("_Z6squarePfi", 3000, 3001);
    launch("refused", 0, 0, false, /*result=*/1);
    std::string text = phaseAsJson(session, 0);
    EXPECT_EQ(metricsAt(text, {"outer", "first"}),
              R"~({"count":1,"device_id":"1","device_type":"CUDA","time (ns)":500})~");
    EXPECT_EQ(metricsAt(text, {"outer", "inner", "first"}),
              R"~({"count":1,"device_id":"1","device_type":"CUDA","time (ns)":250})~");
    EXPECT_TRUE(contains(metricsAt(text, {"elsewhere"}), R"~("time (ns)":5)~"));
    EXPECT_TRUE(contains(metricsAt(text, {"square(float*, int)"}), R"~("time (ns)":1)~"));
    EXPECT_EQ(metricsAt(text, {"refused"}), "absent");
  });
}

TEST(Cupti, OperationsNameTheirKernels) {
  withCupti([] {
    SessionId session = start(options());
    const Metric flops[] = {{"flops", 10.0}};
    enterOperation("matmul [1024]", flops);
    launch("matmul", 0, 7);
    exitOperation();
    std::string metrics = metricsAt(phaseAsJson(session, 0), {"matmul [1024]"});
    EXPECT_TRUE(contains(metrics, R"("flops":10)") && contains(metrics, R"~("time (ns)":7)~")) << metrics;
  });
}

TEST(Cupti, GraphsRememberWhereTheyWereCaptured) {
  withCupti([] {
    SessionId session = start(options());
    enterScope("capture");
    callFake("fakeCapture", uintptr_t(5));
    exitScope("");
    callFake("fakeCapture", uintptr_t(6));
    const char *names[] = {"a", "b"};
    for (int i = 0; i < 2; ++i) {
      enterScope("replay");
      callFake("fakeLaunchGraph", static_cast<const char *const *>(names), 2, uintptr_t(1005));
      exitScope("");
    }
    std::string text = phaseAsJson(session, 0);
    EXPECT_TRUE(contains(metricsAt(text, {"replay", "<captured_at>", "capture", "a"}), R"("count":2)")) << text;
    EXPECT_TRUE(contains(metricsAt(text, {"replay", "b"}), R"("count":2)")) << text;
    EXPECT_EQ(metricsAt(text, {"capture"}), "{}"); // nothing ran there
  });
}

TEST(Cupti, PhasesAreCompleteWhenTheirRecordsHaveCome) {
  withCupti([] {
    SessionId session = start(options());
    launch("early", 0, 1);
    advancePhase(session);
    launch("late", 0, 1);
    EXPECT_TRUE(isPhaseComplete(session, 0));
    EXPECT_EQ(metricsAt(phaseAsJson(session, 0), {"late"}), "absent");
    EXPECT_NE(metricsAt(phaseAsJson(session, 0), {"early"}), "absent");
    EXPECT_NE(metricsAt(phaseAsJson(session, 1), {"late"}), "absent");
  });
}

TEST(Cupti, NothingIsWatchedWithoutAnActiveSession) {
  withCupti([] {
    SessionId session = start(options());
    EXPECT_EQ(fake<int>("fakeSubscribers"), 1);
    launch("seen", 0, 1);
    deactivate(session, /*flushes=*/true);
    EXPECT_EQ(fake<int>("fakeSubscribers"), 0);
    launch("unseen", 0, 1);
    activate(session);
    launch("seen", 0, 1);
    std::string text = phaseAsJson(session, 0);
    EXPECT_TRUE(contains(metricsAt(text, {"seen"}), R"("count":2)"));
    EXPECT_EQ(metricsAt(text, {"unseen"}), "absent");
  });
}

TEST(Cupti, SmallBuffersAreEnough) {
  withCupti([] {
    setenv("TRITON_PROFILE_BUFFER_SIZE", "500", 1);
    SessionId session = start(options());
    for (int i = 0; i < 100; ++i)
      launch("k", 10, 13);
    EXPECT_TRUE(contains(metricsAt(phaseAsJson(session, 0), {"k"}), R"("count":100)"));
  });
}

TEST(Cupti, TracesHaveStreams) {
  withCupti([] {
    SessionId session = start(options("trace"));
    enterScope("s");
    launch("k", 60000000, 60002000); // long after the scope began
    exitScope("s");
    json::Value trace = llvm::cantFail(json::parse(phaseAsJson(session, 0)));
    const json::Array &events = *trace.getAsObject()->getArray("traceEvents");
    ASSERT_EQ(events.size(), 2U);
    for (const json::Value &event : events)
      if (event.getAsObject()->getString("cat") == "kernel") {
        EXPECT_EQ(event.getAsObject()->getNumber("dur"), 2.0);
        EXPECT_EQ(event.getAsObject()->getInteger("tid"), 1);
      }
  });
}

SessionOptions sampled(const char *mode = "pcsampling") {
  SessionOptions sampled = options();
  sampled.mode = mode;
  return sampled;
}

TEST(Cupti, SamplesBelongToLinesOfKernels) {
  withCupti([] {
    SessionId session = start(sampled("pcsampling:interval=1000"));
    callFake("fakeLoadModule");
    enterScope("outer");
    launch("k", 1000, 1500);
    launch("k", 2000, 2250, /*isRuntime=*/true);
    launch("refused", 0, 0, false, /*result=*/1);
    exitScope("outer");
    EXPECT_EQ(fake<uint32_t>("fakePeriod"), 10U);
    EXPECT_EQ(fake<uint32_t>("fakeStarts"), 3U);
    std::string text = phaseAsJson(session, 0);
    EXPECT_EQ(metricsAt(text, {"outer", "k", "/folder/kernels.py:11@k"}),
              R"~({"num_samples":8,"num_stalled_samples":6,"stalled_wait":8})~");
    EXPECT_EQ(metricsAt(text, {"outer", "k", "/folder/kernels.py:12@k"}),
              R"~({"num_samples":12,"num_stalled_samples":6,"stalled_barrier":2,"stalled_wait":10})~");
    EXPECT_TRUE(contains(metricsAt(text, {"outer", "k"}), R"~("time (ns)":750)~"));
    EXPECT_EQ(metricsAt(text, {"outer", "refused"}), "absent");
    deactivate(session, /*flushes=*/true);
    EXPECT_EQ(fake<int>("fakeSampledContexts"), 0);
  });
}

TEST(Cupti, CodeThatWasLoadedBeforeIsKnown) {
  withCupti([] {
    base::LoadedCode loaded("code");
    SessionId session = start(sampled());
    launch("k", 0, 1);
    EXPECT_TRUE(contains(metricsAt(phaseAsJson(session, 0), {"k", "/folder/kernels.py:12@k"}), R"("num_samples":6)"));
  });
}

TEST(Cupti, SamplesOfUnknownCodeBelongToKernels) {
  withCupti([] {
    SessionId session = start(sampled());
    enterOperation("named", {});
    launch("k", 0, 1);
    exitOperation();
    const char *names[] = {"a", "b"};
    callFake("fakeLaunchGraph", static_cast<const char *const *>(names), 2, uintptr_t(1005));
    std::string text = phaseAsJson(session, 0);
    EXPECT_TRUE(contains(metricsAt(text, {"named"}), R"("num_samples":10)")) << text;
    EXPECT_TRUE(contains(metricsAt(text, {"a"}), R"("num_samples":4)")) << text;
    EXPECT_TRUE(contains(metricsAt(text, {"b"}), R"("num_samples":4)")) << text;
  });
}

TEST(Cupti, LaunchesGoOnWithoutSamples) {
  EXPECT_EXIT(
      {
        setenv("TRITON_CUPTI_LIB_PATH", FAKE_CUPTI, 1);
        fake<int>("fakeSamplingFailure") = 35;
        SessionId session = start(sampled());
        launch("k", 0, 7);
        launch("k", 0, 7);
        EXPECT_TRUE(contains(metricsAt(phaseAsJson(session, 0), {"k"}), R"~("time (ns)":14)~"));
        exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "^warning: the profile lacks samples: .*only administrators profile\n$");
}

TEST(Cupti, SampledLaunchesOfThreadsDoNotMix) {
  withCupti([] {
    SessionId session = start(sampled());
    std::vector<std::thread> threads;
    for (const char *name : {"a", "b", "c", "d"})
      threads.emplace_back([name] {
        enterScope(name);
        launchAlone(name);
        exitScope(name);
      });
    for (std::thread &thread : threads)
      thread.join();
    std::string text = phaseAsJson(session, 0);
    for (const char *name : {"a", "b", "c", "d"})
      EXPECT_TRUE(contains(metricsAt(text, {name, name}), R"("num_samples":10)")) << text;
  });
}

TEST(Cupti, ModesExcludeEachOther) {
  withCupti([] {
    start(sampled());
    SessionOptions other = options();
    other.name = "other";
    EXPECT_TRUE(contains(messageOf<std::invalid_argument>([&] { start(other); }), "asks for another mode"));
    for (const char *wrong : {"pcsampling:interval=0", "pcsampling:interval=fast", "pcsampling:speed=1"}) {
      other.mode = wrong;
      EXPECT_TRUE(contains(messageOf<std::invalid_argument>([&] { start(other); }), "option")) << wrong;
    }
  });
}

TEST(Cupti, PeriodsArePowersOfTwo) {
  using cupti::ProgramCounterSampling;
  EXPECT_EQ(ProgramCounterSampling::periodOf(1), 5U);
  EXPECT_EQ(ProgramCounterSampling::periodOf(1000), 10U);
  EXPECT_EQ(ProgramCounterSampling::periodOf(1500), 10U);
  EXPECT_EQ(ProgramCounterSampling::periodOf(1600), 11U);
  EXPECT_EQ(ProgramCounterSampling::periodOf(~uint64_t(0)), 31U);
}

TEST(Cupti, WhatIsMissingIsSaid) {
  backends::withStandIn("TRITON_CUPTI_LIB_PATH", "/no/such/libcupti.so", [] {
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "cannot load CUPTI") && contains(message, "/no/such/libcupti.so") &&
                contains(message, "TRITON_CUPTI_LIB_PATH"))
        << message;
    EXPECT_FALSE(hasSessions());
  });
  backends::withStandIn("TRITON_CUPTI_LIB_PATH", "libz.so.1", [] {
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "it lacks `cuptiSubscribe`")) << message;
  });
  withCupti([] {
    fake<int>("fakeCuptiFailure") = 39;
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "another profiler uses CUPTI")) << message;
    EXPECT_FALSE(hasSessions());
  });
}

} // namespace
} // namespace triton::profiling
