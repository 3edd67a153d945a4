// The MLIR contexts of finished compilations, which later ones use again.
#pragma once

#include "backends/Backend.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace triton::compiler {

/// A context with the dialects of a backend. Making one and loading its dialects takes a tenth of the time of a short
/// compilation. While borrowed, it belongs to one thread.
class BorrowedContext {
public:
  explicit BorrowedContext(const backends::Backend &backend);
  /// Everything made in the context must be destroyed before.
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext &) = delete;
  BorrowedContext &operator=(const BorrowedContext &) = delete;

  mlir::MLIRContext &get() { return *context; }
  /// Lets the next compilation have the context. Not called after an error, which may have come in the midst of a
  /// change.
  void giveBack() { isGivenBack = true; }

private:
  const backends::Backend &backend;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses;
  bool isGivenBack = false;
};

} // namespace triton::compiler
