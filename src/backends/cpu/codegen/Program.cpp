// A kernel's function: arguments, and the loop over the programs of a launch.
#include "backends/cpu/codegen/Lowering.h"
#include "backends/cpu/emitters/ReservedSymbols.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

/// Bytes of an argument's slot, see cpu::CpuEntry.
static constexpr int64_t argumentSlotBytes = 8;
/// The start of the scratch area, which masked-off lanes access. It has room for one vector of the widest elements and
/// lanes.
static constexpr int64_t safeBytes = 512;

Lowering::Lowering(tt::FuncOp kernel, const CpuCodegenOptions &options)
    : kernel(kernel), options(options), b(kernel.getContext()), analysis(options.target->lanes(32)),
      lanes(b, options, analysis), scratch{{}, safeBytes, safeBytes} {}

static void emitProgramCoordinates(Lowering &lowering, Location loc, Value program) {
  OpBuilder &b = lowering.b;
  unsigned axes = 0; // that the kernel asks for
  lowering.kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
      axes = std::max(axes, unsigned(id.getAxis()) + 1);
    if (isa<tt::PrintOp, tt::AssertOp>(op))
      axes = 3;
  });
  Value rest = program;
  for (unsigned axis = 0; axis < axes; ++axis) {
    Value coordinate = rest;
    if (axis < 2) {
      Value count = arith::ExtUIOp::create(b, loc, b.getI64Type(), lowering.programs.counts[axis]);
      coordinate = arith::RemUIOp::create(b, loc, rest, count);
      if (axis + 1 < axes)
        rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    lowering.programs.ids[axis] = arith::TruncIOp::create(b, loc, b.getI32Type(), coordinate);
  }
}

static void emitEntry(Lowering &lowering) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = lowering.kernel.getLoc();
  b.setInsertionPoint(lowering.kernel);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, i64, i64, pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, lowering.kernel.getName(), type);
  Block *body = entry.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  Value arguments = body->getArgument(0), grid = body->getArgument(1);
  lowering.scratch.base = body->getArgument(4);
  lanes.safeAddress = lowering.scratch.base;
  for (BlockArgument argument : lowering.kernel.getArguments()) {
    Value slot = lanes.offsetPointer(loc, arguments, argument.getArgNumber() * argumentSlotBytes, b.getI8Type());
    Type elementType = argument.getType();
    Lanes value = lanes.load(argument.getLoc(), Lanes::uniform(slot),
                             Lanes::uniform(lanes.constantInt(loc, b.getI1Type(), 1)), nullptr, elementType, 1);
    lowering.scalars.map(argument, value.value);
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value address = lanes.offsetPointer(loc, grid, axis, b.getI32Type());
    lowering.programs.counts[axis] = LLVM::LoadOp::create(b, loc, b.getI32Type(), address, 4);
  }
  emitAttention(lowering, loc);
  prepareTiles(lowering, loc);
  for (const auto &supply : lowering.supplies)
    supply->emitEntry(lowering, loc);
  auto loop = scf::ForOp::create(b, loc, body->getArgument(2), body->getArgument(3), lanes.constantI64(loc, 1));
  lowering.programs.loop = loop;
  if (lowering.programs.tileForm)
    emitReleaseTiles(b, loc);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
  emitProgramCoordinates(lowering, loc, loop.getInductionVar());
}

/// Whether an argument of the type fits a slot.
static bool isArgumentType(Type type) {
  return isa<tt::PointerType>(type) || (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 8 * argumentSlotBytes);
}

/// Replaces the kernel. Sets the number of scratch bytes that it needs.
static LogicalResult replaceKernel(Lowering &lowering, int64_t &scratchBytes) {
  for (BlockArgument argument : lowering.kernel.getArguments())
    if (!isArgumentType(argument.getType()))
      return lowering.kernel.emitError() << "not supported on cpu: a kernel argument of type " << argument.getType();
  if (failed(checkSupported(lowering.kernel)))
    return failure();
  if (llvm::StringRef name = lowering.kernel.getName(); reservesSymbol(name))
    return lowering.kernel.emitError() << "not supported on cpu: a kernel with the name `" << name
                                       << "`, which is that of a function outside of it; give the kernel another name";
  for (auto *find : {findPackedOperands, findKeptOperands, findBlocksAhead})
    lowering.supplies.push_back(find(lowering));
  emitEntry(lowering);
  lowerBlock(lowering, lowering.kernel.getBody().front(), [] {});
  scf::YieldOp::create(lowering.b, lowering.kernel.getLoc());
  scratchBytes = std::max(scratchBytes, lowering.scratch.peak);
  lowering.kernel.erase();
  return success();
}

/// Reports a call in the function that cannot be inlined, or that returns to one of `callers`. `kernel` calls the
/// function.
static LogicalResult checkCalls(tt::FuncOp kernel, tt::FuncOp function, SymbolTable &symbols,
                                SmallPtrSetImpl<Operation *> &callers, SmallPtrSetImpl<Operation *> &checked) {
  if (callers.contains(function))
    return kernel.emitError() << "not supported on cpu: functions that call themselves";
  if (!checked.insert(function).second)
    return success();
  callers.insert(function);
  WalkResult walk = function.walk([&](tt::CallOp call) -> WalkResult {
    auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
    if (callee && callee.getBody().hasOneBlock())
      return checkCalls(kernel, callee, symbols, callers, checked);
    reportUnsupported(call);
    return WalkResult::interrupt();
  });
  callers.erase(function);
  return failure(walk.wasInterrupted());
}

/// Replaces calls by the bodies of the called functions. Functions that asked not to be inlined take and return
/// scalars, and gain nothing from a call here.
static LogicalResult inlineCalls(tt::FuncOp kernel) {
  SymbolTable symbols(kernel->getParentOfType<ModuleOp>());
  SmallPtrSet<Operation *, 8> callers, checked;
  if (failed(checkCalls(kernel, kernel, symbols, callers, checked)))
    return failure();
  SmallVector<tt::CallOp> calls;
  auto collect = [&] {
    calls.clear();
    kernel.walk([&](tt::CallOp call) { calls.push_back(call); });
    return !calls.empty();
  };
  while (collect())
    for (tt::CallOp call : calls) {
      auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
      OpBuilder builder(call);
      IRMapping mapping;
      mapping.map(callee.getArguments(), call.getArgOperands());
      for (Operation &op : callee.getBody().front().without_terminator())
        builder.clone(op, mapping);
      ValueRange returned = callee.getBody().front().getTerminator()->getOperands();
      for (auto [result, value] : llvm::zip(call.getResults(), returned))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
    }
  return success();
}

/// A single thread runs a program, and launches do not overlap, so it has nothing to wait for.
static void removeBarriers(tt::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    if (isa<mlir::gpu::BarrierOp, tt::WaitForPriorLaunchOp, tt::AllowNextLaunchOp>(op))
      op->erase();
  });
}

namespace {

/// Makes conditions and loops from branches between blocks. Triton's TTIR contains such branches for returns from the
/// middle of a kernel.
class StructuredControlFlow : public ControlFlowToSCFTransformation {
public:
  /// A choice between two regions, even one by a number, becomes a condition.
  FailureOr<Operation *> createStructuredBranchRegionOp(OpBuilder &builder, Operation *branch, TypeRange results,
                                                        MutableArrayRef<Region> regions) override {
    auto choice = dyn_cast<cf::SwitchOp>(branch);
    if (!choice || regions.size() != 2 || !choice.getCaseValues())
      return ControlFlowToSCFTransformation::createStructuredBranchRegionOp(builder, branch, results, regions);
    Location loc = branch->getLoc();
    auto number = builder.getIntegerAttr(choice.getFlag().getType(), *choice.getCaseValues()->begin());
    Value isChosen = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, choice.getFlag(),
                                           arith::ConstantOp::create(builder, loc, number));
    auto condition = scf::IfOp::create(builder, loc, results, isChosen);
    condition.getThenRegion().takeBody(regions[1]);
    condition.getElseRegion().takeBody(regions[0]); // the default
    return condition.getOperation();
  }

  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder, Region &) override {
    return tt::ReturnOp::create(builder, loc, ValueRange()).getOperation();
  }
};

} // namespace

/// Also in the functions of scalars that operations hold.
static LogicalResult structureControlFlow(tt::FuncOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) -> WalkResult {
    for (Region &region : op->getRegions()) {
      if (region.empty() || region.hasOneBlock())
        continue;
      StructuredControlFlow structure;
      DominanceInfo dominance(op);
      if (failed(transformCFGToSCF(region, structure, dominance)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult lowerKernel(tt::FuncOp kernel, const CpuCodegenOptions &options, int64_t &scratchBytes) {
  if (failed(inlineCalls(kernel)) || failed(structureControlFlow(kernel)))
    return failure();
  removeBarriers(kernel);
  Lowering lowering(kernel, options);
  return replaceKernel(lowering, scratchBytes);
}

LogicalResult lowerTilesToLoops(ModuleOp module, const CpuCodegenOptions &given) {
  CpuCodegenOptions options = given;
  if (!options.target) {
    llvm::Expected<const TargetDescription &> host = describeTarget("");
    if (!host)
      return module.emitError(llvm::toString(host.takeError()));
    options.target = &*host;
  }
  int64_t scratchBytes = 0;
  for (tt::FuncOp kernel : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    if (kernel.isPublic() && !kernel.isExternal() && failed(lowerKernel(kernel, options, scratchBytes)))
      return failure();
  for (tt::FuncOp callee : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    callee.erase();
  module->setAttr(scratchBytesAttrName, Builder(module.getContext()).getI64IntegerAttr(scratchBytes));
  return success();
}

} // namespace triton::cpu
