// Operations that only Triton makes become those that the other passes know, see Passes.td.
#include "gpu/Passes.h"
#include "gpu/copies/DescriptorMaps.h"
#include "gpu/copies/TensorMaps.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/products/WidenElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUEXPANDFOREIGN
#include "gpu/Passes.h.inc"

namespace {

//===----------------------------------------------------------------------===//
// Accesses by a base and offsets
//===----------------------------------------------------------------------===//

/// `offsets` behind `base`, each in the layout of its offset.
Value createPointers(OpBuilder &builder, Location location, Value base, Value offsets) {
  Type type = tt::withElementType(offsets.getType(), base.getType());
  Value bases = tt::SplatOp::create(builder, location, type, base);
  return tt::AddPtrOp::create(builder, location, type, bases, offsets);
}

LogicalResult expandLoad(BufferLoadOp op) {
  OpBuilder builder(op);
  Value pointers = createPointers(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  auto load =
      tt::LoadOp::create(builder, op.getLoc(), pointers, op.getMask(), op.getOther(), op.getCache(), op.getEvict());
  op.replaceAllUsesWith(load.getResult());
  op.erase();
  return success();
}

LogicalResult expandStore(BufferStoreOp op) {
  OpBuilder builder(op);
  Value pointers = createPointers(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  tt::StoreOp::create(builder, op.getLoc(), pointers, op.getValue(), op.getMask(), op.getCache(), op.getEvict());
  op.erase();
  return success();
}

LogicalResult expandAtomic(BufferAtomicRMWOp op) {
  OpBuilder builder(op);
  Value pointers = createPointers(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  auto atomic = tt::AtomicRMWOp::create(builder, op.getLoc(), op.getType(), op.getAtomicRmwOp(), pointers,
                                        op.getValue(), op.getMask(), op.getSem(), op.getScope());
  op.replaceAllUsesWith(atomic.getResult());
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

template <typename Widening> LogicalResult expandWidening(Widening op) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(createWidened(builder, op));
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers and waits
//===----------------------------------------------------------------------===//

/// Buffers that a wait for products keeps are used by their own names.
bool bypassWait(WarpGroupDotWaitOp op) {
  bool changes = false;
  for (auto [input, output] : llvm::zip_equal(op.getInputs(), op.getOutputs()))
    if (isa<MemDescType>(input.getType()) && !output.use_empty()) {
      output.replaceAllUsesWith(input);
      changes = true;
    }
  return changes;
}

/// All threads of the program wait for each other, although no accesses of buffers need it.
void meet(OpBuilder &builder, Location location) {
  BarrierOp::create(builder, location, /*allWarps=*/false, /*stays=*/true);
}

/// A builder at `op`, or in a branch before it where `condition`, which may be null, is true.
OpBuilder builderWhere(Value condition, Operation *op) {
  OpBuilder builder(op);
  if (!condition)
    return builder;
  auto branch = scf::IfOp::create(builder, op->getLoc(), condition, /*withElseRegion=*/false);
  return OpBuilder::atBlockBegin(branch.thenBlock());
}

LogicalResult expandInit(foreign::InitBarrierOp op) {
  OpBuilder builder(op);
  InitBarrierOp::create(builder, op.getLoc(), op.getBarrier(), op.getCount(), /*manual=*/true);
  meet(builder, op.getLoc());
  op.erase();
  return success();
}

LogicalResult expandInvalidation(foreign::InvalBarrierOp op) {
  OpBuilder builder(op);
  meet(builder, op.getLoc());
  InvalidateBarrierOp::create(builder, op.getLoc(), op.getBarrier());
  op.erase();
  return success();
}

LogicalResult expandExpectation(foreign::BarrierExpectOp op) {
  OpBuilder builder = builderWhere(op.getCondition(), op);
  ExpectBytesOp::create(builder, op.getLoc(), op.getBarrier(), op.getBytes(), /*byFirst=*/true, op.getFromCTAAttr());
  op.erase();
  return success();
}

LogicalResult expandWait(foreign::WaitBarrierOp op) {
  OpBuilder builder = builderWhere(op.getCondition(), op);
  WaitBarrierOp::create(builder, op.getLoc(), op.getBarrier(), op.getParity());
  builder.setInsertionPoint(op);
  for (Value buffer : op.getKept())
    if (!isInTensorMemory(buffer.getType()))
      LocalDeallocOp::create(builder, op.getLoc(), buffer);
  op.erase();
  return success();
}

/// One thread arrives for all that have met.
LogicalResult expandArrival(foreign::ArriveBarrierOp op) {
  OpBuilder builder(op);
  meet(builder, op.getLoc());
  ArriveBarrierOp::create(builder, op.getLoc(), op.getBarrier(), op.getCondition(), ValueRange(),
                          /*allBlocks=*/false, builder.getI32IntegerAttr(int32_t(op.getCount())), op.getFromCTAAttr());
  op.erase();
  return success();
}

LogicalResult expandArrivalOfCopies(foreign::AsyncCopyMbarrierArriveOp op) {
  OpBuilder builder(op);
  ArriveAfterCopiesOp::create(builder, op.getLoc(), op.getBarrier(), op.getNoIncrement());
  op.erase();
  return success();
}

/// Reports an operation that only newer GPUs have for a module whose target is another one.
std::optional<LogicalResult> refuseBlackwell(Operation *op) {
  auto target = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(targetAttribute);
  llvm::StringRef name = target ? target.getValue() : "";
  unsigned capability = 0;
  bool hasUnit =
      name.consume_front("cuda:") && !name.getAsInteger(10, capability) && capability >= 100 && capability < 120;
  if (hasUnit)
    return std::nullopt;
  return LogicalResult(
      op->emitError() << "not supported on " << (target ? target.getValue() : "any GPU") << ": `" << op->getName()
                      << "`, which compute capabilities 10.0 to 11.0 alone have; `ttg.warp_group_dot` multiplies on "
                         "cuda:90");
}

//===----------------------------------------------------------------------===//
// Copies through tensor maps
//===----------------------------------------------------------------------===//

/// Launches make the maps of the functions of a module, in place of the kernels.
class MapsOfLaunch {
public:
  LogicalResult expandLoad(foreign::AsyncTMACopyGlobalToLocalOp op) { return expandLoad(op, op.getIndices(), Value()); }

  LogicalResult expandGather(foreign::AsyncTMAGatherOp op) { return expandLoad(op, op.getColumn(), op.getRows()); }

  template <typename Load> LogicalResult expandLoad(Load op, ValueRange indices, Value rows) {
    tt::MakeTensorDescOp descriptor = findDescriptor(op, op.getDescriptor());
    Value map = descriptor ? findMap(op, descriptor, op.getDst().getType()) : Value();
    if (!map)
      return failure();
    OpBuilder builder = builderWhere(op.getCondition(), op);
    AsyncMappedLoadOp::create(builder, op.getLoc(), map, indices, op.getDst(), op.getBarrier(),
                              /*allBlocks=*/false, /*byFirst=*/true, rows,
                              op.getMulticast() ? builder.getI32IntegerAttr(0) : IntegerAttr());
    op.erase();
    return success();
  }

  LogicalResult expandStore(foreign::AsyncTMACopyLocalToGlobalOp op) {
    return expandStore(op, op.getIndices(), Value());
  }

  LogicalResult expandScatter(foreign::AsyncTMAScatterOp op) { return expandStore(op, op.getColumn(), op.getRows()); }

  template <typename Store> LogicalResult expandStore(Store op, ValueRange indices, Value rows) {
    tt::MakeTensorDescOp descriptor = findDescriptor(op, op.getDescriptor());
    Value map = descriptor ? findMap(op, descriptor, op.getSrc().getType()) : Value();
    if (!map)
      return failure();
    OpBuilder builder(op);
    AsyncMappedStoreOp::create(builder, op.getLoc(), map, indices, op.getSrc(), descriptor.getBase(),
                               descriptor.getShape(), descriptor.getStrides(), tt::DescriptorReduceKindAttr(), rows);
    op.erase();
    return success();
  }

  /// Removes what no copy needs any more: the kernel writes no maps.
  void finish(Operation *module) {
    for (auto [descriptor, made] : descriptors)
      made.erase();
    SmallVector<tt::MakeTensorDescOp> unused;
    module->walk([&](tt::MakeTensorDescOp descriptor) {
      if (descriptor->use_empty())
        unused.push_back(descriptor);
    });
    for (tt::MakeTensorDescOp descriptor : unused)
      descriptor.erase();
    SmallVector<foreign::GlobalScratchAllocOp> memories;
    module->walk([&](foreign::GlobalScratchAllocOp memory) { memories.push_back(memory); });
    for (foreign::GlobalScratchAllocOp memory : memories) {
      SmallVector<Operation *> users(memory->getUsers());
      if (!llvm::all_of(users, [](Operation *user) {
            return isa<foreign::TensormapCreateOp, foreign::TensormapFenceproxyAcquireOp,
                       foreign::ReinterpretTensorDescOp>(user) &&
                   user->use_empty();
          }))
        continue;
      for (Operation *user : users)
        user->erase();
      memory.erase();
    }
  }

private:
  /// What writes the map behind `descriptor`; null where that is not a single operation.
  static foreign::TensormapCreateOp findCreation(foreign::ReinterpretTensorDescOp descriptor) {
    foreign::TensormapCreateOp found;
    for (Operation *user : descriptor.getMap().getUsers())
      if (auto create = dyn_cast<foreign::TensormapCreateOp>(user)) {
        if (found)
          return {};
        found = create;
      } else if (!isa<foreign::ReinterpretTensorDescOp, foreign::TensormapFenceproxyAcquireOp>(user)) {
        return {};
      }
    return found;
  }

  /// The array that `descriptor` describes, with the slowest dimension first and strides in elements.
  tt::MakeTensorDescOp findDescriptor(Operation *copy, Value descriptor) {
    if (auto made = descriptor.getDefiningOp<tt::MakeTensorDescOp>())
      return made;
    auto cast = descriptor.getDefiningOp<foreign::ReinterpretTensorDescOp>();
    foreign::TensormapCreateOp create = cast ? findCreation(cast) : foreign::TensormapCreateOp();
    if (!create || create.getStrides().size() + 1 != create.getShape().size()) {
      copy->emitError() << "not supported on any GPU: copies through a descriptor that is not made by one "
                           "`ttng.tensormap_create` in this function";
      return {};
    }
    if (create.getFillMode() != 0 || create.getInterleaveLayout() != 0 ||
        !llvm::all_of(create.getElementStrides(), [](Value stride) { return matchPattern(stride, m_One()); })) {
      copy->emitError() << "not supported on any GPU: copies through a tensor map that fills with NaN, interleaves or "
                           "leaves elements out";
      return {};
    }
    tt::MakeTensorDescOp &made = descriptors[cast];
    if (made)
      return made;
    OpBuilder builder(create);
    Location location = create.getLoc();
    auto block = mlir::cast<tt::TensorDescType>(cast.getType()).getBlockType();
    auto plain = RankedTensorType::get(block.getShape(), block.getElementType());
    Value bytes = arith::ConstantIntOp::create(builder, location, plain.getElementTypeBitWidth() / 8, 64);
    SmallVector<Value> shape(llvm::reverse(create.getShape())), strides;
    for (Value stride : llvm::reverse(create.getStrides()))
      strides.push_back(arith::DivSIOp::create(builder, location, stride, bytes));
    strides.push_back(arith::ConstantIntOp::create(builder, location, 1, 64));
    made = tt::MakeTensorDescOp::create(builder, location, tt::TensorDescType::get(plain), create.getBase(), shape,
                                        strides, tt::PaddingOption::Zero, /*roundToTF32=*/false);
    return made;
  }

  /// Whether a buffer has the shape of a block, perhaps without dimensions of extent 1 before it; `ofRows`: of many
  /// blocks of one row.
  static bool holdsBlock(MemDescType buffer, llvm::ArrayRef<int64_t> block, bool ofRows) {
    llvm::ArrayRef<int64_t> shape = buffer.getShape();
    if (block.size() < shape.size())
      return false;
    if (ofRows)
      return block.size() == 2 && shape.size() == 2 && block[0] == 1 && block[1] == shape[1];
    return block.take_back(shape.size()) == shape &&
           llvm::all_of(block.drop_back(shape.size()), [](int64_t extent) { return extent == 1; });
  }

  Value findMap(Operation *copy, tt::MakeTensorDescOp descriptor, MemDescType buffer) {
    auto encoding = dyn_cast<NvmmaSharedEncodingAttr>(buffer.getEncoding());
    auto block = mlir::cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType();
    bool ofRows = isa<foreign::AsyncTMAGatherOp, foreign::AsyncTMAScatterOp>(copy);
    if (!encoding || encoding.getTransposed() || !holdsBlock(buffer, block.getShape(), ofRows)) {
      copy->emitError() << "not supported on any GPU: a copy through a tensor map between " << descriptor.getType()
                        << " and " << buffer << "; buffers have the shape of a block, and `#ttg.nvmma_shared`";
      return {};
    }
    llvm::StringRef obstacle;
    std::optional<DescriptorMap> map = describeMap(descriptor, MapAlignment::Promised, obstacle);
    if (!map) {
      copy->emitError() << "not supported on any GPU: a copy through a tensor map that the launch would have to make, "
                           "but "
                        << obstacle;
      return {};
    }
    auto function = copy->getParentOfType<tt::FuncOp>();
    NamedAttrList description(map->map);
    if (descriptor.getPadding() == tt::PaddingOption::NaN)
      description.set("nan", UnitAttr::get(copy->getContext()));
    return maps.try_emplace(function, function)
        .first->second.get(description.getDictionary(copy->getContext()),
                           block.clone(encoding.getBox(block.getShape())), encoding, descriptor.getLoc());
  }

  llvm::MapVector<foreign::ReinterpretTensorDescOp, tt::MakeTensorDescOp> descriptors;
  llvm::DenseMap<tt::FuncOp, TensorMaps> maps;
};

/// A kernel's argument that is a descriptor becomes the address of its array. The extents and the strides follow it.
LogicalResult expandDescriptorArgument(tt::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  auto type = cast<tt::TensorDescType>(argument.getType());
  auto rank = unsigned(type.getBlockType().getRank());
  auto parts = function.getArguments().drop_front(index + 1);
  auto haveType = [](auto values, unsigned width) {
    return llvm::all_of(values, [&](Value value) { return value.getType().isInteger(width); });
  };
  if (parts.size() < 2 * rank || !haveType(parts.take_front(rank), 32) || !haveType(parts.slice(rank, rank), 64))
    return function.emitError() << "not supported on any GPU: argument " << index << ", a tensor descriptor, must be "
                                << "followed by " << rank << " extents, i32, and " << rank << " strides, i64";
  auto pointer = tt::PointerType::get(type.getSignlessBlockType().getElementType(), /*addressSpace=*/1);
  argument.setType(pointer);
  SmallVector<Type> types(function.getArgumentTypes());
  types[index] = pointer;
  function.setFunctionType(FunctionType::get(function.getContext(), types, function.getResultTypes()));
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  SmallVector<Value> shape(parts.take_front(rank)), strides(parts.slice(rank, rank - 1));
  strides.push_back(arith::ConstantIntOp::create(builder, function.getLoc(), 1, 64));
  auto made = tt::MakeTensorDescOp::create(builder, function.getLoc(), type, argument, shape, strides,
                                           tt::PaddingOption::Zero, /*roundToTF32=*/false);
  argument.replaceAllUsesExcept(made, made);
  return success();
}

/// False where an argument cannot be what it should be. `changes` is set where there is one.
bool expandDescriptorArguments(ModuleOp module, bool &changes) {
  for (auto function : module.getOps<tt::FuncOp>())
    for (unsigned index = 0; function.isPublic() && index < function.getNumArguments(); ++index)
      if (isa<tt::TensorDescType>(function.getArgumentTypes()[index]) &&
          !function.getArgAttr(index, tensorMapAttribute)) {
        changes = true;
        if (failed(expandDescriptorArgument(function, index)))
          return false;
      }
  return true;
}

/// Quotients that are rounded up or down become those that processors have. Triton makes them of nested loops.
void expandDivisions(Operation *module) {
  RewritePatternSet patterns(module->getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  walkAndApplyPatterns(module, std::move(patterns));
}

bool isRoundedDivision(Operation *op) { return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op); }

struct TritonGPUExpandForeign : impl::TritonGPUExpandForeignBase<TritonGPUExpandForeign> {
  void runOnOperation() override {
    MapsOfLaunch maps;
    bool changes = false, divides = false;
    if (!expandDescriptorArguments(getOperation(), changes))
      return signalPassFailure();
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      std::optional<LogicalResult> result =
          llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
              .Case([](BufferLoadOp load) { return expandLoad(load); })
              .Case([](BufferStoreOp store) { return expandStore(store); })
              .Case([](BufferAtomicRMWOp atomic) { return expandAtomic(atomic); })
              .Case([](Fp4ToFpOp widening) { return expandWidening(widening); })
              .Case([](Fp8ToFpOp widening) { return expandWidening(widening); })
              .Case([](foreign::InitBarrierOp init) { return expandInit(init); })
              .Case([](foreign::InvalBarrierOp invalidation) { return expandInvalidation(invalidation); })
              .Case([](foreign::BarrierExpectOp expectation) { return expandExpectation(expectation); })
              .Case([](foreign::WaitBarrierOp wait) { return expandWait(wait); })
              .Case([&](foreign::AsyncTMACopyGlobalToLocalOp load) { return maps.expandLoad(load); })
              .Case([&](foreign::AsyncTMACopyLocalToGlobalOp store) { return maps.expandStore(store); })
              .Case([&](foreign::AsyncTMAGatherOp gather) { return maps.expandGather(gather); })
              .Case([&](foreign::AsyncTMAScatterOp scatter) { return maps.expandScatter(scatter); })
              .Case([](foreign::ArriveBarrierOp arrival) { return expandArrival(arrival); })
              .Case([](foreign::AsyncCopyMbarrierArriveOp arrival) { return expandArrivalOfCopies(arrival); })
              .Default([](Operation *other) -> std::optional<LogicalResult> {
                if (other->hasTrait<foreign::OfBlackwell>())
                  return refuseBlackwell(other);
                return std::nullopt;
              });
      if (result) { // The operation is gone.
        changes = true;
        return failed(*result) ? WalkResult::interrupt() : WalkResult::advance();
      }
      if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op))
        changes |= bypassWait(wait);
      else
        divides |= isRoundedDivision(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    maps.finish(getOperation());
    if (divides)
      expandDivisions(getOperation());
    if (!changes && !divides)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace triton::ttg
