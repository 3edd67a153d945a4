// Compiles code that a test emits through the stages llir and o, and calls it.
#pragma once

#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>

namespace triton::cpu::test {

/// A context with the dialects of ttcir.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Runs the passes of llir and generates code. Fails the calling test on errors, and then returns "".
std::string compileToObject(mlir::ModuleOp module, const TargetDescription &target);

/// Calls generated code. The sanitizer would look for a function type in front of it, which generated code does not
/// have.
template <typename... Arguments>
__attribute__((no_sanitize("function"))) void call(void *address, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(address)(arguments...);
}

/// A function `void kernel(ptr, ptr, ...)`.
class TestKernel {
public:
  using Body = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location, mlir::ValueRange pointers)>;
  /// Calls `body` to emit a function with that many pointers. `arch` is that of describeTarget.
  TestKernel(unsigned pointers, llvm::StringRef arch, Body body);
  /// For the processor described, which must stay there.
  TestKernel(unsigned pointers, const TargetDescription &target, Body body);

  template <typename... Pointers> void operator()(Pointers *...pointers) const { call(address, pointers...); }
  explicit operator bool() const { return address; }

private:
  std::shared_ptr<LinkedObject> object;
  void *address = nullptr;
};

/// Emits a loop that applies `body` to `count` elements, `lanes` at a time: pointers[0] is the result, the others are
/// operands, all of their own element types.
TestKernel
makeElementwiseKernel(int64_t count, unsigned lanes, llvm::StringRef arch,
                      llvm::ArrayRef<mlir::Type (*)(mlir::MLIRContext *)> types,
                      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body);

template <typename Type> mlir::Type typeOf(mlir::MLIRContext *context) { return Type::get(context); }
template <unsigned bits> mlir::Type integerOf(mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context, bits);
}

} // namespace triton::cpu::test
