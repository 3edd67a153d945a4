// Operations that make tensors or rename their registers: no data moves between threads.
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"

using namespace mlir;

namespace triton::gpu {

static LogicalResult lowerMakeRange(tt::MakeRangeOp op, Emitter &emitter) {
  Registers values = emitCoordinates(emitter, emitter.layoutOf(cast<RankedTensorType>(op.getType())), 0);
  for (Value &value : values)
    value = emitter.add(value, emitter.i32(op.getStart()));
  emitter.define(op.getResult(), std::move(values));
  return success();
}

static LogicalResult lowerSplat(tt::SplatOp op, Emitter &emitter) {
  emitter.define(op.getResult(), Registers(emitter.convertType(op.getType()).size(), emitter.scalar(op.getSrc())));
  return success();
}

static LogicalResult lowerUnsplat(tt::UnsplatOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.registers(op.getSrc()).front()});
  return success();
}

using CoordinateMap = llvm::function_ref<Coordinates(Coordinates)>;

/// Whether lanes and warps of `result` are where those of `source` are, when seen through `map`.
static bool threadsAgree(const LinearLayout &result, const LinearLayout &source, CoordinateMap map) {
  for (llvm::StringRef name : {"lane", "warp", "block"}) {
    const layout::Input *ours = result.findInput(name), *theirs = source.findInput(name);
    std::size_t bits = std::max(ours ? ours->bits() : 0, theirs ? theirs->bits() : 0);
    for (std::size_t bit = 0; bit < bits; ++bit) {
      Coordinates wanted =
          ours && bit < ours->bits() ? map(Coordinates(ours->bases[bit])) : Coordinates(source.outputs().size(), 0);
      Coordinates held =
          theirs && bit < theirs->bits() ? Coordinates(theirs->bases[bit]) : Coordinates(source.outputs().size(), 0);
      if (wanted != held)
        return false;
    }
  }
  return true;
}

/// The registers of a result of `type`. Its element at some coordinates is the element of `source` at `map` of these
/// coordinates, where `map` is linear. None when an element is in another thread.
static std::optional<Registers> renameRegisters(Emitter &emitter, RankedTensorType type, Value source,
                                                CoordinateMap map) {
  const LinearLayout &target = emitter.layoutOf(type);
  const LinearLayout &held = emitter.layoutOf(cast<RankedTensorType>(source.getType()));
  if (!threadsAgree(target, held, map))
    return std::nullopt;
  RegisterLookup lookup(held);
  llvm::ArrayRef<Value> registers = emitter.registers(source);
  Registers renamed;
  for (int32_t index = 0; index < target.inputSize("register"); ++index) {
    std::optional<unsigned> found = lookup.find(map(registerCoordinates(target, unsigned(index))));
    if (!found)
      return std::nullopt;
    renamed.push_back(registers[*found]);
  }
  return renamed;
}

/// Defines the only result by renaming registers; an error when the layouts do not allow it.
static LogicalResult lowerByRenaming(Operation *op, Emitter &emitter, CoordinateMap map) {
  Value result = op->getResult(0);
  std::optional<Registers> renamed =
      renameRegisters(emitter, cast<RankedTensorType>(result.getType()), op->getOperand(0), map);
  if (!renamed)
    return op->emitError() << "the layout of " << result.getType() << " does not follow from that of "
                           << op->getOperand(0).getType();
  emitter.define(result, std::move(*renamed));
  return success();
}

static LogicalResult lowerExpandDims(tt::ExpandDimsOp op, Emitter &emitter) {
  return lowerByRenaming(op, emitter, [&](Coordinates coordinates) {
    coordinates.erase(coordinates.begin() + op.getAxis());
    return coordinates;
  });
}

static LogicalResult lowerBroadcast(tt::BroadcastOp op, Emitter &emitter) {
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  return lowerByRenaming(op, emitter, [&](Coordinates coordinates) {
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, source.getShape()))
      if (extent == 1)
        coordinate = 0;
    return coordinates;
  });
}

static LogicalResult lowerTranspose(tt::TransOp op, Emitter &emitter) {
  return lowerByRenaming(op, emitter, [&](const Coordinates &coordinates) {
    Coordinates permuted(coordinates.size());
    for (auto [dimension, source] : llvm::enumerate(op.getOrder()))
      permuted[source] = coordinates[dimension];
    return permuted;
  });
}

static LogicalResult lowerReshape(tt::ReshapeOp op, Emitter &emitter) {
  auto type = cast<RankedTensorType>(op.getType()), source = cast<RankedTensorType>(op.getSrc().getType());
  auto map = [&](const Coordinates &coordinates) {
    int64_t position = 0; // row-major
    for (auto [coordinate, extent] : llvm::zip_equal(coordinates, type.getShape()))
      position = position * extent + coordinate;
    Coordinates result(source.getRank());
    for (std::size_t dimension = result.size(); dimension-- > 0;) {
      result[dimension] = int32_t(position % source.getDimSize(unsigned(dimension)));
      position /= source.getDimSize(unsigned(dimension));
    }
    return result;
  };
  if (!op.getAllowReorder())
    return lowerByRenaming(op, emitter, map);
  if (std::optional<Registers> renamed = renameRegisters(emitter, type, op.getSrc(), map)) {
    emitter.define(op.getResult(), std::move(*renamed));
    return success();
  }
  // Any order is correct, so each thread keeps its elements.
  llvm::ArrayRef<Value> registers = emitter.registers(op.getSrc());
  if (registers.size() != emitter.convertType(type).size())
    return op.emitError() << "the layout of " << type << " does not follow from that of " << source;
  emitter.define(op.getResult(), Registers(registers));
  return success();
}

static LogicalResult lowerJoin(tt::JoinOp op, Emitter &emitter) {
  auto dropLast = [](Coordinates coordinates) {
    coordinates.pop_back();
    return coordinates;
  };
  auto type = cast<RankedTensorType>(op.getType());
  std::optional<Registers> left = renameRegisters(emitter, type, op.getLhs(), dropLast),
                           right = renameRegisters(emitter, type, op.getRhs(), dropLast);
  if (!left || !right)
    return op.emitError() << "the layout of " << type << " does not follow from that of " << op.getLhs().getType();
  Registers joined;
  const LinearLayout &layout = emitter.layoutOf(type);
  for (std::size_t index = 0; index < left->size(); ++index)
    joined.push_back(registerCoordinates(layout, unsigned(index)).back() == 0 ? (*left)[index] : (*right)[index]);
  emitter.define(op.getResult(), std::move(joined));
  return success();
}

/// Defines `result`, whose element at some coordinates is that of `source` at `map` of them: an affine map, whose
/// constant part concerns registers alone. False where it does not.
static bool defineBySelection(Emitter &emitter, Value result, Value source, CoordinateMap map) {
  const LinearLayout &held = emitter.layoutOf(cast<RankedTensorType>(source.getType()));
  const LinearLayout &target = emitter.layoutOf(cast<RankedTensorType>(result.getType()));
  RegisterLookup lookup(held);
  Registers registers;
  for (int32_t index = 0; index < target.inputSize("register"); ++index) {
    std::optional<unsigned> found = lookup.find(map(registerCoordinates(target, unsigned(index))));
    if (!found)
      return false;
    registers.push_back(emitter.registers(source)[*found]);
  }
  emitter.define(result, std::move(registers));
  return true;
}

static LogicalResult lowerSplit(tt::SplitOp op, Emitter &emitter) {
  for (auto [half, result] : llvm::enumerate(op.getResults())) {
    auto addHalf = [&](Coordinates coordinates) {
      coordinates.push_back(int32_t(half));
      return coordinates;
    };
    if (!defineBySelection(emitter, result, op.getSrc(), addHalf))
      return op.emitError() << "the last dimension of " << op.getSrc().getType()
                            << " is not in the registers of a thread; convert its layout first";
  }
  return success();
}

static LogicalResult lowerTakeColumns(ttg::TakeColumnsOp op, Emitter &emitter) {
  auto shift = [&](Coordinates coordinates) {
    coordinates[1] += int32_t(op.getFirst());
    return coordinates;
  };
  if (!defineBySelection(emitter, op.getResult(), op.getSrc(), shift))
    return op.emitError() << "these columns of " << op.getSrc().getType()
                          << " are not those of some registers in all threads";
  return success();
}

void addShapeLowerings(LoweringTable &table) {
  table.add<tt::MakeRangeOp, lowerMakeRange>();
  table.add<tt::SplatOp, lowerSplat>();
  table.add<tt::UnsplatOp, lowerUnsplat>();
  table.add<tt::ExpandDimsOp, lowerExpandDims>();
  table.add<tt::BroadcastOp, lowerBroadcast>();
  table.add<tt::TransOp, lowerTranspose>();
  table.add<tt::ReshapeOp, lowerReshape>();
  table.add<tt::JoinOp, lowerJoin>();
  table.add<tt::SplitOp, lowerSplit>();
  table.add<ttg::TakeColumnsOp, lowerTakeColumns>();
}

} // namespace triton::gpu
