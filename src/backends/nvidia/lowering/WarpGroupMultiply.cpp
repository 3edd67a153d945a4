// wgmma. The source is the PTX ISA, sections on asynchronous warpgroup-level matrix instructions and their descriptors.
#include "backends/nvidia/lowering/MatrixBuffer.h"
#include "backends/nvidia/lowering/NvidiaEmitter.h"

#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/SharedOffsets.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// PTX's name of an element; empty when wgmma does not multiply it.
llvm::StringRef elementName(Type type) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return type.isInteger(8) ? "s8" : "";
}

llvm::StringRef accumulatorName(Type type) { return type.isF32() ? "f32" : type.isF16() ? "f16" : "s32"; }

/// The registers of the instruction for `values`, which for f16 are pairs.
Registers packAccumulators(Emitter &emitter, ValueRange values) {
  if (!values.front().getType().isF16())
    return Registers(values);
  Registers words;
  for (std::size_t index = 0; index < values.size(); index += 2)
    words.push_back(
        LLVM::BitcastOp::create(emitter.b, emitter.b.getI32Type(), emitter.packVector(values.slice(index, 2))));
  return words;
}

Registers unpackAccumulators(Emitter &emitter, const Registers &words, Type element) {
  if (!element.isF16())
    return words;
  Registers values;
  for (Value word : words)
    llvm::append_range(values,
                       emitter.unpackVector(LLVM::BitcastOp::create(emitter.b, VectorType::get(2, element), word)));
  return values;
}

/// The values pass through the instruction, so that LLVM does not move uses before it.
Registers waitForProducts(Emitter &emitter, ValueRange values, unsigned pendings) {
  std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(pendings) + ";";
  if (values.empty()) {
    emitter.assembly(text, "", {}, {}, /*hasSideEffects=*/true);
    return {};
  }
  Type type = values.front().getType();
  Registers words = packAccumulators(emitter, values);
  std::string outputs, inputs;
  for (std::size_t index = 0; index < words.size(); ++index) {
    outputs += (index ? ",=" : "=") + std::string(type.isF32() ? "f" : "r");
    inputs += "," + std::to_string(index);
  }
  Type word = words.front().getType();
  Type structure = LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(words.size(), word));
  Value result = emitter.assembly(text, outputs + inputs, words.size() == 1 ? word : structure, words,
                                  /*hasSideEffects=*/true);
  return unpackAccumulators(emitter, words.size() == 1 ? Registers{result} : emitter.unpack(result), type);
}

/// Fragments of A that threads read from a buffer whose elements along K do not lie side by side. Elements are words.
///
/// For a register the lanes of a warp read 4 places along K and 8 rows, which are neighbours in memory. In a buffer
/// with a swizzle two of the places meet in the same banks. Then every other lane along K reads the element for the
/// register of the other half of K, four places on, and exchanges the two.
class FragmentReader {
public:
  FragmentReader(RankedTensorType type, ttg::MemDescType buffer, Value address, Emitter &emitter)
      : emitter(emitter), offsets(gpu::bufferOffsets(emitter, type, buffer)), laneBit(chooseLaneBit()),
        access(emitter, address, laneBit ? exchanged(*laneBit) : offsets, emitter.convertElement(type)) {}

  /// The element of a register of the layout of fragments.
  Value read(unsigned index) {
    if (!laneBit)
      return access.load(index);
    Value own = access.load(index), other = access.load(index ^ (1u << halfBit));
    if (!keeps)
      keeps = emitter.equal(emitter.bitAnd(emitter.lane(), 1 << *laneBit), emitter.i32(0));
    return emitter.select(keeps, own, other);
  }

private:
  static constexpr unsigned halfBit = 1;   ///< of registers: the second half of K, see NvidiaMmaEncoding.cpp
  static constexpr unsigned depthBits = 2; ///< of lanes

  /// The offsets with lanes whose bit `lane` is set reading what the register for the other half of K holds.
  LinearLayout exchanged(unsigned lane) const {
    const layout::Basis &half = offsets.findInput("register")->bases[halfBit];
    return offsets.mapBases([&](const layout::Input &input, unsigned bit) {
      layout::Basis basis = input.bases[bit];
      if (input.name == "lane" && bit == lane)
        basis[0] ^= half[0];
      return basis;
    });
  }

  /// The number of banks in which the lanes of a warp read, as a power of two.
  unsigned countBanks(const LinearLayout &read) const {
    layout::Output banks{"bank", int32_t(emitter.machine().banks)};
    layout::Input lanes{"lane", {}};
    for (const layout::Basis &basis : read.findInput("lane")->bases)
      lanes.bases.push_back({basis[0] & (banks.size - 1)});
    return LinearLayout(lanes, banks).rank();
  }

  /// The lane bit along K for which lanes read in more banks than without an exchange.
  std::optional<unsigned> chooseLaneBit() const {
    std::optional<unsigned> best;
    unsigned most = countBanks(offsets);
    for (unsigned bit = 0; bit < depthBits; ++bit)
      if (unsigned banks = countBanks(exchanged(bit)); banks > most)
        std::tie(best, most) = std::pair(bit, banks);
    return best;
  }

  Emitter &emitter;
  LinearLayout offsets;
  std::optional<unsigned> laneBit;
  gpu::SharedAccess access;
  Value keeps; ///< whether this lane reads as without an exchange
};

class WarpGroupMultiply {
public:
  WarpGroupMultiply(ttg::WarpGroupDotOp op, Emitter &emitter)
      : op(op), emitter(emitter), result(cast<RankedTensorType>(op.getType())),
        encoding(cast<ttg::NvidiaMmaEncodingAttr>(result.getEncoding())), columns(encoding.getInstrShape()[1]),
        depth(encoding.getInstrShape()[2]), right(op.getB(), 0, MatrixBuffer::Unit::WarpGroup, emitter) {
    auto buffer = dyn_cast<ttg::MemDescType>(op.getA().getType());
    if (!buffer) {
      fragments.emplace(emitter.layoutOf(cast<RankedTensorType>(op.getA().getType())));
    } else if (op.takesLeftFromThreads()) {
      auto operand = ttg::DotOperandEncodingAttr::get(emitter.context(), 0, encoding, /*kWidth=*/1);
      auto type = RankedTensorType::get(buffer.getShape(), buffer.getElementType(), operand);
      fragments.emplace(emitter.layoutOf(type));
      reader.emplace(type, buffer, emitter.scalar(op.getA()), emitter);
    } else {
      left.emplace(cast<TypedValue<ttg::MemDescType>>(op.getA()), 1, MatrixBuffer::Unit::WarpGroup, emitter);
    }
  }

  LogicalResult run() {
    sums = packAccumulators(emitter, emitter.registers(op.getC()));
    startsAtZero = matchPattern(op.getC(), m_Zero()) || matchPattern(op.getC(), m_AnyZeroFloat());
    if (op.getAddsC() && !startsAtZero)
      addsStart = emitter.scalar(op.getAddsC());
    findWarpOffsets();
    ttg::MemDescType rightType = op.getB().getType();
    int64_t total = rightType.getShape()[0], chunk = int64_t(op.getMaxNumImpreciseAcc());
    bool isImprecise = chunk > 0 && chunk < total && rightType.getElementTypeBitWidth() == 8 && isSingle();
    if (reader)
      return multiplyInParts(total);
    if (fragments && failed(packFragments(0, total)))
      return failure();
    fence();
    if (isImprecise) {
      multiplyInChunks(total, std::max(chunk, depth));
    } else {
      multiply(0, total);
      commit();
      if (!op.getIsAsync())
        sums = waitForProducts(emitter, sums, 0);
    }
    defineResult();
    return success();
  }

private:
  void defineResult() { emitter.define(op.getD(), unpackAccumulators(emitter, sums, result.getElementType())); }

  bool isSingle() const { return result.getElementType().isF32(); }
  void fence() { emitter.intrinsic("nvvm.wgmma.fence.sync.aligned", {}, {}); }
  void commit() { emitter.intrinsic("nvvm.wgmma.commit_group.sync.aligned", {}, {}); }

  /// Adds sums of at most `chunk` products in full precision.
  void multiplyInChunks(int64_t total, int64_t chunk) {
    Registers precise = sums;
    if (addsStart)
      for (Value &sum : precise)
        sum = emitter.select(addsStart, sum, LLVM::ZeroOp::create(emitter.b, sum.getType()));
    for (int64_t k = 0; k < total; k += chunk) {
      startsAtZero = true;
      if (k != 0)
        fence();
      multiply(k, std::min(total, k + chunk));
      commit();
      sums = waitForProducts(emitter, sums, 0);
      for (auto [sum, part] : llvm::zip_equal(precise, sums))
        sum = LLVM::FAddOp::create(emitter.b, sum, part);
    }
    sums = std::move(precise);
  }

  /// Reads a part of A while the unit multiplies the part before, which may be one of another execution of `op`. The
  /// registers of a part are written again when its products are over: when those of the next part have been issued,
  /// the program waits for all others. What is in flight after the last part is one group.
  LogicalResult multiplyInParts(int64_t total) {
    constexpr int64_t steps = 2;
    int64_t part = std::clamp(total / 2, depth, steps * depth);
    if (part == total)
      waitForOlder(0);
    for (int64_t k = 0; k < total; k += part) {
      if (failed(packFragments(k, k + part)))
        return failure();
      fence();
      multiply(k, k + part);
      startsAtZero = false;
      addsStart = {};
      commit();
      if (part != total)
        waitForOlder(1);
    }
    if (!op.getIsAsync())
      sums = waitForProducts(emitter, sums, 0);
    defineResult();
    return success();
  }

  void waitForOlder(unsigned groups) { (void)waitForProducts(emitter, {}, groups); }

  /// Words of the sums that an instruction computes, of 64 rows and N columns over 128 threads, and elements of each.
  unsigned wordsOfTile() const { return unsigned(columns) / 2 / elementsOfWord(); }
  unsigned elementsOfWord() const { return result.getElementType().isF16() ? 2 : 1; }
  /// The row and column of the first element of the tile whose sums begin with word `first`.
  gpu::Coordinates tileAt(unsigned first) {
    return gpu::registerCoordinates(emitter.layoutOf(result), first * elementsOfWord());
  }

  /// Adds the products of the elements from `begin` to `end` along K to the sums. All instructions are one piece of
  /// assembly: each piece has all sums as operands, which LLVM looks at one by one.
  void multiply(int64_t begin, int64_t end) {
    Assembly assembly{sums.size(), "{ .reg .pred adds; setp.ne.b32 adds, 1, 0; ", {}, {}};
    bool choosesStart = startsAtZero || addsStart;
    if (choosesStart) {
      std::string adds =
          startsAtZero ? "0" : assembly.add(LLVM::ZExtOp::create(emitter.b, emitter.b.getI32Type(), addsStart), "r");
      assembly.text += ".reg .pred starts; setp.ne.b32 starts, " + adds + ", 0; ";
    }
    for (int64_t k = begin; k < end; k += depth)
      for (unsigned first = 0; first < sums.size(); first += wordsOfTile())
        multiplyTile(assembly, first, k, choosesStart && k == begin ? "starts" : "adds");
    assembly.text += "}";
    std::string constraints;
    for (std::size_t index = 0; index < sums.size(); ++index)
      constraints += (index ? ",=&" : "=&") + std::string(isSingle() ? "f" : "r");
    constraints += assembly.constraints;
    for (std::size_t index = 0; index < sums.size() && !startsAtZero; ++index) {
      assembly.arguments.push_back(sums[index]);
      constraints += "," + std::to_string(index);
    }
    auto structure =
        LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(sums.size(), sums.front().getType()));
    sums = emitter.unpack(
        emitter.assembly(assembly.text, constraints, structure, assembly.arguments, /*hasSideEffects=*/true));
  }

  /// The distance of the tiles of this thread's group of warps from those of the first group, in units of 16 bytes.
  void findWarpOffsets() {
    const layout::Input *warps = emitter.layoutOf(result).findInput("warp");
    for (auto [bit, basis] : llvm::enumerate(warps->bases)) {
      if (bit < 2)
        continue; // the instruction knows the rows of the warps of a group
      if (left)
        addWarpOffset(leftOffset, unsigned(bit), left->offset(basis[0], 0));
      addWarpOffset(rightOffset, unsigned(bit), right.offset(basis[1], 0));
    }
  }

  void addWarpOffset(Value &sum, unsigned bit, int64_t bytes) {
    if (bytes == 0)
      return;
    Value isSet = emitter.bitAnd(emitter.shiftRight(emitter.uniformWarp(), bit), 1);
    Value offset = LLVM::MulOp::create(emitter.b, isSet, emitter.i32(bytes >> 4));
    sum = sum ? emitter.add(sum, offset) : offset;
  }

  /// Instructions and their operands, which follow the sums.
  struct Assembly {
    std::size_t sums;
    std::string text, constraints;
    Registers arguments;

    std::string add(Value argument, llvm::StringRef constraint) {
      arguments.push_back(argument);
      constraints += "," + constraint.str();
      return "$" + std::to_string(sums + arguments.size() - 1);
    }
  };

  /// Adds the instruction for the sums that begin with word `first`. `scale` is the predicate that says whether these
  /// are added to.
  void multiplyTile(Assembly &assembly, unsigned first, int64_t k, llvm::StringRef scale) {
    gpu::Coordinates at = tileAt(first);
    std::string list;
    for (unsigned index = first; index < first + wordsOfTile(); ++index)
      list += (index != first ? ", $" : "$") + std::to_string(index);
    std::string leftText;
    if (left) {
      leftText = assembly.add(left->descriptor(left->offset(at[0], k), leftOffset), "l");
    } else {
      for (Value word : words.at({at[0], k}))
        leftText += (leftText.empty() ? "{" : ", ") + assembly.add(word, "r");
      leftText += "}";
    }
    std::string rightText = assembly.add(right.descriptor(right.offset(at[1], k), rightOffset), "l");
    assembly.text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" + std::to_string(depth) + "." +
                     accumulatorName(result.getElementType()).str() + "." + elementTypes() + " {" + list + "}, " +
                     leftText + ", " + rightText + ", " + scale.str() +
                     (result.getElementType().isInteger() ? "" : ", 1, 1") + transpositions() + "; ";
  }

  std::string elementTypes() {
    Type a = cast<ShapedType>(op.getA().getType()).getElementType(), b = op.getB().getType().getElementType();
    return (elementName(a) + "." + elementName(b)).str();
  }

  /// Only elements of 16 bits may have either dimension as the fastest one. The instruction calls it transposed if K is
  /// the slower one.
  std::string transpositions() {
    if (op.getB().getType().getElementTypeBitWidth() != 16)
      return "";
    std::string text = left ? (left->depthMajor() ? ", 0" : ", 1") : "";
    return text + (right.depthMajor() ? ", 0" : ", 1");
  }

  /// Packs A from `begin` to `end` along K before the fence, because registers must not be written between the
  /// instructions.
  LogicalResult packFragments(int64_t begin, int64_t end) {
    for (unsigned first = 0; first < sums.size(); first += wordsOfTile())
      for (int64_t k = begin; k < end; k += depth) {
        gpu::Coordinates at = tileAt(first);
        Registers &known = words[{at[0], k}];
        if (!known.empty())
          continue;
        FailureOr<Registers> fragment = leftFragment(at, k);
        if (failed(fragment))
          return failure();
        known = std::move(*fragment);
      }
    return success();
  }

  /// The four registers of A: rows 0 and 8, first and second half of K.
  FailureOr<Registers> leftFragment(const gpu::Coordinates &at, int64_t k) {
    Type type = op.getA().getType(), element = cast<ShapedType>(type).getElementType();
    unsigned perWord = 32 / element.getIntOrFloatBitWidth();
    Registers packedWords;
    for (unsigned part = 0; part < 4; ++part) {
      Registers elements;
      for (unsigned index = 0; index < perWord; ++index) {
        gpu::Coordinates place{at[0] + int32_t(part & 1 ? 8 : 0),
                               int32_t(k + (part & 2 ? depth / 2 : 0)) + int32_t(index)};
        std::optional<unsigned> found = fragments->find(place);
        if (!found)
          return op.emitError() << "the layout of " << type << " does not have the fragments that " << result
                                << " needs";
        elements.push_back(reader ? reader->read(*found) : emitter.registers(op.getA())[*found]);
      }
      if (element.isF32()) {
        packedWords.push_back(roundToTensorFloat(emitter, elements.front(), /*capability=*/90));
        continue;
      }
      Value packed = emitter.packVector(elements);
      packedWords.push_back(packed.getType().isInteger(32)
                                ? packed
                                : LLVM::BitcastOp::create(emitter.b, emitter.b.getI32Type(), packed).getResult());
    }
    return packedWords;
  }

  ttg::WarpGroupDotOp op;
  Emitter &emitter;
  RankedTensorType result;
  ttg::NvidiaMmaEncodingAttr encoding;
  int64_t columns, depth;                                       ///< of an instruction
  std::optional<MatrixBuffer> left;                             ///< if the unit reads A
  std::optional<gpu::RegisterLookup> fragments;                 ///< of A if the unit is given registers
  std::optional<FragmentReader> reader;                         ///< of these if A is a buffer
  llvm::DenseMap<std::pair<int64_t, int64_t>, Registers> words; ///< of A, by row and place along K
  MatrixBuffer right;
  Value leftOffset, rightOffset; ///< of this thread's group of warps; null: none
  Registers sums;                ///< words of the accumulator
  bool startsAtZero = false;     ///< the accumulator need not be read
  Value addsStart;               ///< whether the accumulator counts; null: it does
};

} // namespace

LogicalResult GroupProducts::lowerProduct(ttg::WarpGroupDotOp op, Emitter &emitter) const {
  auto encoding = dyn_cast<ttg::NvidiaMmaEncodingAttr>(cast<RankedTensorType>(op.getType()).getEncoding());
  auto nvmma = [](Value operand) {
    auto buffer = dyn_cast<ttg::MemDescType>(operand.getType());
    return !buffer || isa<ttg::NvmmaSharedEncodingAttr>(buffer.getEncoding());
  };
  if (!encoding || encoding.getVersionMajor() != 3 || !nvmma(op.getA()) || !nvmma(op.getB()) ||
      elementName(op.getB().getType().getElementType()).empty())
    return op.emitError() << "wgmma does not multiply " << op.getA().getType() << " and " << op.getB().getType()
                          << " to " << op.getType();
  return WarpGroupMultiply(op, emitter).run();
}

Registers GroupProducts::emitWait(Emitter &emitter, ValueRange values, unsigned pendings) const {
  return waitForProducts(emitter, values, pendings);
}

} // namespace triton::nvidia
