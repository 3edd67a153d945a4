// Buffers in shared memory. A view is the address of its first element, and its type says how the elements are
// arranged.
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/BufferViews.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/TensorMemoryPlaces.h"
#include "gpu/lowering/DotOperands.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/SharedOffsets.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

LinearLayout bufferOffsets(Emitter &emitter, RankedTensorType tensor, ttg::MemDescType buffer) {
  // element -> offset, after (register, lane, warp) -> element.
  return emitter.layoutOf(tensor).compose(ttg::getElementOffsets(buffer));
}

Value addressOfFirst(Emitter &emitter, TypedValue<ttg::MemDescType> view) {
  int64_t bytes = view.getType().getElementTypeBitWidth() / 8;
  return emitter.offsetPointer(emitter.scalar(view), ttg::findCutStart(view) * bytes);
}

static void storeTo(Emitter &emitter, Value tensor, Value address, ttg::MemDescType buffer) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Registers registers(emitter.registers(tensor));
  emitInRepresentativeWarps(emitter, emitter.layoutOf(type), [&] {
    emitSharedStore(emitter, address, bufferOffsets(emitter, type, buffer), registers, ttg::getPaddings(buffer));
  });
}

static LogicalResult lowerLocalAlloc(ttg::LocalAllocOp op, Emitter &emitter) {
  Value address = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
  emitter.define(op.getResult(), {address});
  if (op.getSrc())
    storeTo(emitter, op.getSrc(), address, op.getType());
  return success();
}

static LogicalResult lowerLocalDealloc(ttg::LocalDeallocOp, Emitter &) { return success(); }

static LogicalResult lowerLocalStore(ttg::LocalStoreOp op, Emitter &emitter) {
  storeTo(emitter, op.getSrc(), emitter.scalar(op.getDst()), op.getDst().getType());
  return success();
}

/// As many registers again, whose offsets are those of the first combined with `start`.
static LinearLayout withRegistersAt(const LinearLayout &offsets, int32_t start) {
  SmallVector<layout::Input> inputs(offsets.inputs());
  for (layout::Input &input : inputs)
    if (input.name == "register")
      input.bases.push_back({start});
  return LinearLayout(inputs, offsets.outputs());
}

static LogicalResult lowerLocalLoad(ttg::LocalLoadOp op, Emitter &emitter) {
  if (isReadByProduct(op))
    return success();
  auto type = cast<RankedTensorType>(op.getType());
  LinearLayout offsets = bufferOffsets(emitter, type, op.getSrc().getType());
  int64_t start = ttg::findCutStart(op.getSrc());
  if (start != 0)
    offsets = withRegistersAt(offsets, int32_t(start));
  Registers loaded = emitSharedLoad(emitter, emitter.scalar(op.getSrc()), offsets, emitter.convertElement(type),
                                    ttg::getPaddings(op.getSrc().getType()));
  if (start != 0)
    loaded.erase(loaded.begin(), loaded.begin() + std::ptrdiff_t(loaded.size() / 2)); // LLVM drops what loads them.
  emitter.define(op.getResult(), loaded);
  return success();
}

static LogicalResult lowerMemDescIndex(ttg::MemDescIndexOp op, Emitter &emitter) {
  if (ttg::isInTensorMemory(op.getType())) {
    Value columns = emitter.i32(ttg::countMatrixColumns(op.getType()));
    Value offset = LLVM::MulOp::create(emitter.b, emitter.scalar(op.getIndex()), columns);
    emitter.define(op.getResult(), {emitter.add(emitter.scalar(op.getSrc()), offset)});
    return success();
  }
  auto bytes = int64_t(analysis::getBufferBytes(op.getType()));
  Value offset = LLVM::MulOp::create(emitter.b, emitter.scalar(op.getIndex()), emitter.i32(bytes));
  emitter.define(op.getResult(), {emitter.offsetPointer(emitter.scalar(op.getSrc()), offset)});
  return success();
}

static LogicalResult lowerAdvanceSlot(ttg::AdvanceSlotOp op, Emitter &emitter) {
  Value next = LLVM::AddOp::create(emitter.b, emitter.scalar(op.getSlot()), emitter.i32(1));
  Value wraps = emitter.equal(next, emitter.i32(op.getSlots()));
  emitter.define(op.getNext(), {emitter.select(wraps, emitter.i32(0), next)});
  return success();
}

static LogicalResult lowerMemDescTrans(ttg::MemDescTransOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.scalar(op.getSrc())});
  return success();
}

/// Whether a product of `left` and `right` reads `view` by a descriptor, which says where in a row of the pattern an
/// operand starts, but in no other row than the first. Rows lie along K.
static bool isReadByDescriptor(Value view, Value left, Value right) {
  auto encoding = dyn_cast<ttg::NvmmaSharedEncodingAttr>(cast<ttg::MemDescType>(view.getType()).getEncoding());
  if (!encoding || encoding.getSwizzlingByteWidth() == 0 || (view != left && view != right))
    return false;
  constexpr int64_t rows = 8, granularity = 16;
  int64_t start = ttg::findCutStart(view) * encoding.getElementBitWidth() / 8;
  unsigned fastest = encoding.getTransposed() ? 0 : 1;
  bool liesAlongDepth = (view != left || fastest == 1) && (view != right || fastest == 0);
  return liesAlongDepth && start % granularity == 0 && start / encoding.getSwizzlingByteWidth() % rows == 0;
}

/// Whether `user` is a product whose unit knows where `view` starts.
static bool isReadByUnit(Operation *user, Value view) {
  if (auto product = dyn_cast<ttg::WarpGroupDotOp>(user))
    return isReadByDescriptor(view, product.getA(), product.getB()) &&
           !(view == product.getA() && product.takesLeftFromThreads());
  if (auto product = dyn_cast<ttg::foreign::TCGen5MMAOp>(user))
    return isReadByDescriptor(view, product.getA(), product.getB());
  auto scaled = dyn_cast<ttg::foreign::TCGen5MMAScaledOp>(user);
  return scaled && isReadByDescriptor(view, scaled.getA(), scaled.getB());
}

/// Whether `view` and views of it are only used by what knows where they start.
static bool isReadFromStart(Value view) {
  return llvm::all_of(view.getUsers(), [&](Operation *user) {
    return isReadByUnit(user, view) || isa<ttg::LocalLoadOp, ttg::LocalDeallocOp, ttg::WarpGroupDotWaitOp>(user) ||
           (isa<ttg::MemDescSubsliceOp, ttg::MemDescTransOp>(user) && isReadFromStart(user->getResult(0)));
  });
}

static LogicalResult lowerMemDescSubslice(ttg::MemDescSubsliceOp op, Emitter &emitter) {
  if (ttg::cutsPattern(op)) {
    if (!isReadFromStart(op.getResult()))
      return op.emitError()
             << "not supported on " << emitter.machine().name
             << ": a part that cuts the pattern by which the elements of " << op.getSrc().getType()
             << " are swizzled; such a part takes nothing but `load`, and products along its rows, in the function "
                "that makes it";
    emitter.define(op.getResult(), {emitter.scalar(op.getSrc())});
    return success();
  }
  int64_t bytes = ttg::addPaddings(op.getStart(), ttg::getPaddings(op.getType())) *
                  memoryBytes(emitter.convertElement(op.getType().getElementType()));
  emitter.define(op.getResult(), {emitter.offsetPointer(emitter.scalar(op.getSrc()), int32_t(bytes))});
  return success();
}

static LogicalResult lowerMemDescReshape(ttg::MemDescReshapeOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.scalar(op.getSrc())});
  return success();
}

static LogicalResult lowerMemDescReinterpret(ttg::MemDescReinterpretOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.scalar(op.getSrc())});
  return success();
}

void addSharedLowerings(LoweringTable &table) {
  table.add<ttg::LocalAllocOp, lowerLocalAlloc>();
  table.add<ttg::LocalDeallocOp, lowerLocalDealloc>();
  table.add<ttg::LocalStoreOp, lowerLocalStore>();
  table.add<ttg::LocalLoadOp, lowerLocalLoad>();
  table.add<ttg::MemDescIndexOp, lowerMemDescIndex>();
  table.add<ttg::AdvanceSlotOp, lowerAdvanceSlot>();
  table.add<ttg::MemDescTransOp, lowerMemDescTrans>();
  table.add<ttg::MemDescSubsliceOp, lowerMemDescSubslice>();
  table.add<ttg::MemDescReshapeOp, lowerMemDescReshape>();
  table.add<ttg::MemDescReinterpretOp, lowerMemDescReinterpret>();
}

} // namespace triton::gpu
