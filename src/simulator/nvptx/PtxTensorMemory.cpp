// tcgen05 in inline assembly.
#include "simulator/nvptx/PtxDecoder.h"
#include "simulator/nvptx/TensorUnit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::nvptx {

class TensorMemoryDecoder {
public:
  explicit TensorMemoryDecoder(PtxDecoder &ptx) : ptx(ptx), decoder(ptx.decoder) {}

  llvm::Error decode(const PtxInstruction &instruction);

private:
  using Place = llvm::Expected<RegisterOffset>;

  llvm::Error decodeColumns(const PtxInstruction &instruction);
  llvm::Error decodeTransfer(const PtxInstruction &instruction);
  llvm::Error decodeProduct(const PtxInstruction &instruction);
  llvm::Error refuse(const PtxInstruction &instruction) const {
    return decoder.refuse("`" + instruction.text + "` in inline assembly");
  }

  PtxDecoder &ptx;
  Decoder &decoder;
};

/// `tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], 64`, `tcgen05.dealloc... $0, 64`.
llvm::Error TensorMemoryDecoder::decodeColumns(const PtxInstruction &instruction) {
  bool isRelease = instruction.has("dealloc");
  std::optional<int64_t> count =
      instruction.operands.size() == 2 ? ptx.constant(instruction.operands[1]) : std::nullopt;
  if (!count || !instruction.predicate.empty())
    return refuse(instruction);
  Place place =
      isRelease ? ptx.source(instruction, 0, {'b', 4, false, std::nullopt}) : ptx.address(instruction.operands[0]);
  if (!place)
    return place.takeError();
  decoder.emit(isRelease ? releaseColumnsHandler() : reserveColumnsHandler(), 0, {*place}).immediate = *count;
  return llvm::Error::success();
}

/// `tcgen05.ld.sync.aligned.32x32b.x16.b32 {$0, ...}, [$16+32]`; tcgen05.st has the operands in the other order. Those
/// of 16x32bx2 have a number between or behind them.
llvm::Error TensorMemoryDecoder::decodeTransfer(const PtxInstruction &instruction) {
  using Shape = TensorTransfer::Shape;
  TensorTransfer transfer{.isStore = instruction.modifiers[0] == "st"};
  auto shape =
      llvm::StringSwitch<std::optional<Shape>>(instruction.modifiers.size() > 3 ? instruction.modifiers[3] : "")
          .Case("32x32b", Shape::Rows32)
          .Case("16x32bx2", Shape::Rows16Twice)
          .Case("16x64b", Shape::Columns64)
          .Case("16x128b", Shape::Columns128)
          .Case("16x256b", Shape::Columns256)
          .Default(std::nullopt);
  bool hasHalf = shape == Shape::Rows16Twice;
  unsigned registers = transfer.isStore ? (hasHalf ? 2 : 1) : 0;
  if (!shape || !instruction.predicate.empty() || instruction.operands.size() != (hasHalf ? 3u : 2u))
    return refuse(instruction);
  transfer.shape = *shape;
  if (hasHalf) {
    std::optional<int64_t> half = ptx.constant(instruction.operands[transfer.isStore ? 1 : 2]);
    if (!half)
      return refuse(instruction);
    transfer.half = unsigned(*half);
  }
  llvm::Expected<std::vector<RegisterOffset>> moved = ptx.words(instruction, instruction.operands[registers]);
  Place place = ptx.address(instruction.operands[transfer.isStore ? 0 : 1]);
  if (llvm::Error error = llvm::joinErrors(moved.takeError(), place.takeError()))
    return error;
  transfer.registers = std::move(*moved);
  transfer.address = *place;
  auto detail = std::make_shared<TensorTransfer>(std::move(transfer));
  decoder.emit(tensorTransferHandler()).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  return llvm::Error::success();
}

static std::optional<TensorProduct::Kind> tensorKindOf(llvm::StringRef name) {
  using Kind = TensorProduct::Kind;
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Case("kind::f16", Kind::Halves)
      .Case("kind::tf32", Kind::Tf32)
      .Case("kind::f8f6f4", Kind::Narrow)
      .Case("kind::i8", Kind::Bytes)
      .Case("kind::mxf8f6f4.block_scale.block32", Kind::Scaled32)
      .Case("kind::mxf4.block_scale.block32", Kind::PackedScaled32)
      .Case("kind::mxf4nvf4.block_scale.block16", Kind::PackedScaled16)
      .Default(std::nullopt);
}

/// `tcgen05.mma.cta_group::1.kind::f16 [d], a, b, description, p`, where a is a descriptor or an address in brackets.
/// Addresses of scales stand before the predicate.
llvm::Error TensorMemoryDecoder::decodeProduct(const PtxInstruction &instruction) {
  std::string name = llvm::join(llvm::ArrayRef(instruction.modifiers).drop_front(2), ".");
  std::optional<TensorProduct::Kind> kind = tensorKindOf(name);
  llvm::ArrayRef<PtxOperand> names = instruction.operands;
  if (!kind || instruction.modifiers[1] != "cta_group::1")
    return refuse(instruction);
  TensorProduct product{.kind = *kind};
  if (names.size() != (product.hasScales() ? 7u : 5u) || names[1].empty())
    return refuse(instruction);
  const PtxType wide{'b', 8, false, std::nullopt};
  product.isLeftInMemory = names[1].front().starts_with("[");
  llvm::Error error = llvm::Error::success();
  auto set = [&](RegisterOffset &target, llvm::Expected<RegisterOffset> value) {
    if (value)
      target = *value;
    else
      error = llvm::joinErrors(std::move(error), value.takeError());
  };
  set(product.d, ptx.address(names[0]));
  set(product.a, product.isLeftInMemory ? ptx.address(names[1]) : ptx.source(instruction, 1, wide));
  set(product.b, ptx.source(instruction, 2, wide));
  set(product.description, ptx.source(instruction, 3, {'b', 4, false, std::nullopt}));
  if (product.hasScales()) {
    set(product.aScale, ptx.address(names[4]));
    set(product.bScale, ptx.address(names[5]));
  }
  set(product.adds, ptx.source(instruction, unsigned(names.size()) - 1, {'p', 0, false, std::nullopt}));
  set(product.lanes, ptx.guard(instruction));
  if (error)
    return error;
  auto detail = std::make_shared<TensorProduct>(product);
  decoder.emit(tensorProductHandler()).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  return llvm::Error::success();
}

llvm::Error TensorMemoryDecoder::decode(const PtxInstruction &instruction) {
  llvm::ArrayRef<llvm::StringRef> modifiers = instruction.modifiers;
  if (modifiers.empty())
    return refuse(instruction);
  decoder.program.hasPartialBarriers = true;
  llvm::StringRef name = modifiers[0];
  // Transfers have ended when their instruction has run.
  if (name.starts_with("fence::") || name.starts_with("wait::"))
    return llvm::Error::success();
  if (name == "alloc" || name == "dealloc")
    return decodeColumns(instruction);
  if (name == "relinquish_alloc_permit") {
    decoder.emit(giveUpColumnsHandler());
    return llvm::Error::success();
  }
  if (name == "ld" || name == "st")
    return decodeTransfer(instruction);
  if (name == "mma" && modifiers.size() > 2)
    return decodeProduct(instruction);
  bool isCommit = name == "commit" && instruction.has("mbarrier::arrive::one") && instruction.operands.size() == 1,
       isCopy =
           name == "cp" && instruction.has("32x128b") && instruction.has("warpx4") && instruction.operands.size() == 2;
  if ((!isCommit && !isCopy) || !instruction.has("cta_group::1"))
    return refuse(instruction);
  Place place = ptx.address(instruction.operands[0]), lanes = ptx.guard(instruction);
  if (llvm::Error error = llvm::joinErrors(place.takeError(), lanes.takeError()))
    return error;
  if (isCommit) {
    decoder.emit(tensorCommitHandler(), 0, {*place, *lanes});
    return llvm::Error::success();
  }
  llvm::Expected<RegisterOffset> matrix = ptx.source(instruction, 1, {'b', 8, false, std::nullopt});
  if (!matrix)
    return matrix.takeError();
  decoder.emit(tensorCopyHandler(), 0, {*place, *matrix, *lanes});
  return llvm::Error::success();
}

llvm::Error decodeTensorMemory(PtxDecoder &ptx, const PtxInstruction &instruction) {
  return TensorMemoryDecoder(ptx).decode(instruction);
}

} // namespace triton::simulator::nvptx
