// Profiles through a library in roctracer's place (FakeRoctracer.cpp).
#include "backends/gpu/driver/test/StandIn.h"
#include "profiler/Profiler.h"
#include "profiler/test/Profiles.h"

#include <gtest/gtest.h>

#include <thread>

namespace triton::profiling {
namespace {

using backends::contains;
using backends::messageOf;

void withTracer(const std::function<void()> &body) {
  backends::withStandIn("TRITON_ROCTRACER_LIB_PATH", FAKE_ROCTRACER, body);
}

int &fake(const char *name) { return backends::standInVariable<int>(FAKE_ROCTRACER, name); }
template <typename... T> void callFake(const char *name, T... arguments) {
  reinterpret_cast<void (*)(T...)>(dlsym(dlopen(FAKE_ROCTRACER, RTLD_NOW), name))(arguments...);
}
void launch(const char *name, uint64_t begin, uint64_t end, bool isRuntime = false) {
  callFake("fakeHipLaunch", name, begin, end, isRuntime);
}

SessionOptions options(const char *data = "tree") {
  SessionOptions options;
  options.data = data;
  options.backend = "roctracer";
  return options;
}

TEST(Roctracer, KernelsBelongToTheScopesOfTheirLaunches) {
  withTracer([] {
    SessionId session = start(options());
    enterScope("outer");
    launch("first", 1000, 1500);
    launch("first", 2000, 2250, /*isRuntime=*/true);
    std::thread([] { launch("elsewhere", 0, 5); }).join();
    exitScope("outer");
    launch("_Z6squarePfi", 3000, 3001);
    std::string text = phaseAsJson(session, 0);
    EXPECT_EQ(metricsAt(text, {"outer", "first"}),
              R"~({"count":2,"device_id":"3","device_type":"HIP","time (ns)":750})~");
    EXPECT_TRUE(contains(metricsAt(text, {"elsewhere"}), R"~("time (ns)":5)~"));
    EXPECT_TRUE(contains(metricsAt(text, {"square(float*, int)"}), R"~("count":1)~"));
  });
}

TEST(Roctracer, GraphsBelongToTheScopesOfTheirLaunches) {
  withTracer([] {
    SessionId session = start(options());
    const char *names[] = {"a", "b"};
    enterScope("replay");
    for (int i = 0; i < 2; ++i)
      callFake("fakeHipLaunchGraph", static_cast<const char *const *>(names), 2);
    exitScope("replay");
    deactivate(session, /*flushes=*/true);
    std::string text = phaseAsJson(session, 0);
    EXPECT_TRUE(contains(metricsAt(text, {"replay", "a"}), R"("count":2)")) << text;
    EXPECT_TRUE(contains(metricsAt(text, {"replay", "b"}), R"("count":2)")) << text;
  });
}

TEST(Roctracer, PhasesAreCompleteWhenTheirRecordsHaveCome) {
  withTracer([] {
    SessionId session = start(options());
    launch("early", 0, 1);
    advancePhase(session);
    launch("late", 0, 1);
    EXPECT_TRUE(isPhaseComplete(session, 0));
    EXPECT_NE(metricsAt(phaseAsJson(session, 0), {"early"}), "absent");
    EXPECT_EQ(metricsAt(phaseAsJson(session, 0), {"late"}), "absent");
    EXPECT_NE(metricsAt(phaseAsJson(session, 1), {"late"}), "absent");
  });
}

TEST(Roctracer, NothingIsWatchedWithoutAnActiveSession) {
  withTracer([] {
    SessionId session = start(options());
    EXPECT_EQ(fake("fakePools"), 1);
    EXPECT_EQ(fake("fakeWatchedCalls"), 3); // the fake has no others
    deactivate(session, /*flushes=*/true);
    EXPECT_EQ(fake("fakePools"), 0);
    EXPECT_EQ(fake("fakeWatchedCalls"), 0);
    launch("unseen", 0, 1);
    activate(session);
    launch("seen", 0, 1);
    std::string text = phaseAsJson(session, 0);
    EXPECT_TRUE(contains(metricsAt(text, {"seen"}), R"("count":1)"));
    EXPECT_EQ(metricsAt(text, {"unseen"}), "absent");
  });
}

TEST(Roctracer, TritonsOtherNameIsTheSameBackend) {
  withTracer([] {
    SessionOptions other = options();
    other.backend = "rocprofiler";
    SessionId session = start(other);
    EXPECT_EQ(start(options()), session);
    launch("kernel", 1000, 1500);
    EXPECT_TRUE(contains(metricsAt(phaseAsJson(session, 0), {"kernel"}), R"~("time (ns)":500)~"));
  });
}

TEST(Roctracer, TracesHaveQueues) {
  withTracer([] {
    SessionId session = start(options("trace"));
    launch("k", 60000000, 60002000);
    llvm::json::Value trace = llvm::cantFail(llvm::json::parse(phaseAsJson(session, 0)));
    const llvm::json::Array &events = *trace.getAsObject()->getArray("traceEvents");
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].getAsObject()->getString("cat"), "kernel");
    EXPECT_EQ(events[0].getAsObject()->getNumber("dur"), 2.0);
  });
}

TEST(Roctracer, WhatIsMissingIsSaid) {
  backends::withStandIn("TRITON_ROCTRACER_LIB_PATH", "/no/such/libroctracer64.so", [] {
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "cannot load roctracer") && contains(message, "/no/such/libroctracer64.so") &&
                contains(message, "TRITON_ROCTRACER_LIB_PATH"))
        << message;
    EXPECT_FALSE(hasSessions());
  });
  backends::withStandIn("TRITON_ROCTRACER_LIB_PATH", "libz.so.1", [] {
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "it lacks `roctracer_set_properties`")) << message;
  });
  withTracer([] {
    fake("fakeTracerFailure") = -3;
    std::string message = messageOf<std::runtime_error>([] { start(options()); });
    EXPECT_TRUE(contains(message, "cannot receive records: the fake's error")) << message;
    EXPECT_FALSE(hasSessions());
  });
}

} // namespace
} // namespace triton::profiling
