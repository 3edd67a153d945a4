#include "gpu/lowering/SharedAccess.h"

#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

/// Register bits that count 1, 2, 4, ... elements in memory, if nothing else affects those bits of the offset.
static SmallVector<unsigned> findVectorBits(const IndexMap &map, unsigned elementBytes, unsigned accessBytes) {
  SmallVector<unsigned> bits;
  for (int32_t step = 1; unsigned(step) * elementBytes * 2 <= accessBytes; step *= 2) {
    auto *found = llvm::find(map.registers, step);
    if (found == map.registers.end())
      break;
    bits.push_back(unsigned(found - map.registers.begin()));
  }
  for (; !bits.empty(); bits.pop_back()) {
    int32_t low = (int32_t(1) << bits.size()) - 1;
    bool othersAreMultiples = !(map.threadBits() & low);
    for (auto [bit, basis] : llvm::enumerate(map.registers))
      othersAreMultiples &= llvm::is_contained(bits, bit) || !(basis & low);
    if (othersAreMultiples)
      break;
  }
  return bits;
}

SharedAccess::SharedAccess(Emitter &emitter, Value base, const LinearLayout &offsets, Type element,
                           llvm::ArrayRef<int32_t> paddings)
    : emitter(emitter), base(base), element(element), map(offsets, 0), paddings(paddings) {
  unsigned bytes = memoryBytes(element), accessBytes = emitter.machine().accessBytes;
  for (int32_t &elements : this->paddings) {
    elements *= int32_t(bytes);
    accessBytes = std::min(accessBytes, unsigned(elements)); // Vectors are whole, and stay aligned.
  }
  vectorBits = findVectorBits(map, bytes, accessBytes);
  for (SmallVector<int32_t> *bases : {&map.registers, &map.lanes, &map.warps})
    for (int32_t &basis : *bases)
      basis *= int32_t(bytes);
  unmoved = threadPart = map.emitThreadPart(emitter);
}

void SharedAccess::move(Value index, llvm::ArrayRef<unsigned> registers) {
  SmallVector<int32_t> distances;
  movedBits = 0;
  for (unsigned number : registers) {
    distances.push_back(map.ofRegister(number));
    movedBits |= distances.back();
  }
  while (unsigned(movedBits) & (width() * memoryBytes(element) - 1))
    vectorBits.pop_back();
  threadPart = emitLinear(emitter, index, distances, unmoved);
  loaded.clear();
  bases.clear();
}

Value SharedAccess::address(unsigned index) {
  int32_t threadBits = map.threadBits() | movedBits, constant = map.ofRegister(index), flipped = constant & threadBits;
  Value &start = bases[flipped];
  if (!start)
    start =
        emitter.offsetPointer(base, emitPaddings(emitter, emitter.bitXor(threadPart, emitter.i32(flipped)), paddings));
  return emitter.offsetPointer(start, ttg::addPaddings(constant & ~threadBits, paddings));
}

unsigned SharedAccess::vectorMask() const {
  unsigned mask = 0;
  for (unsigned bit : vectorBits)
    mask |= 1u << bit;
  return mask;
}

SmallVector<unsigned> SharedAccess::vectorOf(unsigned first) const {
  SmallVector<unsigned> vector;
  for (unsigned position = 0; position < width(); ++position) {
    unsigned index = first;
    for (auto [step, bit] : llvm::enumerate(vectorBits))
      index |= (position >> step & 1) << bit;
    vector.push_back(index);
  }
  return vector;
}

SmallVector<SmallVector<unsigned>> SharedAccess::vectors() const {
  llvm::DenseSet<int32_t> seen;
  SmallVector<SmallVector<unsigned>> result;
  for (unsigned first = 0; first < 1u << map.registers.size(); ++first)
    if (!(first & vectorMask()) && seen.insert(map.ofRegister(first)).second)
      result.push_back(vectorOf(first));
  return result;
}

void SharedAccess::store(llvm::ArrayRef<Value> registers) {
  for (llvm::ArrayRef<unsigned> vector : vectors()) {
    Registers elements;
    for (unsigned index : vector)
      elements.push_back(registers[index]);
    emitStore(emitter, address(vector.front()), elements, {});
  }
}

Value SharedAccess::load(unsigned index) {
  if (Value known = loaded.lookup(map.ofRegister(index)))
    return known;
  SmallVector<unsigned> vector = vectorOf(index & ~vectorMask());
  Registers elements = emitLoad(emitter, address(vector.front()), element, width(), {}, {});
  for (auto [member, value] : llvm::zip_equal(vector, elements))
    loaded[map.ofRegister(member)] = value;
  return loaded.at(map.ofRegister(index));
}

Registers SharedAccess::load() {
  Registers registers;
  for (unsigned index = 0; index < 1u << map.registers.size(); ++index)
    registers.push_back(load(index));
  return registers;
}

void emitSharedStore(Emitter &emitter, Value base, const LinearLayout &offsets, llvm::ArrayRef<Value> registers,
                     llvm::ArrayRef<int32_t> paddings) {
  if (!paddings.empty() || !emitter.target().emitMatrixStore(emitter, base, offsets, registers))
    SharedAccess(emitter, base, offsets, registers.front().getType(), paddings).store(registers);
}

Registers emitSharedLoad(Emitter &emitter, Value base, const LinearLayout &offsets, Type element,
                         llvm::ArrayRef<int32_t> paddings) {
  std::optional<Registers> registers;
  if (paddings.empty())
    registers = emitter.target().emitMatrixLoad(emitter, base, offsets, element);
  return registers ? std::move(*registers) : SharedAccess(emitter, base, offsets, element, paddings).load();
}

//===--- Shuffles -----------------------------------------------------------------------------------------------===//

/// Applies `move` to the value's 32-bit words.
static Value shuffleWords(Emitter &emitter, Value value, llvm::function_ref<Value(Value)> move) {
  auto &b = emitter.b;
  Type type = value.getType(), word = b.getI32Type();
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value integer = LLVM::PtrToIntOp::create(b, b.getI64Type(), value);
    return LLVM::IntToPtrOp::create(b, type, shuffleWords(emitter, integer, move));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value raw = type == integer ? value : LLVM::BitcastOp::create(b, integer, value).getResult();
  Value moved;
  if (bits == 64) {
    Value low = LLVM::TruncOp::create(b, word, raw);
    Value high = LLVM::TruncOp::create(b, word, emitter.shiftRight(raw, 32));
    Value movedLow = LLVM::ZExtOp::create(b, integer, move(low)),
          movedHigh = LLVM::ZExtOp::create(b, integer, move(high));
    moved = LLVM::OrOp::create(b, movedLow, emitter.shiftLeft(movedHigh, 32));
  } else if (bits == 32) {
    moved = move(raw);
  } else {
    moved = LLVM::TruncOp::create(b, integer, move(LLVM::ZExtOp::create(b, word, raw)));
  }
  return type == integer ? moved : LLVM::BitcastOp::create(b, type, moved).getResult();
}

Value emitShuffleXor(Emitter &emitter, Value value, unsigned mask) {
  return shuffleWords(emitter, value, [&](Value word) { return emitter.target().emitShuffleXor(emitter, word, mask); });
}

Value emitShuffleIndex(Emitter &emitter, Value value, Value lane) {
  return shuffleWords(emitter, value,
                      [&](Value word) { return emitter.target().emitShuffleIndex(emitter, word, lane); });
}

Value emitShuffleAcross(Emitter &emitter, Value value, unsigned bit, unsigned equal) {
  return shuffleWords(emitter, value,
                      [&](Value word) { return emitter.target().emitShuffleAcross(emitter, word, bit, equal); });
}

std::pair<Value, Value> emitPair(Emitter &emitter, Value value, unsigned bit) {
  auto lower = [&](Value word) { return emitter.target().emitPair(emitter, word, bit).first; };
  auto upper = [&](Value word) { return emitter.target().emitPair(emitter, word, bit).second; };
  return {shuffleWords(emitter, value, lower), shuffleWords(emitter, value, upper)};
}

Value emitPreceding(Emitter &emitter, Value value, unsigned bit) {
  return shuffleWords(emitter, value, [&](Value word) { return emitter.target().emitPreceding(emitter, word, bit); });
}

Value emitEarlierLane(Emitter &emitter, Value value, int distance) {
  return shuffleWords(emitter, value,
                      [&](Value word) { return emitter.target().emitEarlierLane(emitter, word, distance); });
}

} // namespace triton::gpu
