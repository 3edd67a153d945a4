// Describes what operands of products are loaded from through pointers, see Passes.td.
#include "analysis/MemoryUse.h"
#include "base/OptionalPass.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/copies/OperandLoads.h"
#include "gpu/copies/Passes.h"
#include "gpu/copies/PointerBlocks.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONDESCRIBELOADS
#include "gpu/copies/Passes.h.inc"

namespace {

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

/// What multiplies the operands of a program.
struct Units {
  const gpu::TargetInfo &target;
  unsigned warps;

  /// Why no unit reads `block`, whose elements lie side by side along `columns`, from shared memory; empty where they
  /// do. Threads would have to read what copies brought.
  llvm::StringRef findObstacle(Value block, unsigned columns) const {
    for (OpOperand &use : block.getUses()) {
      auto transposed = dyn_cast<tt::TransOp>(use.getOwner());
      llvm::StringRef obstacle = transposed ? findObstacle(transposed.getResult(), 1 - columns)
                                            : findObstacle(cast<tt::DotOp>(use.getOwner()), use, columns);
      if (!obstacle.empty())
        return obstacle;
    }
    return {};
  }

private:
  llvm::StringRef findObstacle(tt::DotOp dot, OpOperand &operand, unsigned columns) const {
    std::optional<gpu::MatrixUnit> unit = target.findUnitOfBuffers(analysis::typesOfProduct(dot));
    if (!unit)
      return "no matrix unit reads its elements from shared memory as they are";
    llvm::ArrayRef<int64_t> shape = dot.getType().getShape();
    llvm::StringRef refusal =
        unit->refuses({shape[0], shape[1], analysis::getDepth(dot), unsigned(shape.size()), warps});
    bool isLeft = operand.getOperandNumber() == 0, isAlongDepth = columns == (isLeft ? 1 : 0);
    if (refusal.empty() && !unit->readsCopied(isLeft, isAlongDepth))
      return "matrix units read elements of its type only where they lie side by side along K";
    return refusal;
  }
};

class FunctionDescriber {
public:
  FunctionDescriber(tt::FuncOp function, const analysis::AxisInfoAnalysis &axisInfo, const Units &units)
      : function(function), blocks(axisInfo), units(units) {}

  void run(llvm::ArrayRef<tt::LoadOp> loads) {
    function.walk([&](Operation *op) {
      if (analysis::getMemoryUse(op).stores)
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
      obstacle = units.findObstacle(load.getResult(), block->columns);
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
  Units units;
  SmallVector<Operation *> storing;
  llvm::MapVector<tt::LoadOp, PointerBlock> described;
};

struct TritonDescribeLoads : impl::TritonDescribeLoadsBase<TritonDescribeLoads>, base::OptionalPass {
  using TritonDescribeLoadsBase::TritonDescribeLoadsBase;

  void runOnOperation() override {
    const gpu::TargetInfo *info = gpu::findTarget(getOperation().getLoc(), target);
    if (!info)
      return signalPassFailure();
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
      FunctionDescriber(function, *axisInfo, {*info, numWarps}).run(loads);
    }
  }
};

} // namespace

} // namespace triton::ttg
