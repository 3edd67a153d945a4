// Reductions and scans whose combination cannot be applied to vectors, as it has control flow or reads memory: it is
// applied element by element.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::cpu {

/// Combines the elements along the axis one after another. Writes all that were combined so far to the places in
/// `partial`, which may be empty, and calls `finish` with the last, for each place outside of the axis.
template <typename OpType>
static void combineByScalars(Lowering &lowering, OpType op, bool isReversed, ArrayRef<Buffer> partial,
                             llvm::function_ref<void(const TileIndex &, ValueRange)> finish) {
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  SmallVector<Buffer> sources;
  for (Value source : op.getSrcs())
    sources.push_back(materialize(lowering, source));
  SmallVector<int64_t> shape(cast<RankedTensorType>(op.getSrcs()[0].getType()).getShape());
  int64_t axis = op.getAxis(), extent = shape[axis];
  shape[axis] = 1;
  auto read = [&](const TileIndex &index) {
    return llvm::map_to_vector(sources,
                               [&](const Buffer &source) { return readBuffer(lowering, loc, source, index).value; });
  };
  auto write = [&](const TileIndex &index, ValueRange values) {
    for (auto [buffer, value] : llvm::zip(partial, values))
      writeBuffer(lowering, loc, buffer, index, Lanes::uniform(value));
  };
  openNest(lowering);
  overElements(lowering, loc, shape, [&](const TileIndex &outer) {
    TileIndex index = outer;
    index.at[axis] = {Value(), isReversed ? extent - 1 : 0};
    SmallVector<Value> first = read(index);
    write(index, first);
    scf::ForOp loop = openLoop(lowering, loc, lanes.constantI64(loc, 1), lanes.constantI64(loc, extent), 1, first);
    index.at[axis] = coordinateOf(lowering, loop);
    if (isReversed)
      index.at[axis].base =
          arith::SubIOp::create(lowering.b, loc, lanes.constantI64(loc, extent - 1), loop.getInductionVar());
    auto arguments = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    llvm::append_range(arguments, read(index));
    SmallVector<Value> combined = lowerScalarRegion(lowering, op.getCombineOp(), arguments);
    write(index, combined);
    closeLoop(lowering, loop, combined);
    finish(outer, loop.getResults());
  });
  closeNest(lowering);
}

void reduceByScalars(Lowering &lowering, tt::ReduceOp op) {
  Location loc = op.getLoc();
  SmallVector<Buffer> results;
  for (Type type : op.getResultTypes())
    results.push_back(isa<RankedTensorType>(type) ? allocate(lowering, cast<RankedTensorType>(type)) : Buffer());
  combineByScalars(lowering, op, /*isReversed=*/false, /*partial=*/{}, [&](TileIndex index, ValueRange values) {
    index.at.erase(index.at.begin() + op.getAxis());
    for (auto [value, result, buffer] : llvm::zip(values, op.getResults(), results)) {
      if (isa<RankedTensorType>(result.getType()))
        writeBuffer(lowering, loc, buffer, index, Lanes::uniform(value));
      else
        lowering.scalars.map(result, value);
    }
  });
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    if (isa<RankedTensorType>(result.getType()))
      setBuffer(lowering, result, buffer);
}

void scanByScalars(Lowering &lowering, tt::ScanOp op) {
  SmallVector<Buffer> results;
  for (Type type : op.getResultTypes())
    results.push_back(allocate(lowering, cast<RankedTensorType>(type)));
  combineByScalars(lowering, op, op.getReverse(), results, [](const TileIndex &, ValueRange) {});
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    setBuffer(lowering, result, buffer);
}

} // namespace triton::cpu
