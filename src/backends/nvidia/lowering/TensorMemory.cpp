// tcgen05 without its products, and clusterlaunchcontrol. The source is the PTX ISA, sections on tensor memory and on
// cluster launch control.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

#include "base/UserErrors.h"
#include "gpu/ir/TensorMemoryPlaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::nvidia {

void emitInFirstWarp(Emitter &emitter, Value condition, llvm::function_ref<void()> body) {
  emitter.emitIf(emitter.equal(emitter.uniformWarp(), emitter.i32(0)), [&] { emitter.emitIf(condition, body); });
}

void emitInElectedThread(Emitter &emitter, const std::string &text, const std::string &constraints,
                         ValueRange arguments) {
  emitter.assembly("{ .reg .pred elected; elect.sync _|elected, -1; " + text + "}",
                   constraints + (constraints.empty() ? "" : ",") + "~{memory}", {}, arguments,
                   /*hasSideEffects=*/true);
}

std::string blocksOfUnit(const Emitter &emitter) {
  auto pairs = emitter.module()->getAttrOfType<BoolAttr>(ttg::foreign::twoCtasAttribute);
  return pairs && pairs.getValue() ? "cta_group::2" : "cta_group::1";
}

static bool isForPairs(const Emitter &emitter) { return blocksOfUnit(emitter) == "cta_group::2"; }

static Value addressOf(Emitter &emitter, Value shared) {
  return LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), emitter.scalar(shared));
}

namespace {

using namespace ttg::foreign;
using ttg::TransferShape;

//===----------------------------------------------------------------------===//
// The program's columns
//===----------------------------------------------------------------------===//

LogicalResult lowerReserve(TMEMReserveOp op, Emitter &emitter) {
  Value place = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
  Value address = LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), place);
  emitInFirstWarp(emitter, emitter.i1(true), [&] {
    std::string blocks = blocksOfUnit(emitter);
    emitter.assembly("tcgen05.alloc." + blocks + ".sync.aligned.shared::cta.b32 [$0], " +
                         std::to_string(op.getColumns()) + "; tcgen05.relinquish_alloc_permit." + blocks +
                         ".sync.aligned;",
                     "r,~{memory}", {}, {address}, /*hasSideEffects=*/true);
  });
  emitter.target().emitBarrier(emitter, /*allWarps=*/true);
  Value columns = LLVM::LoadOp::create(emitter.b, emitter.b.getI32Type(), place);
  emitter.target().emitBarrier(emitter, /*allWarps=*/true); // Others may write the place now.
  if (isForPairs(emitter)) // Both blocks have their columns before one of them multiplies.
    emitter.target().bulkCopies()->emitClusterBarrier(emitter, /*relaxed=*/false);
  emitter.define(op.getAddress(), {columns});
  return success();
}

LogicalResult lowerRelease(TMEMReleaseOp op, Emitter &emitter) {
  emitter.assembly("tcgen05.fence::before_thread_sync;", "~{memory}", {}, {}, /*hasSideEffects=*/true);
  emitter.barrier();
  if (isForPairs(emitter)) // The unit may still write to those of the other block.
    emitter.target().bulkCopies()->emitClusterBarrier(emitter, /*relaxed=*/false);
  emitInFirstWarp(emitter, emitter.i1(true), [&] {
    emitter.assembly("tcgen05.fence::after_thread_sync; tcgen05.dealloc." + blocksOfUnit(emitter) +
                         ".sync.aligned.b32 $0, " + std::to_string(op.getColumns()) + ";",
                     "r,~{memory}", {}, {emitter.scalar(op.getAddress())}, /*hasSideEffects=*/true);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// What a register, or a bit of a number of one, is in tensor memory.
struct Cell {
  int32_t lane = 0, byte = 0;

  bool operator==(const Cell &) const = default;
  Cell operator+(const Cell &other) const { return {lane | other.lane, byte | other.byte}; }
  int32_t address() const { return lane << 16 | byte / int32_t(ttg::columnBytes); }
};

/// How instructions move a tensor: the words of each, and where each begins.
class Transfer {
public:
  Transfer(Operation *op, RankedTensorType tensor, ttg::MemDescType buffer, Emitter &emitter)
      : places(emitter.layoutOf(tensor).compose(ttg::getTensorMemoryPlaces(buffer))),
        areScales(isa<TensorMemoryScalesEncodingAttr>(buffer.getEncoding())) {
    // The registers of an instruction have places all at once, beside others.
    auto registers = op->getParentOfType<tt::FuncOp>()->getAttrOfType<IntegerAttr>(ttg::threadRegistersAttribute);
    if (registers)
      mostBits = std::min(mostBits, llvm::Log2_32(uint32_t(registers.getInt()) / 2));
  }

  /// Whether an instruction fits.
  bool plan() {
    for (const TransferShape &each : ttg::transferShapes())
      if (fits(each)) {
        shape = &each;
        divideRegisters();
        return true;
      }
    return false;
  }

  unsigned wordsOfMessage() const { return 1u << messageBits.size(); }
  unsigned elementsOfWord() const { return 1u << partBits.size(); }
  unsigned messages() const { return 1u << otherBits.size(); }
  int32_t messageAddress(unsigned message) const { return sum(otherBits, message).address(); }
  /// The register with element `part` of a word of a message.
  unsigned registerOf(unsigned message, unsigned word, unsigned part) const {
    return number(otherBits, message) | number(messageBits, word) | number(partBits, part);
  }
  /// The register that holds the same element as `index` and is moved.
  unsigned moved(unsigned index) const { return index & ~copies; }
  std::string name() const { return shape->name.str() + ".x" + std::to_string(wordsOfMessage() >> shape->fixedBits); }
  /// Of what an instruction moves, the columns from the first 16 lanes' to those of the others; empty: no operand.
  std::string half() const { return shape->name == "16x32bx2" ? ", " + std::to_string(halfColumns) : ""; }
  /// The address of what the thread's warp moves, from that of the buffer.
  Value warpAddress(Emitter &emitter, Value buffer) const {
    constexpr unsigned quarterBits = 2, laneShift = 16 + 5;
    Value address = emitter.add(
        buffer, emitter.shiftLeft(emitter.bitAnd(emitter.uniformWarp(), (1 << quarterBits) - 1), laneShift));
    const layout::Input &warps = *places.findInput("warp");
    for (unsigned bit = quarterBits; bit < warps.bits(); ++bit)
      if (int32_t step = cellOf(warps, bit).address()) {
        Value isSet = emitter.bitAnd(emitter.shiftRight(emitter.uniformWarp(), bit), 1);
        address = emitter.add(address, LLVM::MulOp::create(emitter.b, isSet, emitter.i32(step)));
      }
    return address;
  }

private:
  static Cell cellOf(const layout::Input &input, unsigned bit) { return {input.bases[bit][0], input.bases[bit][1]}; }
  static Cell cellOf(const TransferShape::Step &step) { return {step.lane, step.column * int32_t(ttg::columnBytes)}; }

  std::optional<unsigned> findRegister(const Cell &cell) const {
    const layout::Input &registers = *places.findInput("register");
    for (unsigned bit = 0; bit < registers.bits(); ++bit)
      if (cellOf(registers, bit) == cell)
        return bit;
    return std::nullopt;
  }

  bool fits(const TransferShape &each) {
    const layout::Input &lanes = *places.findInput("lane"), &warps = *places.findInput("warp");
    if (warps.bits() < 2)
      return false;
    for (unsigned bit = 0; bit < 2; ++bit)
      if (cellOf(warps, bit) != (areScales ? Cell{} : Cell{32 << bit, 0}))
        return false;
    for (unsigned bit = 0; bit < lanes.bits(); ++bit) {
      Cell cell = cellOf(lanes, bit);
      if (each.lanes[bit].column == TransferShape::anyColumn)
        halfColumns = cell.byte / int32_t(ttg::columnBytes);
      if (each.lanes[bit].column == TransferShape::anyColumn ? cell.lane != 0 || halfColumns == 0
                                                             : cell != cellOf(each.lanes[bit]))
        return false;
    }
    for (unsigned bit = 0; bit < each.fixedBits; ++bit)
      if (!findRegister(cellOf(stepOfRegister(each, bit))))
        return false;
    // No lane or warp chooses a part of a column.
    for (const layout::Input *input : {&lanes, &warps})
      for (unsigned bit = 0; bit < input->bits(); ++bit)
        if (cellOf(*input, bit).byte % int32_t(ttg::columnBytes) != 0)
          return false;
    return true;
  }

  void divideRegisters() {
    const layout::Input &registers = *places.findInput("register");
    unsigned used = 0;
    auto take = [&](SmallVector<unsigned> &list, unsigned bit) {
      list.push_back(bit);
      used |= 1u << bit;
    };
    for (int32_t byte = 1; byte < int32_t(ttg::columnBytes); byte *= 2)
      if (std::optional<unsigned> bit = findRegister({0, byte}))
        take(partBits, *bit);
    for (unsigned index = 0; index < mostBits; ++index) {
      std::optional<unsigned> bit = findRegister(cellOf(stepOfRegister(*shape, index)));
      if (!bit)
        break;
      take(messageBits, *bit);
    }
    for (unsigned bit = 0; bit < registers.bits(); ++bit)
      if (cellOf(registers, bit) == Cell{})
        copies |= 1u << bit;
      else if (!(used >> bit & 1))
        otherBits.push_back(bit);
  }

  Cell sum(llvm::ArrayRef<unsigned> bits, unsigned value) const {
    Cell total;
    for (auto [index, bit] : llvm::enumerate(bits))
      if (value >> index & 1)
        total = total + cellOf(*places.findInput("register"), bit);
    return total;
  }
  static unsigned number(llvm::ArrayRef<unsigned> bits, unsigned value) {
    unsigned total = 0;
    for (auto [index, bit] : llvm::enumerate(bits))
      total |= (value >> index & 1) << bit;
    return total;
  }

  layout::LinearLayout places; ///< (register, lane, warp) -> (lane, byte) of tensor memory
  bool areScales;
  unsigned mostBits = 6; ///< of the number of a message's word: the 128 words of the longest one are too many at once
  const TransferShape *shape = nullptr;
  int32_t halfColumns = 0;
  // Bits of the numbers of registers: of elements of a word, words of a message, and messages.
  SmallVector<unsigned> partBits, messageBits, otherBits;
  unsigned copies = 0; ///< a mask of bits under which registers hold the same
};

LogicalResult refuseLayout(Operation *op, RankedTensorType tensor, ttg::MemDescType buffer) {
  return op->emitError() << base::wrongKernelPrefix << "no instruction moves " << tensor << " between registers and "
                         << buffer << "; `get_reg_layout()` of the buffer is a layout with which one does";
}

/// Elements of a word, or one in its low bits.
Value packWord(Emitter &emitter, ValueRange elements) {
  Type word = emitter.b.getI32Type();
  Value packed = emitter.packVector(elements);
  Type type = packed.getType();
  unsigned bits = unsigned(elements.size()) * elements.front().getType().getIntOrFloatBitWidth();
  if (bits == 32)
    return type == word ? packed : LLVM::BitcastOp::create(emitter.b, word, packed).getResult();
  Type narrow = emitter.b.getIntegerType(bits);
  if (type != narrow)
    packed = LLVM::BitcastOp::create(emitter.b, narrow, packed);
  return LLVM::ZExtOp::create(emitter.b, word, packed);
}

Registers unpackWord(Emitter &emitter, Value word, unsigned count, Type element) {
  unsigned bits = count * element.getIntOrFloatBitWidth();
  if (bits < 32)
    word = LLVM::TruncOp::create(emitter.b, emitter.b.getIntegerType(bits), word);
  Type type = count == 1 ? element : Type(VectorType::get(count, element));
  if (word.getType() != type)
    word = LLVM::BitcastOp::create(emitter.b, type, word);
  return emitter.unpackVector(word);
}

std::string listOperands(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", $" : "$") + std::to_string(first + index);
  return text + "}";
}

/// One piece of assembly, so that nothing uses a register before the wait.
LogicalResult lowerLoad(TMEMLoadOp op, Emitter &emitter) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (op.getRedOp())
    return op.emitError() << "not supported on " << emitter.machine().name
                          << ": a load from tensor memory that reduces rows, which compute capability 10.3 has";
  Transfer transfer(op, type, op.getSrc().getType(), emitter);
  if (!transfer.plan())
    return refuseLayout(op, type, op.getSrc().getType());
  Type element = emitter.convertElement(type), word = emitter.b.getI32Type();
  unsigned words = transfer.wordsOfMessage(), total = words * transfer.messages();
  std::string text = "tcgen05.fence::after_thread_sync; ", constraints;
  for (unsigned message = 0; message < transfer.messages(); ++message)
    text += "tcgen05.ld.sync.aligned." + transfer.name() + ".b32 " + listOperands(message * words, words) + ", [$" +
            std::to_string(total) + "+" + std::to_string(transfer.messageAddress(message)) + "]" + transfer.half() +
            "; ";
  text += "tcgen05.wait::ld.sync.aligned; tcgen05.fence::before_thread_sync;";
  for (unsigned index = 0; index < total; ++index)
    constraints += "=r,";
  constraints += "r,~{memory}";
  Type structure = LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(total, word));
  Value loaded =
      emitter.assembly(text, constraints, total == 1 ? word : structure,
                       {transfer.warpAddress(emitter, emitter.scalar(op.getSrc()))}, /*hasSideEffects=*/true);
  Registers results = total == 1 ? Registers{loaded} : emitter.unpack(loaded);
  Registers values(unsigned(emitter.layoutOf(type).inputSize("register")));
  for (unsigned message = 0; message < transfer.messages(); ++message)
    for (unsigned index = 0; index < words; ++index)
      for (auto [part, value] :
           llvm::enumerate(unpackWord(emitter, results[message * words + index], transfer.elementsOfWord(), element)))
        values[transfer.registerOf(message, index, unsigned(part))] = value;
  for (unsigned index = 0; index < values.size(); ++index)
    values[index] = values[transfer.moved(index)];
  emitter.define(op.getResult(), std::move(values));
  return success();
}

LogicalResult lowerStore(TMEMStoreOp op, Emitter &emitter) {
  auto type = cast<RankedTensorType>(op.getSrc().getType());
  Transfer transfer(op, type, op.getDst().getType(), emitter);
  if (!transfer.plan())
    return refuseLayout(op, type, op.getDst().getType());
  llvm::ArrayRef<Value> registers = emitter.registers(op.getSrc());
  Registers arguments{transfer.warpAddress(emitter, emitter.scalar(op.getDst()))};
  std::string text = "tcgen05.fence::after_thread_sync; ", constraints = "r";
  for (unsigned message = 0; message < transfer.messages(); ++message) {
    text += "tcgen05.st.sync.aligned." + transfer.name() + ".b32 [$0+" +
            std::to_string(transfer.messageAddress(message)) + "]" + transfer.half() + ", " +
            listOperands(unsigned(arguments.size()), transfer.wordsOfMessage()) + "; ";
    for (unsigned index = 0; index < transfer.wordsOfMessage(); ++index) {
      Registers elements;
      for (unsigned part = 0; part < transfer.elementsOfWord(); ++part)
        elements.push_back(registers[transfer.registerOf(message, index, part)]);
      arguments.push_back(packWord(emitter, elements));
      constraints += ",r";
    }
  }
  text += "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync;";
  emitter.emitIf(emitter.scalar(op.getCondition()),
                 [&] { emitter.assembly(text, constraints + ",~{memory}", {}, arguments, /*hasSideEffects=*/true); });
  return success();
}

//===----------------------------------------------------------------------===//
// What one thread starts
//===----------------------------------------------------------------------===//

LogicalResult lowerCommit(TCGen5CommitOp op, Emitter &emitter) {
  Value condition = op.getCondition() ? emitter.scalar(op.getCondition()) : emitter.i1(true);
  emitInFirstWarp(emitter, condition, [&] { emitProductArrival(op, emitter, emitter.scalar(op.getBarrier())); });
  return success();
}

//===----------------------------------------------------------------------===//
// Work of programs that have not started
//===----------------------------------------------------------------------===//

LogicalResult lowerTryCancel(CLCTryCancelOp op, Emitter &emitter) {
  Value answer = addressOf(emitter, op.getAnswer()), barrier = addressOf(emitter, op.getBarrier());
  emitInFirstWarp(emitter, emitter.i1(true), [&] {
    emitInElectedThread(emitter,
                        "@elected clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
                        "[$0], [$1]; ",
                        "r,r", {answer, barrier});
  });
  return success();
}

/// A later answer may be written when all threads have read this one.
LogicalResult lowerLoadResult(CLCLoadResultOp op, Emitter &emitter) {
  constexpr unsigned alignment = 16;
  Value loaded = LLVM::LoadOp::create(emitter.b, op.getType(), emitter.scalar(op.getAnswer()), alignment);
  emitter.define(op.getResult(), {loaded});
  emitter.target().bulkCopies()->emitProxyFence(emitter, gpu::BulkCopyEmitter::Written::Shared);
  return success();
}

LogicalResult lowerIsCanceled(CLCIsCanceledOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.intrinsic("nvvm.clusterlaunchcontrol.query_cancel.is_canceled",
                                                    emitter.b.getI1Type(), emitter.scalar(op.getAnswer()))});
  return success();
}

LogicalResult lowerGetProgramId(CLCGetProgramIdOp op, Emitter &emitter) {
  constexpr llvm::StringLiteral axes[] = {"x", "y", "z"};
  std::string name = "nvvm.clusterlaunchcontrol.query_cancel.get_first_ctaid." + axes[unsigned(op.getDim())].str();
  emitter.define(op.getResult(), {emitter.intrinsic(name, emitter.b.getI32Type(), emitter.scalar(op.getAnswer()))});
  return success();
}

} // namespace

/// The blocks whose barriers learn that products are done, as a mask, i16; null where it is this one.
static Value findReceivers(Operation *op, Emitter &emitter) {
  auto masks = op->getAttrOfType<DenseI32ArrayAttr>(ttg::foreign::arrivalBlocksAttribute);
  if (!masks)
    return {};
  Value receivers;
  for (auto bits : llvm::map_range(masks.asArrayRef(), [](int32_t mask) { return unsigned(mask); })) {
    int64_t others = 0; // than the first one of these blocks
    for (unsigned number = 0; number <= bits; ++number)
      others |= (number & ~bits) == 0 ? int64_t(1) << number : 0;
    Value first = emitter.bitAnd(emitter.blockRank(), ~int64_t(bits));
    Value own = LLVM::ShlOp::create(emitter.b, emitter.i32(others), first);
    receivers = receivers ? LLVM::OrOp::create(emitter.b, receivers, own).getResult() : own;
  }
  return LLVM::TruncOp::create(emitter.b, emitter.b.getI16Type(), receivers);
}

void emitProductArrival(Operation *op, Emitter &emitter, Value barrier) {
  Registers arguments{LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), barrier)};
  std::string text = "@elected tcgen05.commit." + blocksOfUnit(emitter) + ".mbarrier::arrive::one.shared::cluster";
  if (Value receivers = findReceivers(op, emitter)) {
    arguments.push_back(receivers);
    return emitInElectedThread(emitter, text + ".multicast::cluster.b64 [$0], $1; ", "r,h", arguments);
  }
  emitInElectedThread(emitter, text + ".b64 [$0]; ", "r", arguments);
}

LogicalResult TensorMemory::lower(Operation *op, Emitter &emitter) const {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](TMEMReserveOp reserve) { return lowerReserve(reserve, emitter); })
      .Case([&](TMEMReleaseOp release) { return lowerRelease(release, emitter); })
      .Case([&](TMEMLoadOp load) { return lowerLoad(load, emitter); })
      .Case([&](TMEMStoreOp store) { return lowerStore(store, emitter); })
      .Case([&](TMEMCopyOp copy) { return lowerScaleCopy(copy, emitter); })
      .Case([&](TCGen5MMAOp product) { return lowerTensorProduct(product, multipliesBytes, emitter); })
      .Case([&](TCGen5MMAScaledOp product) { return lowerTensorProduct(product, emitter); })
      .Case([&](TCGen5CommitOp commit) { return lowerCommit(commit, emitter); })
      .Case([&](CLCTryCancelOp cancel) { return lowerTryCancel(cancel, emitter); })
      .Case([&](CLCLoadResultOp load) { return lowerLoadResult(load, emitter); })
      .Case([&](CLCIsCanceledOp query) { return lowerIsCanceled(query, emitter); })
      .Case([&](CLCGetProgramIdOp query) { return lowerGetProgramId(query, emitter); });
}

} // namespace triton::nvidia
