// ds_read_tr and ds_load_tr: reads of shared memory by which groups of lanes get columns of what they read in rows
// (LLVM's int_amdgcn_ds_read_tr and int_amdgcn_ds_load_tr, and the ISA document of CDNA 4).
#include "backends/amd/lowering/AmdEmitter.h"
#include "gpu/lowering/LayoutEmission.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// One instruction reads a row of eight bytes in each lane of 16, or on gfx1250 of 16 bytes in each lane of eight. With
/// n elements in a row and m lanes, element r of lane i is element i % n of the row of lane i / n + m / n * r.
/// Neighbouring elements therefore belong to neighbouring lanes, and a lane gets elements of n rows.
class TransposingRead {
public:
  TransposingRead(Emitter &emitter, const Architecture &architecture, const LinearLayout &offsets, Type element)
      : emitter(emitter), element(gpu::memoryType(element)), bytes(offsets, 0),
        rowBytes(architecture.isGfx1250() ? 16 : 8), groupBits(architecture.isGfx1250() ? 3 : 4),
        fewestBytes(architecture.fewestTransposedBits() / 8) {
    auto elementBytes = int32_t(gpu::memoryBytes(element));
    for (SmallVector<int32_t> *bases : {&bytes.registers, &bytes.lanes, &bytes.warps})
      for (int32_t &basis : *bases)
        basis *= elementBytes;
    rowBits = llvm::Log2_32(unsigned(rowBytes / elementBytes));
  }

  /// Whether the elements lie so that these instructions read them.
  bool isPossible() const {
    unsigned elementBytes = unsigned(rowBytes) >> rowBits;
    if (elementBytes > 2 || elementBytes < fewestBytes || bytes.lanes.size() < groupBits ||
        bytes.registers.size() < rowBits)
      return false;
    for (unsigned bit = 0; bit < rowBits; ++bit)
      if (bytes.lanes[bit] != int32_t(elementBytes << bit))
        return false;
    auto startsRow = [&](int32_t offset) { return offset % rowBytes == 0; };
    return llvm::all_of(llvm::drop_begin(bytes.lanes, rowBits), startsRow) &&
           llvm::all_of(bytes.registers, startsRow) && llvm::all_of(bytes.warps, startsRow);
  }

  Registers load(Value base) {
    // The rows that lanes read: the high bits of a lane's number in its group count the registers of an instruction.
    gpu::IndexMap rows = bytes;
    for (unsigned bit = 0; bit < groupBits; ++bit)
      rows.lanes[bit] =
          bit + rowBits < groupBits ? bytes.lanes[bit + rowBits] : bytes.registers[bit + rowBits - groupBits];
    Value threadPart = rows.emitThreadPart(emitter);
    Registers registers;
    llvm::DenseMap<int32_t, Value> starts; // by what the registers' part flips of the thread's bits
    for (unsigned first = 0; first < 1u << bytes.registers.size(); first += 1u << rowBits) {
      int32_t constant = bytes.ofRegister(first), flipped = constant & rows.threadBits();
      Value &start = starts[flipped];
      if (!start)
        start = emitter.offsetPointer(base, emitter.bitXor(threadPart, emitter.i32(flipped)));
      registers.append(read(emitter.offsetPointer(start, constant & ~rows.threadBits())));
    }
    return registers;
  }

private:
  Registers read(Value address) {
    auto &b = emitter.b;
    bool isByte = rowBytes >> rowBits == 1;
    Type moved = isByte ? VectorType::get(2, b.getI32Type()) : VectorType::get(rowBytes / 2, b.getI16Type());
    Value row = emitter.intrinsic(rowBytes == 16 ? "amdgcn.ds.load.tr16.b128"
                                  : isByte       ? "amdgcn.ds.read.tr8.b64"
                                                 : "amdgcn.ds.read.tr16.b64",
                                  moved, address);
    Type elements = VectorType::get(int64_t(1) << rowBits, element);
    return emitter.unpackVector(moved == elements ? row : LLVM::BitcastOp::create(b, elements, row).getResult());
  }

  Emitter &emitter;
  Type element; ///< as it is in memory
  gpu::IndexMap bytes;
  int32_t rowBytes;
  unsigned groupBits;   ///< of the number of a lane in its group
  unsigned fewestBytes; ///< of an element
  unsigned rowBits;     ///< of the number of an element in a row
};

} // namespace

std::optional<Registers> AmdEmitter::emitMatrixLoad(Emitter &emitter, Value base, const LinearLayout &offsets,
                                                    Type element) const {
  bool isPlain = !isa<LLVM::LLVMPointerType>(element) && !element.isInteger(1);
  if (!architecture.hasTransposingReads || !isPlain)
    return std::nullopt;
  TransposingRead read(emitter, architecture, offsets, element);
  return read.isPossible() ? std::optional(read.load(base)) : std::nullopt;
}

} // namespace triton::amd
