// triton-translate-ptx: replaces inline assembly for NVIDIA's GPUs by operations that every target has.
#include "base/PassRunner.h"
#include "ir/Dialect.h"
#include "passes/ptx/Passes.h"
#include "passes/ptx/PtxTranslator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONTRANSLATEPTX
#include "passes/ptx/Passes.h.inc"

namespace {

/// What the constraints say of the registers: their bits, those of results first; 0 for a constant of any size.
struct Constraints {
  SmallVector<unsigned> bits;
  unsigned results = 0;
  SmallVector<std::pair<unsigned, unsigned>> ties; ///< (input, result) in one register

  /// False if a register is of a kind that PTX does not have.
  bool parse(llvm::StringRef text) {
    SmallVector<llvm::StringRef> parts;
    text.split(parts, ',');
    for (llvm::StringRef part : parts) {
      part = part.trim();
      if (part.starts_with("~"))
        continue;
      bool isResult = part.consume_front("=");
      part.consume_front("&");
      unsigned tied = 0;
      if (!isResult && !part.getAsInteger(10, tied) && tied < results) {
        ties.push_back({bits.size(), tied});
        bits.push_back(bits[tied]);
        continue;
      }
      static constexpr llvm::StringLiteral letters = "hrlfdn";
      static constexpr unsigned widths[] = {16, 32, 64, 32, 64, 0};
      std::size_t letter = part.size() == 1 ? letters.find(part[0]) : llvm::StringRef::npos;
      if (letter == llvm::StringRef::npos || (isResult && (results != bits.size() || widths[letter] == 0)))
        return false;
      bits.push_back(widths[letter]);
      results += isResult;
    }
    return true;
  }
};

/// Elements of less than 32 bits share a register: as many as fit and as the text processes at once.
unsigned elementsPerWord(Type element, unsigned packed) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits < 32 ? std::min(32 / bits, packed) : 1;
}

class AssemblyTranslator {
public:
  AssemblyTranslator(OpBuilder &builder, ElementwiseInlineAsmOp op) : b(builder), op(op) {}

  /// The PTX instruction that has no translation; empty: the text may be assembly of the target.
  std::string unknown;

  bool translate() {
    std::string code = ptx::removeComments(op.getAsmString());
    llvm::Expected<ptx::PtxText> parsed = ptx::parsePtx(code);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return false;
    }
    text = &*parsed;
    if (text->instructions.empty())
      return false;
    if (translateSynchronization())
      return true;
    auto isNumber = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8;
    };
    auto isPointer = [](Type type) { return isa<PointerType>(getElementTypeOrSelf(type)); };
    auto isGiven = [&](Type type) { return isNumber(type) || isPointer(type); };
    if (!llvm::all_of(op->getOperandTypes(), isGiven) || !llvm::all_of(op->getResultTypes(), isNumber) ||
        !constraints.parse(op.getConstraints()))
      return false;
    if (op.getPackedElement() == 1)
      return translateElements();
    return (llvm::none_of(op->getOperandTypes(), isPointer) && translateGroups()) || translateSlices();
  }

private:
  /// Whether an instruction ends with a type, as no other assembly spells them.
  bool isPtx() const {
    return llvm::any_of(text->instructions, [](const ptx::PtxInstruction &instruction) {
      llvm::StringRef last = instruction.modifiers.empty() ? "" : instruction.modifiers.back();
      unsigned bits = 0;
      last.consume_back("x2");
      return last == "pred" || last == "bf16" ||
             (last.size() >= 2 && llvm::StringRef("subf").contains(last[0]) &&
              !last.drop_front().getAsInteger(10, bits) && llvm::is_contained({8u, 16u, 32u, 64u}, bits));
    });
  }

  bool translateText(PtxTranslator &translator) {
    if (translator.translate(*text))
      return true;
    if (isPtx())
      unknown = translator.unknown;
    return false;
  }

  /// A barrier alone, or a wait for the launches before this one, which other targets do not overlap. The result is
  /// not written.
  bool translateSynchronization() {
    bool isAlone = op->getNumOperands() == 0 && !op.getPure() && text->instructions.size() == 1 &&
                   text->declarations.empty() && text->instructions[0].predicate.empty();
    if (!isAlone || !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrFloat(); }))
      return false;
    const ptx::PtxInstruction &instruction = text->instructions[0];
    bool isBarrier = llvm::is_contained({"bar", "barrier"}, instruction.opcode) && instruction.has("sync") &&
                     instruction.operands.size() == 1 && instruction.operands[0][0] == "0";
    if (!isBarrier && instruction.opcode != "griddepcontrol")
      return false;
    b.setInsertionPoint(op);
    if (isBarrier)
      mlir::gpu::BarrierOp::create(b, op.getLoc());
    SmallVector<Value> results;
    for (Type type : op->getResultTypes())
      results.push_back(arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(type)));
    op->replaceAllUsesWith(results);
    return true;
  }

  /// Runs the instructions on the elements of operands, `packed` of each operand and operand by operand. Leaves the
  /// elements of results.
  bool run(PtxTranslator &translator, llvm::ArrayRef<Value> elements, SmallVectorImpl<Value> &results) {
    unsigned packed = op.getPackedElement();
    SmallVector<Value> inputs;
    for (auto rest = elements; !rest.empty();) {
      unsigned perWord = elementsPerWord(getElementTypeOrSelf(rest[0].getType()), packed);
      SmallVector<Value> parts;
      for (Value element : rest.take_front(perWord))
        parts.push_back(translator.bitcast(element, b.getIntegerType(bitsOf(element))));
      inputs.push_back(translator.combine(parts));
      rest = rest.drop_front(perWord);
    }
    unsigned resultWords = constraints.results;
    if (resultWords + inputs.size() != constraints.bits.size())
      return false;
    for (auto [index, bits] : llvm::enumerate(constraints.bits)) {
      Value input = index < resultWords ? translator.integer(bits, 0) : inputs[index - resultWords];
      if (bits != 0 && bitsOf(input) > bits)
        return false;
      translator.operands.push_back(bits == 0 ? input : translator.resize(input, bits, /*isSigned=*/false));
    }
    for (auto [input, result] : constraints.ties)
      translator.operands[result] = translator.operands[input];
    return translateText(translator) && takeResults(translator, results);
  }

  bool takeResults(PtxTranslator &translator, SmallVectorImpl<Value> &results) {
    unsigned packed = op.getPackedElement(), word = 0;
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      unsigned perWord = elementsPerWord(element, packed), bits = element.getIntOrFloatBitWidth();
      for (unsigned i = 0; i < packed; i += perWord, ++word) {
        if (word >= constraints.results || bitsOf(translator.operands[word]) < perWord * bits)
          return false;
        for (unsigned part = 0; part < perWord; ++part)
          results.push_back(translator.bitcast(translator.cut(translator.operands[word], part * bits, bits), element));
      }
    }
    return word == constraints.results;
  }

  /// The operand, pointers as integers.
  Value number(Value operand) {
    if (!isa<PointerType>(getElementTypeOrSelf(operand.getType())))
      return operand;
    Type type = b.getI64Type();
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      type = tensor.clone(type);
    return PtrToIntOp::create(b, op.getLoc(), type, operand);
  }

  /// The text takes one element of each operand: operations on tensors.
  bool translateElements() {
    auto shape = dyn_cast<RankedTensorType>(op->getResultTypes().front());
    Block block; // dropped with what it contains if an instruction is not known
    b.setInsertionPointToStart(&block);
    PtxTranslator translator(b, op.getLoc(), shape);
    SmallVector<Value> results;
    if (!run(translator, llvm::map_to_vector(op->getOperands(), [&](Value operand) { return number(operand); }),
             results))
      return false;
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
    op->replaceAllUsesWith(results);
    return true;
  }

  /// The text takes several elements of each operand: scalar code.
  bool translateGroups() {
    unsigned packed = op.getPackedElement();
    if (op->getNumOperands() == 0)
      return false;
    Region region;
    Block &block = region.emplaceBlock();
    for (Type type : op->getOperandTypes())
      for (unsigned i = 0; i < packed; ++i)
        block.addArgument(getElementTypeOrSelf(type), op.getLoc());
    b.setInsertionPointToStart(&block);
    PtxTranslator translator(b, op.getLoc(), /*shape=*/{});
    translator.accessesMemory = false;
    SmallVector<Value> results;
    if (!run(translator, SmallVector<Value>(block.getArguments().begin(), block.getArguments().end()), results))
      return false;
    MapElementwiseReturnOp::create(b, op.getLoc(), results);
    b.setInsertionPoint(op);
    auto map = MapElementwiseOp::create(b, op.getLoc(), op->getResultTypes(), op->getOperands(), packed);
    map.getScalarOp().takeBody(region);
    op->replaceAllUsesWith(map);
    return true;
  }

  /// The elements of a tensor of pairs of pairs ..., each place in these as a tensor of its own. The last dimension
  /// counts fastest.
  SmallVector<Value> splitAll(Value tensor, unsigned count) {
    if (count == 1)
      return {tensor};
    auto halves = SplitOp::create(b, op.getLoc(), tensor);
    SmallVector<Value> even = splitAll(halves.getOutLHS(), count / 2), odd = splitAll(halves.getOutRHS(), count / 2);
    SmallVector<Value> all;
    for (auto [first, second] : llvm::zip_equal(even, odd))
      all.append({first, second});
    return all;
  }

  Value joinAll(llvm::ArrayRef<Value> parts) {
    if (parts.size() == 1)
      return parts[0];
    SmallVector<Value> even, odd;
    for (auto [i, part] : llvm::enumerate(parts))
      (i % 2 ? odd : even).push_back(part);
    return JoinOp::create(b, op.getLoc(), joinAll(even), joinAll(odd));
  }

  Value reshape(Value tensor, llvm::ArrayRef<int64_t> shape) {
    Type type = cast<RankedTensorType>(tensor.getType()).clone(shape);
    return ReshapeOp::create(b, op.getLoc(), type, tensor, /*allow_reorder=*/false, /*efficient_layout=*/false);
  }

  /// The text takes several elements of each operand, and needs operations that exist for tensors alone: each place in
  /// the groups becomes a tensor.
  bool translateSlices() {
    unsigned packed = op.getPackedElement();
    auto tensor = dyn_cast<RankedTensorType>(op->getResultTypes().front());
    if (!tensor || !llvm::isPowerOf2_32(packed) || tensor.getNumElements() % packed != 0 || op->getNumOperands() == 0)
      return false;
    auto slice = RankedTensorType::get({tensor.getNumElements() / packed}, tensor.getElementType());
    SmallVector<int64_t> groups(slice.getShape());
    groups.append(llvm::Log2_32(packed), 2);
    Block block; // dropped with what it contains if an instruction is not known
    b.setInsertionPointToStart(&block);
    SmallVector<Value> elements, results;
    for (Value operand : op->getOperands())
      llvm::append_range(elements, splitAll(reshape(number(operand), groups), packed));
    PtxTranslator translator(b, op.getLoc(), slice);
    if (!run(translator, elements, results))
      return false;
    SmallVector<Value> whole;
    for (std::size_t first = 0; first < results.size(); first += packed)
      whole.push_back(reshape(joinAll(llvm::ArrayRef(results).slice(first, packed)), tensor.getShape()));
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
    op->replaceAllUsesWith(whole);
    return true;
  }

  OpBuilder &b;
  ElementwiseInlineAsmOp op;
  const ptx::PtxText *text = nullptr;
  Constraints constraints;
};

struct TranslatePtxPass : impl::TritonTranslatePtxBase<TranslatePtxPass> {
  void runOnOperation() override {
    SmallVector<ElementwiseInlineAsmOp> assembly;
    getOperation().walk([&](ElementwiseInlineAsmOp op) { assembly.push_back(op); });
    OpBuilder builder(&getContext());
    for (ElementwiseInlineAsmOp op : assembly) {
      AssemblyTranslator translator(builder, op);
      if (translator.translate()) {
        op.erase();
      } else if (!translator.unknown.empty()) {
        op.emitError()
            << base::unsupportedPrefix << "this target: `" << translator.unknown
            << "` of `tl.inline_asm_elementwise` has no translation; the text is PTX, the assembly of NVIDIA "
               "GPUs: compile for `cuda`, or choose the text by the target";
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace triton::tt
