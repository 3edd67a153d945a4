// Tensor memory, the memory of a matrix unit. A buffer there is the address of its first element, an i32 with the
// number of the lane in the upper half and that of the column in the lower one.
#include "base/UserErrors.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/TensorMemoryPlaces.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

static void defineTokens(Operation *op, Emitter &emitter) {
  for (Value result : op->getResults())
    if (isa<ttg::AsyncTokenType>(result.getType()))
      emitter.define(result, {});
}

template <typename Op> static LogicalResult lowerByTensorMemory(Op op, Emitter &emitter) {
  const TensorMemoryEmitter *memory = emitter.target().bufferProducts().inTensorMemory;
  if (!memory)
    return op->emitError() << "not supported on " << emitter.machine().name << ": `" << op->getName()
                           << "`, which compute capabilities 10.0 to 11.0 alone have; `ttg.warp_group_dot` multiplies "
                              "on cuda:90";
  defineTokens(op, emitter);
  return memory->lower(op, emitter);
}

static LogicalResult lowerPlace(ttg::foreign::TMEMPlaceOp op, Emitter &emitter) {
  defineTokens(op, emitter);
  emitter.define(op.getResult(), {emitter.add(emitter.scalar(op.getAddress()), emitter.i32(op.getColumn()))});
  return success();
}

static LogicalResult lowerSubSlice(ttg::foreign::TMEMSubSliceOp op, Emitter &emitter) {
  unsigned dimension = op.getDim() ? unsigned(*op.getDim()) : 1;
  ttg::MemDescType source = op.getSrc().getType();
  auto placeOf = [&, places = ttg::getTensorMemoryPlaces(source)](int64_t element) {
    layout::Point place = places.apply({{"dim" + std::to_string(dimension), int32_t(element)}});
    return std::pair(place[0].second, place[1].second);
  };
  auto [lane, byte] = placeOf(op.getOffset());
  int32_t address = lane << 16 | byte / int32_t(ttg::columnBytes);
  int64_t length = op.getType().getShape()[dimension]; // Another part begins there, or the buffer ends.
  int32_t end = length < source.getAllocShape()[dimension] ? placeOf(length).second : 0;
  if (byte % int32_t(ttg::columnBytes) != 0 || end % int32_t(ttg::columnBytes) != 0)
    return op.emitError()
           << base::unsupportedPrefix << emitter.machine().name
           << ": a part that begins or ends inside of a column of tensor memory, which has 32 bits; take "
              "a longer one";
  if (lane != 0 && isa<ttg::foreign::TensorMemoryScalesEncodingAttr>(source.getEncoding()))
    return op.emitError() << base::unsupportedPrefix << emitter.machine().name
                          << ": a part of scales that begins inside of 32 rows; take a longer one";
  emitter.define(op.getResult(), {emitter.add(emitter.scalar(op.getSrc()), emitter.i32(address))});
  return success();
}

template <typename... Ops> static void addByTensorMemory(LoweringTable &table) {
  (table.add<Ops, lowerByTensorMemory<Ops>>(), ...);
}

void addTensorMemoryLowerings(LoweringTable &table) {
  using namespace ttg::foreign;
  table.add<TMEMPlaceOp, lowerPlace>();
  table.add<TMEMSubSliceOp, lowerSubSlice>();
  addByTensorMemory<TMEMReserveOp, TMEMReleaseOp, TMEMLoadOp, TMEMStoreOp, TMEMCopyOp, TCGen5MMAOp, TCGen5MMAScaledOp,
                    TCGen5CommitOp, CLCTryCancelOp, CLCLoadResultOp, CLCIsCanceledOp, CLCGetProgramIdOp>(table);
}

} // namespace triton::gpu
