#include "backends/FatalErrors.h"
#include "backends/cpu/CodeGeneration.h"
#include "backends/cpu/Passes.h"
#include "base/AssemblyConstraints.h"
#include "base/PassRunner.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/Regex.h"

namespace triton::cpu {

#define GEN_PASS_DEF_CHECKINLINEASSEMBLY
#include "backends/cpu/Passes.h.inc"

namespace {

/// Compiles a function that contains nothing but the assembly.
llvm::Error assemble(mlir::LLVM::InlineAsmOp op, const TargetDescription &target) {
  llvm::LLVMContext context;
  std::vector<backends::CodeGenerationError> errors;
  backends::collectErrors(context, errors);
  llvm::Module module("assembly", context);
  mlir::LLVM::TypeToLLVMIRTranslator types(context);
  llvm::SmallVector<llvm::Type *> operands;
  for (mlir::Type type : op.getOperandTypes())
    operands.push_back(types.translateType(type));
  llvm::Type *result =
      op.getNumResults() ? types.translateType(op.getResult(0).getType()) : llvm::Type::getVoidTy(context);
  auto *type = llvm::FunctionType::get(result, operands, /*isVarArg=*/false);
  if (llvm::Error error = llvm::InlineAsm::verify(type, op.getConstraints()))
    return error;
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "assembly", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  auto arguments =
      llvm::map_to_vector(function->args(), [](llvm::Argument &argument) -> llvm::Value * { return &argument; });
  llvm::Value *value = builder.CreateCall(
      llvm::InlineAsm::get(type, op.getAsmString(), op.getConstraints(), op.getHasSideEffects()), arguments);
  if (result->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(value);
  if (llvm::Error error = prepareModule(module, target, /*fuse=*/false))
    return error;
  llvm::Expected<std::string> object = generateCode(module, target, CodeForm::Object);
  if (!object)
    return object.takeError();
  return errors.empty() ? llvm::Error::success() : llvm::createStringError(errors.front().text);
}

/// What LLVM says, in one line and without the place in the text, which is not the user's file.
std::string problemIn(llvm::StringRef message) {
  llvm::StringRef line = message.split('\n').first;
  llvm::StringRef rest = line.split("error: ").second;
  return (rest.empty() ? line : rest).trim().str();
}

size_t resultCount(mlir::LLVM::InlineAsmOp op) {
  if (op->getNumResults() == 0)
    return 0;
  auto several = llvm::dyn_cast<mlir::LLVM::LLVMStructType>(op->getResult(0).getType());
  return several ? several.getBody().size() : 1;
}

bool looksLikePtx(llvm::StringRef text) {
  static const llvm::Regex suffix("[a-z]\\.[busf](8|16|32|64)([^0-9a-z]|$)|\\.reg |%(tid|ctaid|laneid|clock)");
  return suffix.match(text);
}

struct CheckInlineAssemblyPass : impl::CheckInlineAssemblyBase<CheckInlineAssemblyPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::SmallVector<mlir::LLVM::InlineAsmOp> assembly;
    getOperation().walk([&](mlir::LLVM::InlineAsmOp op) { assembly.push_back(op); });
    if (assembly.empty())
      return;
    llvm::Expected<const TargetDescription &> target = describeTarget(arch);
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    for (mlir::LLVM::InlineAsmOp op : assembly) {
      std::string problem = base::problemInConstraints(op.getConstraints(), resultCount(op), op.getOperands().size(),
                                                       /*isForProcessor=*/true);
      if (!problem.empty()) {
        op.emitError() << base::unsupportedPrefix << "cpu: " << problem;
        return signalPassFailure();
      }
      // Constraints that name registers of the x87 unit, such as `f`, may end LLVM.
      llvm::Error error = backends::catchFatalErrors([&] { return assemble(op, *target); });
      if (!error)
        continue;
      auto diagnostic = op.emitError() << base::unsupportedPrefix << "cpu: the text or the constraints of "
                                       << "`tl.inline_asm_elementwise` do not assemble for " << target->cpu << ": "
                                       << problemIn(llvm::toString(std::move(error)));
      if (looksLikePtx(op.getAsmString()))
        diagnostic << "; the text is PTX, the assembly of NVIDIA GPUs: compile for `cuda`, or choose the text by the "
                      "target";
      else
        diagnostic << "; the processor takes "
                   << (target->isAArch64() ? "AArch64 assembly" : "x86-64 assembly in AT&T syntax")
                   << ", with LLVM's constraints";
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace triton::cpu
