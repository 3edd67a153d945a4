// Buffer resources: an address and a size with which accesses are checked. A resource is two registers of 64 bits, the
// four words of gfx9 to gfx12. gfx1250 packs a longer address and size, which no instruction here looks at. An access
// through it computes its addresses and the lanes that really access memory, and continues as an ordinary access of
// those lanes.
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

using BinOp = llvm::AtomicRMWInst::BinOp;
using llvm::Instruction;

/// make.buffer.rsrc(base, stride, size, flags).
static llvm::Error decodeResource(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  bool isLong = intrinsic.architecture.isGfx1250();
  if (intrinsic.constant(1) != 0)
    return decoder.unsupported(intrinsic.call, "a buffer of this shape");
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(intrinsic.call);
  if (!arguments)
    return arguments.takeError();
  Registers words = decoder.defineNew(&intrinsic.call);
  auto wide = [&](unsigned index) {
    unsigned bytes = decoder.elementBytes(intrinsic.argument(index)->getType());
    RegisterOffset result = decoder.allocateRegister(8);
    decoder.emit(findIntegerCast(Instruction::ZExt, bytes, 8), result, {(*arguments)[index]});
    return result;
  };
  auto combine = [&](unsigned opcode, RegisterOffset a, RegisterOffset b) {
    RegisterOffset result = decoder.allocateRegister(8);
    decoder.emit(findIntegerBinary(opcode, 8), result, {a, b});
    return result;
  };
  // Addresses have copies of the last bit that the resource holds in those that it does not hold.
  RegisterOffset lost = decoder.constantRegister(isLong ? 7 : 16, 8);
  decoder.emit(findIntegerBinary(Instruction::AShr, 8), words[0],
               {combine(Instruction::Shl, (*arguments)[0], lost), lost});
  // Offsets have 32 bits, so that all larger sizes are alike.
  RegisterOffset size = decoder.allocateRegister(8);
  decoder.emit(isLong ? findIntegerIntrinsic("umin", 8) : findIntegerBinary(Instruction::And, 8), size,
               {wide(2), decoder.constantRegister(UINT32_MAX, 8)});
  RegisterOffset flags = combine(Instruction::Shl, wide(3), decoder.constantRegister(32, 8));
  decoder.emit(findIntegerBinary(Instruction::Or, 8), words[1], {size, flags});
  return llvm::Error::success();
}

/// Emits the addresses of an access; `first` is the index of the argument that is the resource.
static llvm::Expected<BufferPlaces> decodePlaces(const Intrinsic &intrinsic, unsigned first, unsigned bytes,
                                                 bool isStore) {
  Decoder &decoder = intrinsic.decoder;
  llvm::Expected<Registers> resource = decoder.read(intrinsic.argument(first));
  if (!resource)
    return resource.takeError();
  llvm::Expected<RegisterOffset> offset = decoder.readScalar(intrinsic.argument(first + 1)),
                                 uniform = decoder.readScalar(intrinsic.argument(first + 2));
  if (!offset)
    return llvm::joinErrors(offset.takeError(), uniform.takeError());
  if (!uniform)
    return uniform.takeError();
  BufferPlaces places{decoder.allocateRegister(8), decoder.allocateRegister(0)};
  OperandList *list = decoder.operandList();
  list->inputs = {(*resource)[0], (*resource)[1], *offset, *uniform};
  list->outputs = {places.addresses, places.lanes};
  DecodedInstruction &instruction = decoder.emit(bufferPlacesHandler());
  instruction.detail = list;
  instruction.immediate = int64_t(bytes) << 1 | int64_t(isStore);
  return places;
}

/// Lets the instruction that was emitted last run only in some lanes.
static void restrictLast(Decoder &decoder, RegisterOffset lanes) {
  auto access = std::make_shared<DecodedInstruction>(decoder.program.instructions.back());
  decoder.program.instructions.pop_back();
  DecodedInstruction &restricted = decoder.emit(restrictedHandler(), 0, {lanes});
  restricted.detail = access.get();
  decoder.program.details.push_back(std::move(access));
}

/// The registers of a value that is accessed as a whole, all elements alike.
struct BufferValue {
  unsigned elementBytes, count;
  unsigned bytes() const { return elementBytes * count; }
};

static std::optional<BufferValue> shapeOf(const Decoder &decoder, llvm::Type *type) {
  llvm::SmallVector<llvm::Type *> components;
  decoder.flatten(type, components);
  BufferValue value{decoder.elementBytes(components.front()), unsigned(components.size())};
  bool isKnown = llvm::all_equal(components) && value.elementBytes >= 1 && value.elementBytes <= 8 &&
                 llvm::is_contained({1u, 2u, 4u, 8u, 12u, 16u}, value.bytes());
  return isKnown ? std::optional(value) : std::nullopt;
}

static llvm::Error decodeAccess(const Intrinsic &intrinsic, bool isStore) {
  Decoder &decoder = intrinsic.decoder;
  llvm::Type *type = isStore ? intrinsic.argument(0)->getType() : intrinsic.call.getType();
  std::optional<BufferValue> shape = shapeOf(decoder, type);
  if (!shape)
    return decoder.unsupported(intrinsic.call);
  llvm::Expected<BufferPlaces> places = decodePlaces(intrinsic, isStore ? 1 : 0, shape->bytes(), isStore);
  if (!places)
    return places.takeError();
  AccessShape access{shape->elementBytes, shape->count, false, /*masked=*/true};
  OperandList *list = decoder.operandList();
  list->inputs.assign(shape->count, places->lanes);
  auto finish = [&](DecodedInstruction &instruction) {
    instruction.immediate = int64_t(uint64_t(shape->count) << 32 | std::min(shape->bytes(), 4u));
    instruction.detail = list;
    return llvm::Error::success();
  };
  if (isStore) {
    llvm::Expected<Registers> values = decoder.read(intrinsic.argument(0));
    if (!values)
      return values.takeError();
    RegisterOffset first = makeConsecutive(decoder, *values, shape->elementBytes);
    return finish(decoder.emit(findStore(access), 0, {places->addresses, first}));
  }
  // A lane beyond the buffer reads zero.
  list->inputs.insert(list->inputs.end(), shape->count, decoder.constantRegister(0, shape->elementBytes));
  return finish(decoder.emit(findLoad(access), decoder.defineNew(&intrinsic.call).front(), {places->addresses}));
}

static std::optional<BinOp> atomicOperation(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<BinOp>>(name)
      .Case("swap", BinOp::Xchg)
      .Case("add", BinOp::Add)
      .Case("sub", BinOp::Sub)
      .Case("smin", BinOp::Min)
      .Case("umin", BinOp::UMin)
      .Case("smax", BinOp::Max)
      .Case("umax", BinOp::UMax)
      .Case("and", BinOp::And)
      .Case("or", BinOp::Or)
      .Case("xor", BinOp::Xor)
      .Case("inc", BinOp::UIncWrap)
      .Case("dec", BinOp::UDecWrap)
      .Case("fadd", BinOp::FAdd)
      .Case("fmin", BinOp::FMin)
      .Case("fmax", BinOp::FMax)
      .Default(std::nullopt);
}

/// Packed sums exist only for some formats.
static bool hasPackedSum(const Architecture &architecture, llvm::Type *type) {
  if (type->isBFloatTy())
    return architecture.isGfx950() || architecture.generation >= 12;
  return architecture.generation != 11;
}

/// raw.ptr.buffer.atomic.<operation>(value, resource, offset, uniform offset, cache bits). It orders nothing.
static llvm::Error decodeAtomic(const Intrinsic &intrinsic, llvm::StringRef name) {
  Decoder &decoder = intrinsic.decoder;
  std::optional<BinOp> operation = atomicOperation(name);
  llvm::Type *type = intrinsic.call.getType()->getScalarType();
  std::optional<BufferValue> shape = shapeOf(decoder, intrinsic.call.getType());
  if (!operation || !shape)
    return decoder.unsupported(intrinsic.call);
  if (shape->count == 2 && !hasPackedSum(intrinsic.architecture, type))
    return intrinsic.missing();
  Handler handler = findAtomic(*operation, shape->elementBytes, Decoder::floatFormat(type), false);
  if (!handler)
    return decoder.unsupported(intrinsic.call);
  llvm::Expected<BufferPlaces> places = decodePlaces(intrinsic, 1, shape->bytes(), true);
  if (!places)
    return places.takeError();
  llvm::Expected<Registers> values = decoder.read(intrinsic.argument(0));
  if (!values)
    return values.takeError();
  decoder.program.hasStrongAccesses = true;
  for (auto [element, result] : llvm::enumerate(decoder.defineNew(&intrinsic.call))) {
    RegisterOffset place = decoder.allocateRegister(8);
    decoder.emit(findIntegerBinary(Instruction::Add, 8), place,
                 {places->addresses, decoder.constantRegister(element * shape->elementBytes, 8)});
    decoder.emit(findCopy(shape->elementBytes), result, {decoder.constantRegister(0, shape->elementBytes)});
    decoder.emit(handler, result, {place, (*values)[element]}).order.isStrong = true;
    restrictLast(decoder, places->lanes);
  }
  return llvm::Error::success();
}

/// raw.ptr.buffer.atomic.cmpswap(new, compared, resource, offset, uniform offset, cache bits).
static llvm::Error decodeCompareSwap(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  unsigned bytes = decoder.elementBytes(intrinsic.call.getType());
  Handler handler = findCompareExchange(bytes, false);
  if (!handler)
    return decoder.unsupported(intrinsic.call);
  llvm::Expected<BufferPlaces> places = decodePlaces(intrinsic, 2, bytes, true);
  if (!places)
    return places.takeError();
  llvm::Expected<RegisterOffset> desired = decoder.readScalar(intrinsic.argument(0)),
                                 compared = decoder.readScalar(intrinsic.argument(1));
  if (!desired)
    return llvm::joinErrors(desired.takeError(), compared.takeError());
  if (!compared)
    return compared.takeError();
  decoder.program.hasStrongAccesses = true;
  RegisterOffset result = decoder.defineNew(&intrinsic.call).front();
  decoder.emit(findCopy(bytes), result, {decoder.constantRegister(0, bytes)});
  DecodedInstruction &exchange = decoder.emit(handler, result, {places->addresses, *compared, *desired});
  exchange.immediate = decoder.allocateRegister(0);
  exchange.order.isStrong = true;
  restrictLast(decoder, places->lanes);
  return llvm::Error::success();
}

llvm::Expected<bool> decodeBuffer(const Intrinsic &intrinsic) {
  llvm::StringRef name = intrinsic.name;
  if (name == "make.buffer.rsrc")
    return Intrinsic::known(decodeResource(intrinsic));
  if (!name.consume_front("raw.ptr.buffer."))
    return false;
  if (name == "load" || name == "store")
    return Intrinsic::known(decodeAccess(intrinsic, name == "store"));
  if (name == "atomic.cmpswap")
    return Intrinsic::known(decodeCompareSwap(intrinsic));
  if (name.consume_front("atomic."))
    return Intrinsic::known(decodeAtomic(intrinsic, name));
  return false;
}

} // namespace triton::simulator::amdgpu
