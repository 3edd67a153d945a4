// What products in tensor memory with and without scales share.
#pragma once

#include "backends/nvidia/lowering/Capabilities.h"

#include "base/UserErrors.h"
#include "gpu/ir/TensorMemoryPlaces.h"

namespace triton::nvidia {

constexpr int64_t depthBytes = 32; ///< of an instruction, along K
constexpr int64_t mostColumns = 256;

/// A matrix in tensor memory: the address of an element from that of the first.
class TensorMatrix {
public:
  explicit TensorMatrix(ttg::MemDescType type) : places(ttg::getTensorMemoryPlaces(type)) {}

  int32_t offset(int64_t row, int64_t column) const {
    layout::Point place = places.apply({{"dim0", int32_t(row)}, {"dim1", int32_t(column)}});
    return place[0].second << 16 | place[1].second / int32_t(ttg::columnBytes);
  }
  /// Whether the row of an element alone says in which lane it is.
  bool hasLanesByRow() const {
    return llvm::all_of(places.findInput("dim1")->bases, [](const layout::Basis &place) { return place[0] == 0; });
  }

private:
  layout::LinearLayout places;
};

/// Whether the unit reads a factor in this buffer of shared memory.
inline bool isReadableFactor(ttg::MemDescType type) {
  auto shared = mlir::dyn_cast<ttg::NvmmaSharedEncodingAttr>(type.getEncoding());
  return shared && shared.getRank() == 2;
}

/// Begins the message that the unit does not do a product. What follows says why.
template <typename Product> mlir::InFlightDiagnostic refuseProduct(Product op, const Emitter &emitter) {
  return op.emitError() << base::wrongKernelPrefix << "the unit of " << emitter.machine().name << " does not multiply "
                        << op.getA().getType() << " and " << op.getB().getType() << " to " << op.getD().getType()
                        << ": ";
}

/// Columns of an instruction that computes in a block of the result, or in a part of one.
inline int64_t columnsOfInstruction(ttg::MemDescType result) {
  auto encoding = mlir::cast<ttg::foreign::TensorMemoryEncodingAttr>(result.getEncoding());
  return std::min({int64_t(encoding.getBlockN()), mostColumns, result.getShape()[1]});
}

/// Instructions of one thread and their operands. The predicate `adds` is true, and `starts` says whether the first
/// products add to what is there.
class InstructionText {
public:
  InstructionText(mlir::Value adds, Emitter &emitter) : emitter(emitter) {
    mlir::Value starts = mlir::LLVM::ZExtOp::create(emitter.b, emitter.b.getI32Type(), adds);
    text =
        ".reg .pred adds; setp.ne.b32 adds, 1, 0; .reg .pred starts; setp.ne.b32 starts, " + add(starts, "r") + ", 0; ";
  }

  std::string add(mlir::Value argument, llvm::StringRef constraint) {
    constraints += (arguments.empty() ? "" : ",") + constraint.str();
    arguments.push_back(argument);
    return "$" + std::to_string(arguments.size() - 1);
  }
  /// The place in tensor memory so far from the start of `buffer`.
  std::string at(mlir::Value buffer, int32_t offset) {
    return "[" + add(emitter.add(emitter.scalar(buffer), emitter.i32(offset)), "r") + "]";
  }

  std::string text, constraints;
  Registers arguments;

private:
  Emitter &emitter;
};

/// Runs the instructions of a product where its condition holds, and arrives at its barriers.
template <typename Product>
void emitProducts(Product op, Emitter &emitter, llvm::function_ref<InstructionText()> instructions) {
  emitInFirstWarp(emitter, emitter.scalar(op.getCondition()), [&] {
    InstructionText text = instructions();
    emitInElectedThread(emitter, text.text, text.constraints, text.arguments);
    for (auto [barrier, condition] : llvm::zip_equal(op.getBarriers(), op.getBarrierConditions()))
      emitter.emitIf(emitter.scalar(condition), [&] { emitProductArrival(op, emitter, emitter.scalar(barrier)); });
  });
}

} // namespace triton::nvidia
