// Describes what operands of products are loaded from through pointers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/copies/OperandLoads.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/PointerBlocks.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONDESCRIBELOADS
#include "gpu/copies/Passes.h.inc"

namespace {

/// Whether `op` may change memory that a load reads.
bool mayStore(Operation *op) {
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<tt::FuncOp, tt::AssertOp, tt::PrintOp>(op) && !isMemoryEffectFree(op) &&
         !hasSingleEffect<MemoryEffects::Read>(op);
}

/// A load of a tensor in a loop from which `operand` of a product is computed, and which is not among `described`.
tt::LoadOp findOtherLoad(Value operand, const llvm::MapVector<tt::LoadOp, PointerBlock> &described) {
  SmallVector<Value> open{operand};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !isInLoop(op) || !isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      if (!described.contains(load))
        return load;
      continue;
    }
    if (!isa<tt::DotOp>(op))
      llvm::append_range(open, op->getOperands());
  }
  return {};
}

/// Why units that multiply with groups of warps do not read `block`, whose elements lie side by side along `columns`,
/// from shared memory; empty where they do. Threads would have to read what copies brought.
llvm::StringRef findUnitObstacle(Value block, unsigned columns) {
  unsigned bits = getElementTypeOrSelf(block).getIntOrFloatBitWidth();
  for (OpOperand &use : block.getUses()) {
    llvm::StringRef obstacle;
    if (auto transposed = dyn_cast<tt::TransOp>(use.getOwner())) {
      obstacle = findUnitObstacle(transposed.getResult(), 1 - columns);
    } else {
      auto dot = cast<tt::DotOp>(use.getOwner());
      constexpr int64_t fewestRows = 64;
      bool isA = use.getOperandNumber() == 0, isAlongK = columns == (isA ? 1 : 0);
      if (dot.getType().getShape().front() < fewestRows)
        obstacle = "groups of four warps multiply 64 rows and more";
      else if (bits == 32 && dot.getInputPrecision() != tt::InputPrecision::TF32)
        obstacle = "matrix units do not multiply its elements as they are";
      else if (!isAlongK && (bits == 8 || (bits == 32 && isA))) // They compute the transposed product where B is f32.
        obstacle = "matrix units read elements of its type only where they lie side by side along K";
    }
    if (!obstacle.empty())
      return obstacle;
  }
  return {};
}

class FunctionDescriber {
public:
  FunctionDescriber(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo)
      : function(function), blocks(axisInfo) {}

  void run(llvm::ArrayRef<tt::LoadOp> loads) {
    function.walk([&](Operation *op) {
      if (mayStore(op))
        storing.push_back(op);
    });
    for (tt::LoadOp load : loads)
      find(load);
    if (described.empty() || findOther())
      return;
    for (auto [number, entry] : llvm::enumerate(described))
      describe(entry.first, entry.second, int32_t(number));
  }

private:
  void find(tt::LoadOp load) {
    // Arguments may point to the same memory, and a warp that loads runs ahead.
    auto *before = llvm::find_if(storing, [&](Operation *op) { return mayPrecede(op, load); });
    llvm::StringRef obstacle = "this may store what it loads";
    if (before != storing.end())
      return reportThreads(load, obstacle, *before);
    std::optional<PointerBlock> block = blocks.find(load, obstacle);
    if (block)
      obstacle = findUnitObstacle(load.getResult(), block->columns);
    if (block && obstacle.empty())
      described.insert({load, *block});
    else
      reportThreads(load, obstacle, nullptr);
  }

  /// Threads that load anyway would have to wait for each other in each iteration.
  bool findOther() {
    tt::LoadOp other;
    function.walk([&](tt::DotOp dot) {
      for (Value operand : {dot.getA(), dot.getB()})
        if (!other && isInLoop(dot))
          other = findOtherLoad(operand, described);
    });
    if (other)
      for (auto &entry : described)
        reportThreads(entry.first, "threads must load this for products of the loop, too", other);
    return bool(other);
  }

  void describe(tt::LoadOp load, const PointerBlock &block, int32_t number) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    IntegerAttr link = builder.getI32IntegerAttr(number);
    auto type = cast<RankedTensorType>(load.getType());
    unsigned columns = block.columns, rows = 1 - columns;
    auto blockType = RankedTensorType::get({type.getDimSize(rows), type.getDimSize(columns)}, type.getElementType());
    SmallVector<Value> extents, starts;
    for (unsigned axis : {rows, columns}) {
      analysis::IndexPolynomial whole = analysis::IndexPolynomial::ofConstant(INT32_MAX);
      extents.push_back(blocks.create(builder, loc, block.extents[axis].value_or(whole), 32));
      starts.push_back(blocks.create(builder, loc, block.starts[axis], 32));
    }
    Value strides[] = {blocks.create(builder, loc, block.stride, 64),
                       arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 1)};
    Value descriptor = tt::MakeTensorDescOp::create(
        builder, loc, tt::TensorDescType::get(builder.getContext(), blockType), block.base, extents, strides);
    auto copied =
        tt::DescriptorLoadOp::create(builder, loc, blockType, descriptor, starts, load.getCache(), load.getEvict());
    copied->setAttr(pointersAttribute, link);
    Value loaded = copied.getResult();
    if (columns == 0) {
      auto transposed = tt::TransOp::create(builder, loc, type, loaded, builder.getDenseI32ArrayAttr({1, 0}));
      transposed->setAttr(pointersAttribute, link);
      loaded = transposed.getResult();
    }
    load.replaceAllUsesWith(loaded);
    load->setAttr(pointersAttribute, link);
  }

  tt::FuncOp function;
  PointerBlocks blocks;
  SmallVector<Operation *> storing;
  llvm::MapVector<tt::LoadOp, PointerBlock> described;
};

struct TritonDescribeLoads : impl::TritonDescribeLoadsBase<TritonDescribeLoads>, base::OptionalPass {
  using TritonDescribeLoadsBase::TritonDescribeLoadsBase;

  void runOnOperation() override {
    std::optional<analysis::AxisInfoAnalysis> axisInfo;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isPrivate() || function.isExternal())
        continue;
      SmallVector<tt::LoadOp> loads;
      function.walk([&](tt::LoadOp load) {
        if (isOperandOnly(load.getResult()) && isInLoop(load))
          loads.push_back(load);
      });
      if (!obstacle.empty())
        for (tt::LoadOp load : loads)
          reportThreads(load, obstacle.getValue(), nullptr);
      if (loads.empty() || !obstacle.empty())
        continue;
      if (!axisInfo)
        axisInfo.emplace(getOperation());
      FunctionDescriber(function, *axisInfo).run(loads);
    }
  }
};

} // namespace

} // namespace triton::ttg
