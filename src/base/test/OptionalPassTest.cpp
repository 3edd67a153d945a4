// Which passes may be left out.

#include "base/OptionalPass.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

using namespace triton::base;

namespace {

TEST(OptionalPasses, OfMlirExist) {
  mlir::registerTransformsPasses();
  for (llvm::StringRef name : optionalUpstreamPasses()) {
    EXPECT_TRUE(mlir::PassInfo::lookup(name)) << name.str() << " is no pass of MLIR";
  }
  EXPECT_TRUE(isOptional(*mlir::createCanonicalizerPass()));
  EXPECT_TRUE(isOptional(*mlir::createCSEPass()));
}

struct RequiredPass : mlir::PassWrapper<RequiredPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RequiredPass)
  void runOnOperation() override {}
};

struct LeavablePass : mlir::PassWrapper<LeavablePass, mlir::OperationPass<>>, OptionalPass {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LeavablePass)
  void runOnOperation() override {}
};

TEST(OptionalPasses, OfOursSaySo) {
  EXPECT_FALSE(isOptional(RequiredPass()));
  EXPECT_TRUE(isOptional(LeavablePass()));
}

} // namespace
