#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

namespace triton::simulator::amdgpu {

/// Whether a processor copies this many bytes a lane.
static bool canCopy(const Intrinsic &intrinsic, unsigned sizeIndex) {
  std::optional<int64_t> size = intrinsic.constant(sizeIndex);
  const Architecture &architecture = intrinsic.architecture;
  if (!size || !architecture.copiesToLds())
    return false;
  return *size == 1 || *size == 2 || *size == 4 || (architecture.isGfx950() && (*size == 12 || *size == 16));
}

/// raw.ptr.buffer.load.lds(resource, destination, size, offset, uniform offset, offset of both, cache bits).
static llvm::Error decodeBufferCopy(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  llvm::Expected<Registers> resource = decoder.read(intrinsic.argument(0));
  if (!resource)
    return resource.takeError();
  OperandList *list = decoder.operandList();
  list->inputs = {(*resource)[0], (*resource)[1]};
  for (unsigned index : {3, 4, 1, 2, 5}) {
    llvm::Expected<RegisterOffset> operand = decoder.readScalar(intrinsic.argument(index));
    if (!operand)
      return operand.takeError();
    list->inputs.push_back(*operand);
  }
  decoder.emit(bufferToLds()).detail = list;
  return llvm::Error::success();
}

llvm::Expected<bool> decodeLds(const Intrinsic &intrinsic) {
  llvm::StringRef name = intrinsic.name;
  if (name == "load.to.lds" && intrinsic.argument(0)->getType()->getPointerAddressSpace() > 5)
    return false;
  if (name == "global.load.lds" || name == "load.to.lds")
    return canCopy(intrinsic, 2) ? intrinsic.withList(globalToLds()) : intrinsic.missing();
  if (name == "raw.ptr.buffer.load.lds") {
    if (!canCopy(intrinsic, 2))
      return intrinsic.missing();
    return Intrinsic::known(decodeBufferCopy(intrinsic));
  }
  if (name.consume_front("ds.read.tr")) {
    unsigned bits = 0;
    if (name.consumeInteger(10, bits) || !intrinsic.architecture.isGfx950())
      return intrinsic.missing();
    return intrinsic.withList(transposingRead(bits));
  }
  if (name == "ds.load.tr16.b128")
    return intrinsic.architecture.isGfx1250() ? intrinsic.withList(wideTransposingRead()) : intrinsic.missing();
  return false;
}

} // namespace triton::simulator::amdgpu
