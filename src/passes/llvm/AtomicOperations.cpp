#include "passes/llvm/AtomicOperations.h"

using mlir::LLVM::AtomicBinOp;

namespace triton {

AtomicBinOp findAtomicOperation(tt::RMWOp operation, mlir::Type element) {
  bool isFloat = llvm::isa<mlir::FloatType>(element);
  switch (operation) {
  case tt::RMWOp::And:
    return AtomicBinOp::_and;
  case tt::RMWOp::Or:
    return AtomicBinOp::_or;
  case tt::RMWOp::Xor:
    return AtomicBinOp::_xor;
  case tt::RMWOp::Add:
    return AtomicBinOp::add;
  case tt::RMWOp::FAdd:
    return AtomicBinOp::fadd;
  case tt::RMWOp::Max:
    return isFloat ? AtomicBinOp::fmax : AtomicBinOp::max;
  case tt::RMWOp::Min:
    return isFloat ? AtomicBinOp::fmin : AtomicBinOp::min;
  case tt::RMWOp::UMax:
    return AtomicBinOp::umax;
  case tt::RMWOp::UMin:
    return AtomicBinOp::umin;
  case tt::RMWOp::Exchange:
    return AtomicBinOp::xchg;
  }
  llvm_unreachable("every operation is handled above");
}

} // namespace triton
