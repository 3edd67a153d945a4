#include "gpu/analysis/LoopSchedule.h"

#include "gpu/analysis/AccessOrder.h"
#include "gpu/ir/Dialect.h"
#include "ir/AttributeNames.h"

#include <limits>
#include <map>

using namespace mlir;

namespace triton::analysis {

void LoopSchedule::append(Operation *op, unsigned stage) {
  order.push_back(op);
  stages[op] = stage;
  lastStage = std::max(lastStage, stage);
}

Operation *sourceInBody(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == loop.getBody()) {
    if (argument == loop.getInductionVar())
      return nullptr;
    value = loop.getTiedLoopYieldedValue(argument)->get();
  }
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == loop.getBody() ? op : nullptr;
}

void forEachOperand(Operation *op, llvm::function_ref<void(OpOperand &)> handle) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      handle(operand);
  });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<int64_t> getIntegerAttribute(Operation *op, llvm::StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? std::optional(attribute.getInt()) : std::nullopt;
}

void setIntegerAttribute(Operation *op, llvm::StringRef name, int64_t value) {
  op->setAttr(name, IntegerAttr::get(IntegerType::get(op->getContext(), 32), value));
}

int64_t getStages(scf::ForOp loop, int64_t numStages) {
  return getIntegerAttribute(loop, tt::loopStagesAttribute).value_or(numStages);
}

std::optional<int64_t> countIterations(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  if (!count || count->ugt(uint64_t(std::numeric_limits<int64_t>::max())))
    return std::nullopt;
  return std::max<int64_t>(1, int64_t(count->getZExtValue()));
}

int64_t limitToIterations(scf::ForOp loop, int64_t slots) {
  return std::min(slots, countIterations(loop).value_or(slots));
}

void setPlace(Operation *op, unsigned stage, int64_t cluster) {
  setIntegerAttribute(op, stageAttribute, stage);
  setIntegerAttribute(op, clusterAttribute, cluster);
}

void copyPlace(Operation *op, Operation *other) {
  for (llvm::StringRef name : {stageAttribute, clusterAttribute})
    if (Attribute attribute = other->getAttr(name))
      op->setAttr(name, attribute);
}

FailureOr<LoopSchedule> readSchedule(scf::ForOp loop) {
  std::map<int64_t, SmallVector<Operation *>> clusters;
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<int64_t> stage = getIntegerAttribute(&op, stageAttribute),
                           cluster = getIntegerAttribute(&op, clusterAttribute);
    if (!stage || !cluster || *stage < 0)
      return op.emitError() << "needs `" << stageAttribute << "` and `" << clusterAttribute << "`, since its loop has `"
                            << lastStageAttribute << "`";
    clusters[*cluster].push_back(&op);
  }
  LoopSchedule schedule;
  for (const auto &[cluster, operations] : clusters)
    for (Operation *op : operations)
      schedule.append(op, unsigned(*getIntegerAttribute(op, stageAttribute)));
  std::optional<int64_t> last = getIntegerAttribute(loop, lastStageAttribute);
  if (last != int64_t(schedule.lastStage))
    return loop.emitError() << "has the last stage " << schedule.lastStage << ", not " << last.value_or(0);
  return schedule;
}

void eraseSchedule(scf::ForOp loop) {
  loop->removeAttr(lastStageAttribute);
  for (Operation &op : loop.getBody()->without_terminator())
    for (llvm::StringRef name : {stageAttribute, clusterAttribute, latencyAttribute})
      op.removeAttr(name);
}

//===----------------------------------------------------------------------===//
// Values that are passed on
//===----------------------------------------------------------------------===//

void nameForwardedValues(scf::ForOp loop) {
  Operation *terminator = loop.getBody()->getTerminator();
  OpBuilder builder(terminator);
  SmallVector<std::pair<BlockArgument, Operation *>> forwarded;
  int64_t last = getIntegerAttribute(loop, lastStageAttribute).value_or(0);
  for (OpOperand &operand : terminator->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    if (source && source->getBlock() == loop.getBody())
      continue;
    auto name = UnrealizedConversionCastOp::create(builder, loop.getLoc(), operand.get().getType(), operand.get());
    setPlace(name, unsigned(last), 0);
    operand.set(name.getResult(0));
    forwarded.push_back({loop.getRegionIterArg(operand.getOperandNumber()), name});
  }
  // A value may be passed on several times before it is used.
  bool changes = !forwarded.empty();
  while (changes) {
    changes = false;
    for (auto [argument, name] : forwarded)
      for (Operation *user : argument.getUsers()) {
        Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
        int64_t stage = getIntegerAttribute(inBody, stageAttribute).value_or(last);
        if (stage < *getIntegerAttribute(name, stageAttribute)) {
          setIntegerAttribute(name, stageAttribute, stage);
          changes = true;
        }
      }
  }
}

void eraseForwardedNames(Operation *root) {
  root->walk([](UnrealizedConversionCastOp name) {
    if (name.getInputs().getTypes() == name.getResultTypes()) {
      name.replaceAllUsesWith(name.getInputs());
      name.erase();
    }
  });
}

//===----------------------------------------------------------------------===//
// What can be expanded
//===----------------------------------------------------------------------===//

bool mayRunAhead(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) // for an iteration that does not exist, the other branch is taken
    return llvm::all_of(branch.getElseRegion().getOps(), [](Operation &inner) {
      return inner.hasTrait<OpTrait::IsTerminator>() || (isMemoryEffectFree(&inner) && isSpeculatable(&inner));
    });
  return (isMemoryEffectFree(op) && isSpeculatable(op)) || isa<ttg::PredicableOpInterface>(op);
}

namespace {

class ScheduleVerifier {
public:
  ScheduleVerifier(scf::ForOp loop, const LoopSchedule &schedule, const llvm::DenseSet<Operation *> &rings)
      : loop(loop), schedule(schedule), rings(rings) {
    for (auto [position, op] : llvm::enumerate(schedule.order))
      positions[op] = position;
  }

  LogicalResult verify() {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!positions.contains(&op))
        return op.emitError() << "has no stage in the schedule of its loop";
    for (Operation *op : schedule.order)
      if (failed(verifyOperation(op)))
        return failure();
    return verifyMemoryOrder();
  }

private:
  LogicalResult verifyOperation(Operation *op) {
    bool isInOrder = true;
    forEachOperand(op, [&](OpOperand &operand) {
      if (Operation *source = sourceInBody(loop, operand.get()))
        isInOrder &= runsBefore(source, op, isa<BlockArgument>(operand.get()) ? 1 : 0);
    });
    if (!isInOrder)
      return op->emitError() << "is scheduled before an operand of it is computed";
    return success();
  }

  /// Whether `first` runs before `second`, which runs for the iteration that is `distance` later.
  bool runsBefore(Operation *first, Operation *second, unsigned distance) {
    return std::pair(schedule.stages.at(first), positions.at(first)) <
           std::pair(schedule.stages.at(second) + distance, positions.at(second));
  }

  /// Accesses of the same memory, one of which writes, keep their order.
  LogicalResult verifyMemoryOrder() {
    SmallVector<Operation *> accesses;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isMemoryEffectFree(&op) && !rings.contains(&op))
        accesses.push_back(&op);
    for (auto [index, first] : llvm::enumerate(accesses))
      for (Operation *second : llvm::ArrayRef(accesses).drop_front(index + 1)) {
        if (runsBefore(first, second, 0) && runsBefore(second, first, 1))
          continue;
        if (!mustKeepOrder(first, second))
          continue;
        InFlightDiagnostic error = second->emitError() << "is scheduled so that it changes places with an access of "
                                                          "what may be the same memory";
        error.attachNote(first->getLoc()) << "the other access";
        return error;
      }
    return success();
  }

  scf::ForOp loop;
  const LoopSchedule &schedule;
  const llvm::DenseSet<Operation *> &rings;
  llvm::DenseMap<Operation *, std::size_t> positions;
};

} // namespace

LogicalResult verifySchedule(scf::ForOp loop, const LoopSchedule &schedule, const llvm::DenseSet<Operation *> &rings) {
  return ScheduleVerifier(loop, schedule, rings).verify();
}

} // namespace triton::analysis
