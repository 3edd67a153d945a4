#include "gpu/lowering/LayoutEmission.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::gpu {

IndexMap::IndexMap(const LinearLayout &layout, unsigned output) {
  for (auto [name, bases] :
       {std::pair<llvm::StringRef, SmallVector<int32_t> *>{"register", &registers}, {"lane", &lanes}, {"warp", &warps}})
    if (const layout::Input *input = layout.findInput(name))
      for (const layout::Basis &basis : input->bases)
        bases->push_back(basis[output]);
}

int32_t IndexMap::ofRegister(unsigned index) const {
  int32_t value = 0;
  for (auto [bit, basis] : llvm::enumerate(registers))
    if (index >> bit & 1)
      value ^= basis;
  return value;
}

int32_t IndexMap::threadBits() const {
  int32_t bits = 0;
  for (int32_t basis : llvm::concat<const int32_t>(lanes, warps))
    bits |= basis;
  return bits;
}

/// The terms of a linear function, (index & mask) shifted by a distance: bits of `index` that move together.
static llvm::MapVector<int, int64_t> linearTerms(llvm::ArrayRef<int32_t> bases) {
  llvm::MapVector<int, int64_t> masks; // distance -> bits of the index
  for (auto [bit, basis] : llvm::enumerate(bases))
    for (int32_t rest = basis; rest != 0; rest &= rest - 1)
      masks[llvm::countr_zero(uint32_t(rest)) - int(bit)] |= int64_t(1) << bit;
  return masks;
}

Value emitLinear(Emitter &emitter, Value index, llvm::ArrayRef<int32_t> bases, Value sum) {
  for (auto [distance, mask] : linearTerms(bases)) {
    bool whole = mask == (int64_t(1) << bases.size()) - 1;
    Value term = whole ? index : emitter.bitAnd(index, mask);
    term = distance >= 0 ? emitter.shiftLeft(term, unsigned(distance)) : emitter.shiftRight(term, unsigned(-distance));
    sum = emitter.bitXor(sum, term);
  }
  return sum;
}

Value IndexMap::emitThreadPart(Emitter &emitter) const {
  Value sum = emitter.i32(0);
  // Where bits of the warp move as those of the lane do, the number of the thread has both in their places.
  llvm::SmallVector<int32_t> threads(lanes);
  llvm::append_range(threads, warps);
  if (lanes.size() == emitter.laneBits() &&
      linearTerms(threads).size() < linearTerms(lanes).size() + linearTerms(warps).size())
    return emitLinear(emitter, emitter.threadId(), threads, sum);
  if (llvm::any_of(lanes, [](int32_t basis) { return basis != 0; }))
    sum = emitLinear(emitter, emitter.lane(), lanes, sum);
  if (llvm::any_of(warps, [](int32_t basis) { return basis != 0; }))
    sum = emitLinear(emitter, emitter.warp(), warps, sum);
  return sum;
}

Value combineIndex(Emitter &emitter, Value threadPart, int32_t threadBits, int32_t constant) {
  Value mixed = emitter.bitXor(threadPart, emitter.i32(constant & threadBits));
  return emitter.add(mixed, emitter.i32(constant & ~threadBits));
}

Value emitPaddings(Emitter &emitter, Value offset, llvm::ArrayRef<int32_t> paddings) {
  Value padded = offset;
  for (std::size_t i = 0; i < paddings.size(); i += 2) {
    Value intervals = emitter.shiftRight(offset, llvm::Log2_32(uint32_t(paddings[i])));
    padded = emitter.add(padded, emitter.shiftLeft(intervals, llvm::Log2_32(uint32_t(paddings[i + 1]))));
  }
  return padded;
}

Registers emitCoordinates(Emitter &emitter, const LinearLayout &layout, unsigned dimension) {
  IndexMap map(layout, dimension);
  Value threadPart = map.emitThreadPart(emitter);
  Registers coordinates;
  llvm::DenseMap<int32_t, Value> known;
  for (int32_t index = 0; index < layout.inputSize("register"); ++index) {
    int32_t constant = map.ofRegister(unsigned(index));
    Value &coordinate = known[constant];
    if (!coordinate)
      coordinate = combineIndex(emitter, threadPart, map.threadBits(), constant);
    coordinates.push_back(coordinate);
  }
  return coordinates;
}

Coordinates registerCoordinates(const LinearLayout &layout, unsigned index) {
  Coordinates coordinates(layout.outputs().size(), 0);
  for (auto [bit, basis] : llvm::enumerate(layout.findInput("register")->bases))
    if (index >> bit & 1)
      for (auto [coordinate, component] : llvm::zip_equal(coordinates, basis))
        coordinate ^= component;
  return coordinates;
}

RegisterLookup::RegisterLookup(const LinearLayout &layout) {
  for (const layout::Output &output : layout.outputs())
    bits.push_back(output.bits());
  for (int32_t index = 0; index < layout.inputSize("register"); ++index)
    registers.try_emplace(keyOf(registerCoordinates(layout, unsigned(index))), unsigned(index));
}

uint64_t RegisterLookup::keyOf(llvm::ArrayRef<int32_t> coordinates) const {
  uint64_t key = 0;
  for (auto [coordinate, width] : llvm::zip_equal(coordinates, bits))
    key = key << width | uint64_t(coordinate);
  return key;
}

std::optional<unsigned> RegisterLookup::find(llvm::ArrayRef<int32_t> coordinates) const {
  auto found = registers.find(keyOf(coordinates));
  return found == registers.end() ? std::nullopt : std::optional(found->second);
}

static int32_t freeMask(const LinearLayout &layout, llvm::StringRef input) {
  for (auto &[name, mask] : layout.freeVariables())
    if (name == input)
      return mask;
  return 0;
}

/// `index & mask == 0`, and `condition` if there is one; null if it always holds.
static Value emitNoneSet(Emitter &emitter, Value index, int32_t mask, Value condition) {
  if (mask == 0)
    return condition;
  Value none = emitter.equal(emitter.bitAnd(index, mask), emitter.i32(0));
  return condition ? LLVM::AndOp::create(emitter.b, condition, none).getResult() : none;
}

Value emitIsRepresentative(Emitter &emitter, const LinearLayout &layout) {
  Value condition = emitNoneSet(emitter, emitter.lane(), freeMask(layout, "lane"), {});
  return emitNoneSet(emitter, emitter.warp(), freeMask(layout, "warp"), condition);
}

Value emitIsRepresentativeWarp(Emitter &emitter, const LinearLayout &layout) {
  return emitNoneSet(emitter, emitter.warp(), freeMask(layout, "warp"), {});
}

void emitInRepresentativeWarps(Emitter &emitter, const LinearLayout &layout, llvm::function_ref<void()> body) {
  if (Value isFirst = emitIsRepresentativeWarp(emitter, layout))
    emitter.emitIf(isFirst, body);
  else
    body();
}

SmallVector<unsigned> representativeRegisters(const LinearLayout &layout) {
  RegisterLookup lookup(layout);
  SmallVector<unsigned> representatives;
  for (int32_t index = 0; index < layout.inputSize("register"); ++index)
    representatives.push_back(*lookup.find(registerCoordinates(layout, unsigned(index))));
  return representatives;
}

} // namespace triton::gpu
