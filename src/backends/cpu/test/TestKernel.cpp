#include "TestKernel.h"

#include "backends/cpu/CodeGeneration.h"
#include "backends/cpu/CpuBackend.h"
#include "backends/cpu/Passes.h"
#include "backends/cpu/emitters/DotLoops.h"
#include "passes/llvm/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace triton::cpu::test {

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  cpuBackend().registerDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::string compileToObject(mlir::ModuleOp module, const TargetDescription &target) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(createConvertDivision());
  passes.addPass(createConvertMath({.arch = target.isHost ? "" : target.cpu}));
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(createConvertLoopsToLLVM());
  passes.addPass(createTritonAttachDebugScopes());
  if (mlir::failed(passes.run(module))) {
    ADD_FAILURE() << "the passes of llir failed";
    return "";
  }
  llvm::LLVMContext context;
  auto translated = mlir::translateModuleToLLVMIR(module, context);
  if (!translated) {
    ADD_FAILURE() << "the module has no translation to LLVM IR";
    return "";
  }
  llvm::cantFail(prepareModule(*translated, target, /*fuse=*/true));
  llvm::cantFail(optimizeModule(*translated, target));
  return llvm::cantFail(generateCode(*translated, target, CodeForm::Object));
}

TestKernel::TestKernel(unsigned pointers, llvm::StringRef arch, Body body)
    : TestKernel(pointers, llvm::cantFail(describeTarget(arch)), body) {}

TestKernel::TestKernel(unsigned pointers, const TargetDescription &target, Body body) {
  auto context = makeContext();
  mlir::OpBuilder builder(context.get());
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  llvm::SmallVector<mlir::Type> types(pointers, mlir::LLVM::LLVMPointerType::get(context.get()));
  auto function = mlir::LLVM::LLVMFuncOp::create(
      builder, loc, "kernel", mlir::LLVM::LLVMFunctionType::get(mlir::LLVM::LLVMVoidType::get(context.get()), types));
  mlir::Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  body(builder, loc, entry->getArguments());
  mlir::LLVM::ReturnOp::create(builder, loc, mlir::ValueRange{});
  std::string bytes = compileToObject(*module, target);
  if (bytes.empty())
    return;
  auto linked = linkObject(bytes);
  if (!linked) {
    ADD_FAILURE() << llvm::toString(linked.takeError());
    return;
  }
  object = *linked;
  address = object->find("kernel");
  EXPECT_NE(address, nullptr);
}

TestKernel
makeElementwiseKernel(int64_t count, unsigned lanes, llvm::StringRef arch,
                      llvm::ArrayRef<mlir::Type (*)(mlir::MLIRContext *)> types,
                      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body) {
  return TestKernel(types.size(), arch, [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange pointers) {
    DotLoops loops(builder, loc);
    loops.loop(count, lanes, [&](mlir::Value index) {
      llvm::SmallVector<mlir::Value> operands;
      for (unsigned i = 1; i < types.size(); ++i) {
        mlir::Type element = types[i](builder.getContext());
        mlir::Type type = lanes == 1 ? element : loops.vectorOf(lanes, element);
        operands.push_back(loops.load(type, loops.address(pointers[i], element, index)));
      }
      loops.store(body(builder, loc, operands), loops.address(pointers[0], types[0](builder.getContext()), index));
    });
  });
}

} // namespace triton::cpu::test
