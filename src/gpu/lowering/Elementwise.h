// Operations that compute each element of the result from the same element of the operands.
#pragma once

#include "gpu/lowering/RelatedRegisters.h"
#include "gpu/lowering/TargetEmitter.h"

namespace triton::gpu {

/// Defines the only result of `op` register by register. `compute` gets the operands of one element.
template <typename Function>
mlir::LogicalResult lowerElementwise(mlir::Operation *op, Emitter &emitter, Function compute) {
  std::size_t count = emitter.convertType(op->getResult(0).getType()).size();
  unsigned equalBits = count == 1 ? 0 : equalRegisterBits(emitter, op->getResult(0));
  llvm::SmallVector<llvm::ArrayRef<mlir::Value>, 3> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(emitter.registers(operand));
  Registers results, first, elements;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::size_t equal = i & ~std::size_t(equalBits); equal != i) {
      results.push_back(results[equal]);
      continue;
    }
    elements.clear();
    for (llvm::ArrayRef<mlir::Value> operand : operands)
      elements.push_back(operand.size() == 1 ? operand.front() : operand[i]); // a scalar is an operand of every element
    // Registers that hold the same values, as in a splat, need one computation.
    if (i == 0)
      first = elements;
    results.push_back(i != 0 && elements == first ? results.front() : compute(elements));
  }
  emitter.define(op->getResult(0), std::move(results));
  return mlir::success();
}

/// Emits one operation of the LLVM dialect for each element.
template <typename Source, typename Target> mlir::LogicalResult lowerToOperation(Source op, Emitter &emitter) {
  mlir::Type type = emitter.convertElement(op->getResult(0).getType());
  return lowerElementwise(op, emitter, [&](mlir::ValueRange operands) -> mlir::Value {
    return Target::create(emitter.b, mlir::TypeRange(type), operands)->getResult(0);
  });
}

/// Emits one operation for each element, or for two neighbours where the machine computes pairs at once.
template <typename Source, typename Target> mlir::LogicalResult lowerInPairs(Source op, Emitter &emitter) {
  mlir::Value result = op->getResult(0);
  mlir::Type type = emitter.convertElement(result.getType());
  std::size_t count = emitter.convertType(result.getType()).size();
  if (count % 2 != 0 || !emitter.target().computesPairs(op))
    return lowerToOperation<Source, Target>(op, emitter);
  auto compute = [&](mlir::Type computed, mlir::ValueRange operands) -> mlir::Value {
    return Target::create(emitter.b, mlir::TypeRange(computed), operands)->getResult(0);
  };
  auto elementsOf = [&](std::size_t index) {
    Registers elements;
    for (mlir::Value operand : op->getOperands()) {
      llvm::ArrayRef<mlir::Value> registers = emitter.registers(operand);
      elements.push_back(registers.size() == 1 ? registers.front() : registers[index]);
    }
    return elements;
  };
  Registers results, splat = elementsOf(0);
  for (std::size_t index = 0; index < count; index += 2) {
    Registers even = elementsOf(index), odd = elementsOf(index + 1);
    if (even == odd) { // as in a splat
      results.append(2, index != 0 && even == splat ? results.front() : compute(type, even));
      continue;
    }
    Registers pairs;
    for (auto [left, right] : llvm::zip_equal(even, odd))
      pairs.push_back(emitter.packVector({left, right}));
    results.append(emitter.unpackVector(compute(mlir::VectorType::get(2, type), pairs)));
  }
  emitter.define(result, std::move(results));
  return mlir::success();
}

} // namespace triton::gpu
