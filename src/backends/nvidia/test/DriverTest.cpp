// What happens where there is no driver.
#include "VectorAdd.h"

#include "backends/nvidia/Driver.h"
#include "compiler/Compiler.h"

#include <gtest/gtest.h>

using namespace triton;

namespace {

/// The driver is looked for once a process, so each test has a process of its own.
void withoutDriver(const std::function<void()> &body) {
  EXPECT_EXIT(
      {
        setenv("TRITON_LIBCUDA_PATH", "/nowhere/libcuda.so.1", 1);
        body();
        exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

TEST(Driver, AbsenceIsNoErrorUntilUsed) {
  withoutDriver([] {
    EXPECT_FALSE(nvidia::Driver::isAvailable());
    compiler::CompileRequest request;
    request.irText = nvidia::vectorAddText;
    request.irStage = "llir";
    request.irPath = "add.llir";
    request.target = {"cuda", "90", 32};
    auto kernel = compiler::compile(request);
    ASSERT_TRUE(kernel->device);
    try {
      kernel->device->launch({});
      ADD_FAILURE() << "launched without a driver";
    } catch (const compiler::LaunchError &error) {
      std::string message = error.what();
      EXPECT_NE(message.find("cannot load the CUDA driver"), std::string::npos) << message;
      EXPECT_NE(message.find("/nowhere/libcuda.so.1"), std::string::npos) << message;
    }
  });
}

} // namespace
