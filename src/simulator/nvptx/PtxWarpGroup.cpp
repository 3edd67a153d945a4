// wgmma in inline assembly: `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d...}, a, b, p, 1, 1, 0, 0`, where a is
// a descriptor or the registers of A, and the instructions that belong to it.
#include "simulator/nvptx/PtxDecoder.h"
#include "simulator/nvptx/WarpGroupProduct.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

namespace triton::simulator::nvptx {

static std::optional<WarpGroupProduct::Factor> factorOf(llvm::StringRef type) {
  using Factor = WarpGroupProduct::Factor;
  return llvm::StringSwitch<std::optional<Factor>>(type)
      .Case("f16", Factor{.format = MatrixElement::Half, .bits = 16})
      .Case("bf16", Factor{.format = MatrixElement::BFloat, .bits = 16})
      .Case("tf32", Factor{.format = MatrixElement::TF32, .bits = 32})
      .Case("e4m3", Factor{.format = MatrixElement::E4M3, .bits = 8})
      .Case("e5m2", Factor{.format = MatrixElement::E5M2, .bits = 8})
      .Case("s8", Factor{.isInteger = true, .isSigned = true, .bits = 8})
      .Case("u8", Factor{.isInteger = true, .isSigned = false, .bits = 8})
      .Default(std::nullopt);
}

/// The form that the modifiers after `wgmma.mma_async.sync.aligned` describe.
static std::optional<WarpGroupProduct> parseForm(llvm::ArrayRef<llvm::StringRef> modifiers) {
  static const llvm::Regex shape("^m64n([0-9]+)k([0-9]+)$");
  llvm::SmallVector<llvm::StringRef, 3> sizes;
  WarpGroupProduct product;
  product.saturates = llvm::is_contained(modifiers, "satfinite");
  if (modifiers.size() != (product.saturates ? 5u : 4u) || !shape.match(modifiers[0], &sizes))
    return std::nullopt;
  sizes[1].getAsInteger(10, product.columns);
  sizes[2].getAsInteger(10, product.depth);
  llvm::ArrayRef<llvm::StringRef> types = modifiers.take_back(3);
  std::optional<WarpGroupProduct::Factor> a = factorOf(types[1]), b = factorOf(types[2]);
  if (!a || !b)
    return std::nullopt;
  product.a = *a;
  product.b = *b;
  bool isFp8 = !a->isInteger && a->bits == 8, isTF32 = a->bits == 32;
  // 8-bit types may be mixed.
  bool fit = a->isInteger == b->isInteger && a->bits == b->bits && (a->bits == 8 || a->format == b->format);
  bool hasHalf = types[0] == "f16", isBFloat = a->bits == 16 && a->format == MatrixElement::BFloat;
  bool fitsResult = a->isInteger ? types[0] == "s32" : types[0] == "f32" || (hasHalf && !isTF32 && !isBFloat);
  unsigned n = product.columns;
  bool fitsColumns = n >= 8 && n <= 256 && n % 8 == 0 && (!a->isInteger || n <= 32 || n % 16 == 0);
  if (!fit || !fitsResult || !fitsColumns || product.depth != 256 / a->bits || (product.saturates && !a->isInteger))
    return std::nullopt;
  product.accumulator = hasHalf ? MatrixSum::Accumulator::Half
                        : isFp8 ? MatrixSum::Accumulator::NarrowSingle
                                : MatrixSum::Accumulator::Single;
  return product;
}

/// The value of an operand that is a constant, in the text or among the call's arguments.
std::optional<int64_t> PtxDecoder::constant(const PtxOperand &operand) const {
  int64_t value = 0;
  llvm::StringRef text = operand.size() == 1 ? operand.front() : "";
  if (!text.getAsInteger(0, value))
    return value;
  auto *argument = llvm::dyn_cast_or_null<llvm::ConstantInt>(argumentIn(text, call, operands.size()));
  return argument ? std::optional(argument->getSExtValue()) : std::nullopt;
}

/// The registers of an operand in braces, or numbers, of 32 bits each.
llvm::Expected<std::vector<RegisterOffset>> PtxDecoder::words(const PtxInstruction &instruction,
                                                              const PtxOperand &operand) const {
  std::vector<RegisterOffset> offsets;
  for (llvm::StringRef name : operand) {
    if (int32_t number = 0; !name.getAsInteger(0, number)) {
      offsets.push_back(decoder.constantRegister(uint32_t(number), 4));
      continue;
    }
    llvm::Expected<PtxRegister> found = find(name);
    if (!found)
      return found.takeError();
    if (found->bytes != 4)
      return decoder.refuse("`" + instruction.text + "` in inline assembly: `" + name + "` is of another size");
    offsets.push_back(found->offset);
  }
  return offsets;
}

/// `flags`: the signs and, for 16-bit types, the transpositions that follow the predicate. False if they are too few or
/// too many.
static bool setFlags(WarpGroupProduct &product, llvm::ArrayRef<int64_t> flags) {
  bool aInRegisters = !product.aRegisters.empty();
  unsigned signs = product.a.isInteger ? 0 : 2, transpositions = product.a.bits != 16 ? 0 : aInRegisters ? 1 : 2;
  if (flags.size() != signs + transpositions)
    return false;
  if (signs != 0) {
    product.a.isNegated = flags[0] < 0;
    product.b.isNegated = flags[1] < 0;
  }
  if (transpositions != 0)
    product.b.isTransposed = flags.back() != 0;
  if (transpositions == 2)
    product.a.isTransposed = flags[2] != 0;
  return true;
}

llvm::Error PtxDecoder::decodeProduct(const PtxInstruction &instruction) {
  std::string refusal = "`" + instruction.text.str() + "` in inline assembly";
  std::optional<WarpGroupProduct> product = parseForm(llvm::ArrayRef(instruction.modifiers).drop_front(3));
  if (!product || instruction.operands.size() < 4)
    return decoder.refuse(refusal);
  llvm::ArrayRef<PtxOperand> names = instruction.operands;
  llvm::Expected<std::vector<RegisterOffset>> results = words(instruction, names[0]);
  if (!results)
    return results.takeError();
  product->results = std::move(*results);
  unsigned words32 = product->columns / (product->hasHalfResults() ? 4 : 2);
  bool areWritable = llvm::none_of(product->results, [](RegisterOffset offset) { return offset & constantBit; });
  if (product->results.size() != words32 || !areWritable)
    return decoder.refuse(refusal);
  const PtxType address{'b', 8, false, std::nullopt};
  if (names[1].size() > 1) {
    llvm::Expected<std::vector<RegisterOffset>> registers = words(instruction, names[1]);
    if (!registers)
      return registers.takeError();
    product->aRegisters = std::move(*registers);
    if (product->aRegisters.size() != 4)
      return decoder.refuse(refusal);
  } else {
    llvm::Expected<RegisterOffset> descriptor = source(instruction, 1, address);
    if (!descriptor)
      return descriptor.takeError();
    product->aDescriptor = *descriptor;
  }
  llvm::Expected<RegisterOffset> descriptor = source(instruction, 2, address),
                                 adds = source(instruction, 3, {'p', 0, false, std::nullopt});
  if (llvm::Error error = llvm::joinErrors(descriptor.takeError(), adds.takeError()))
    return error;
  product->bDescriptor = *descriptor;
  product->addsToResults = *adds;
  llvm::SmallVector<int64_t, 4> flags;
  for (const PtxOperand &operand : llvm::drop_begin(instruction.operands, 4)) {
    std::optional<int64_t> flag = constant(operand);
    if (!flag)
      return decoder.refuse(refusal);
    flags.push_back(*flag);
  }
  if (!setFlags(*product, flags))
    return decoder.refuse(refusal);
  auto detail = std::make_shared<WarpGroupProduct>(std::move(*product));
  decoder.emit(warpGroupProductHandler()).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  decoder.program.hasPartialBarriers = true; // for the waits of warps for themselves
  return llvm::Error::success();
}

llvm::Error PtxDecoder::decodeWarpGroup(const PtxInstruction &instruction) {
  auto refuse = [&] { return decoder.refuse("`" + instruction.text + "` in inline assembly"); };
  llvm::ArrayRef<llvm::StringRef> modifiers = instruction.modifiers;
  if (!instruction.predicate.empty() || modifiers.size() < 3 || modifiers[1] != "sync" || modifiers[2] != "aligned")
    return refuse();
  if (modifiers[0] == "mma_async")
    return decodeProduct(instruction);
  std::optional<int64_t> count = instruction.operands.empty() ? std::nullopt : constant(instruction.operands[0]);
  if (modifiers[0] == "wait_group" && count)
    decoder.emit(productWaitHandler()).immediate = *count;
  else if (modifiers[0] == "fence")
    decoder.emit(productFenceHandler());
  else if (modifiers[0] == "commit_group")
    decoder.emit(productCommitHandler());
  else
    return refuse();
  return llvm::Error::success();
}

} // namespace triton::simulator::nvptx
