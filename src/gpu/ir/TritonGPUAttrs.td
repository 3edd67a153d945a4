// Encodings of the dialect ttg. Each is a constructor of a linear layout, see EncodingLayouts.cpp.
#ifndef TRITON_GPU_IR_ATTRS_TD
#define TRITON_GPU_IR_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "gpu/ir/TritonGPUDialect.td"
include "gpu/ir/TritonGPUInterfaces.td"

class TTG_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<TritonGPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// Written as `<{name = value, ...}>`, as Triton does.
///
/// `blockBases` of an encoding says which part of a tensor each block of a cluster has: for each bit of the block's number
/// the coordinates of its part, one for each dimension, in units of parts; a basis of zeros makes blocks with the same
/// part. There are none when a program is one block, and then nothing is printed. The text is `CGALayout = [[1, 0], ...]`,
/// or, as older Triton has it, `CTAsPerCGA`, `CTASplitNum` and `CTAOrder`.
class TTG_Encoding<string name, string attrMnemonic, list<Trait> traits = []>
    : TTG_Attr<name, attrMnemonic, traits # [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTG_BlockedEncoding : TTG_Encoding<"BlockedEncoding", "blocked"> {
  let summary = "a box of elements a thread, a box of threads a warp, a box of warps";
  let description = [{
    `order` lists the dimensions, the fastest first. The box is repeated over the tensor in registers; where it is larger
    than the tensor, threads hold copies.
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$sizePerThread, ArrayRefParameter<"unsigned">:$threadsPerWarp,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA, ArrayRefParameter<"unsigned">:$order,
                        ArrayRefParameter<"int32_t">:$blockBases);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<unsigned>":$sizePerThread, "::llvm::ArrayRef<unsigned>":$threadsPerWarp,
                     "::llvm::ArrayRef<unsigned>":$warpsPerCTA, "::llvm::ArrayRef<unsigned>":$order),
      "return $_get($_ctxt, sizePerThread, threadsPerWarp, warpsPerCTA, order, ::llvm::ArrayRef<int32_t>());">,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<unsigned>":$sizePerThread,
                     "::llvm::ArrayRef<unsigned>":$order, "unsigned":$numWarps, "unsigned":$threadsPerWarp),
      "return getDefault($_ctxt, shape, sizePerThread, order, numWarps, threadsPerWarp);">
  ];
  let extraClassDeclaration = [{
    /// Threads and warps spread over `shape` along `order`, the fastest dimension first.
    static BlockedEncodingAttr getDefault(::mlir::MLIRContext *context, ::llvm::ArrayRef<int64_t> shape,
                                          ::llvm::ArrayRef<unsigned> sizePerThread, ::llvm::ArrayRef<unsigned> order,
                                          unsigned numWarps, unsigned threadsPerWarp);
  }];
}

def TTG_AutoEncoding : TTG_Attr<"AutoEncoding", "auto"> {
  let summary = "a layout that is still to be inferred";
  let description = "Of tensors in Gluon that name no layout. `tritongpu-resolve-layouts` replaces it.";
}

def TTG_CoalescedEncoding : TTG_Attr<"CoalescedEncoding", "coalesced"> {
  let summary = "the layout, still to be chosen, in which accesses of global memory move whole lines";
  let description = "Of tensors in Gluon that ask for it. `tritongpu-resolve-layouts` replaces it.";
}

def TTG_SliceEncoding : TTG_Encoding<"SliceEncoding", "slice"> {
  let summary = "what is left of an encoding without one dimension";
  let description = "The layout of a reduction's result along `dim`, and of what `tt.expand_dims` makes `parent` of.";
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
}

def TTG_NvidiaMmaEncoding : TTG_Encoding<"NvidiaMmaEncoding", "nvidia_mma", [
    DeclareAttrInterfaceMethods<TTG_MatrixEncodingInterface>]> {
  let summary = "the accumulator fragments of mma.sync and wgmma";
  let description = [{
    `versionMajor` 2 is mma.sync (sm_80 and later). Tiles of `instrShape` (16 x 8) are spread over `warpsPerCTA`, the last
    dimension fastest, and repeated in registers.

    `versionMajor` 3 is wgmma (sm_90). `instrShape` is 16 x N x K: the rows of one warp, of which four neighbours along the
    rows compute one product, its columns, and its depth. Tiles are spread over `warpsPerCTA`, the first dimension fastest.
  }];
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA, ArrayRefParameter<"unsigned">:$instrShape,
                        ArrayRefParameter<"int32_t">:$blockBases);
  let builders = [
    AttrBuilder<(ins "unsigned":$versionMajor, "unsigned":$versionMinor, "::llvm::ArrayRef<unsigned>":$warpsPerCTA,
                     "::llvm::ArrayRef<unsigned>":$instrShape),
      "return $_get($_ctxt, versionMajor, versionMinor, warpsPerCTA, instrShape, ::llvm::ArrayRef<int32_t>());">
  ];
}

def TTG_AmdMfmaEncoding : TTG_Encoding<"AmdMfmaEncoding", "amd_mfma", [
    DeclareAttrInterfaceMethods<TTG_MatrixEncodingInterface>]> {
  let summary = "the accumulator fragments of AMD's matrix instructions v_mfma";
  let description = [{
    `version` 2 is gfx90a, 3 is gfx942, 4 is gfx950. `instrShape` is rows x columns x depth; tiles of 16 x 16 or 32 x 32 are
    spread over `warpsPerCTA`, the last dimension fastest. A thread holds four neighbours of a column, or of a row where the
    result is `isTransposed`: then the instruction computes the transposed product of the exchanged operands.
    `elementBitWidth` is the width of accumulators, 32 or 64. A warp has `tilesPerWarp` neighbouring tiles along
    each dimension; it is left out where all are 1.
  }];
  let parameters = (ins "unsigned":$version, ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        ArrayRefParameter<"unsigned">:$instrShape, "bool":$isTransposed, "unsigned":$elementBitWidth,
                        ArrayRefParameter<"unsigned">:$tilesPerWarp, ArrayRefParameter<"int32_t">:$blockBases);
  let builders = [
    AttrBuilder<(ins "unsigned":$version, "::llvm::ArrayRef<unsigned>":$warpsPerCTA,
                     "::llvm::ArrayRef<unsigned>":$instrShape, "bool":$isTransposed, "unsigned":$elementBitWidth),
      [{return $_get($_ctxt, version, warpsPerCTA, instrShape, isTransposed, elementBitWidth,
                     ::llvm::ArrayRef<unsigned>(), ::llvm::ArrayRef<int32_t>());}]>
  ];
}

def TTG_AmdWmmaEncoding : TTG_Encoding<"AmdWmmaEncoding", "amd_wmma", [
    DeclareAttrInterfaceMethods<TTG_MatrixEncodingInterface>]> {
  let summary = "the accumulator fragments of AMD's matrix instructions v_wmma, for warps of 32 lanes";
  let description = [{
    `version` 1 is gfx11, 2 is gfx12. `ctaLayout` says which tile of 16 x 16 each bit of a register's and of a warp's number
    adds; in place of it, `warpsPerCTA` stands for warps along the last dimension first. A thread holds eight elements of
    a column, or of a row where the result is `isTransposed`, as on #ttg.amd_mfma.

    ```mlir
    #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[0, 1]], warp = [[1, 0], [0, 2]]},
                   instrShape = [16, 16, 32]}>
    ```
  }];
  let parameters = (ins "unsigned":$version, "bool":$isTransposed, "unsigned":$rank,
                        ArrayRefParameter<"int32_t">:$registerBases, ArrayRefParameter<"int32_t">:$warpBases,
                        ArrayRefParameter<"unsigned">:$instrShape, ArrayRefParameter<"int32_t">:$blockBases);
  let builders = [
    AttrBuilder<(ins "unsigned":$version, "bool":$isTransposed, "::llvm::ArrayRef<unsigned>":$warpsPerCTA,
                     "::llvm::ArrayRef<unsigned>":$instrShape),
      [{return $_get($_ctxt, version, isTransposed, warpsPerCTA.size(), ::llvm::ArrayRef<int32_t>(),
                     basesOfWarps(warpsPerCTA), instrShape, ::llvm::ArrayRef<int32_t>());}]>
  ];
  let extraClassDeclaration = [{
    /// Those of warps that lie along the last dimension first, one after the other.
    static ::llvm::SmallVector<int32_t> basesOfWarps(::llvm::ArrayRef<unsigned> warpsPerCTA);
    /// The same for products of another depth, or of another version.
    AmdWmmaEncodingAttr withInstruction(unsigned version, unsigned depth) const;
  }];
}

def TTG_DotOperandEncoding : TTG_Encoding<"DotOperandEncoding", "dot_op"> {
  let summary = "operand `opIdx` (0: A, 1: B) of a dot whose result has the encoding `parent`";
  let description = [{
    `kWidth` is the number of consecutive elements along K that a thread holds, as the matrix units ask. With a
    blocked parent (products on ordinary units) every thread holds all of K, and kWidth is 0.
  }];
  let parameters = (ins "unsigned":$opIdx, "::mlir::Attribute":$parent, "unsigned":$kWidth);
}

def TTG_LinearEncoding : TTG_Encoding<"LinearEncoding", "linear"> {
  let summary = "a linear layout given by its bases";
  let description = [{
    For what no named encoding describes, such as a reshaped one. One list of coordinates for each of `register`, `lane`,
    `warp` and `block`. Without `shape`, as Triton writes it, the bases say what it is.
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$shape, ArrayRefParameter<"int32_t">:$registerBases,
                        ArrayRefParameter<"int32_t">:$laneBases, ArrayRefParameter<"int32_t">:$warpBases,
                        ArrayRefParameter<"int32_t">:$blockBases);
  let extraClassDeclaration = [{
    /// The bases are stored one after the other, `shape.size()` numbers each.
    static LinearEncodingAttr get(::mlir::MLIRContext *context, const ::triton::layout::LinearLayout &layout);
    ::triton::layout::LinearLayout getLayout() const;
  }];
}

def TTG_SwizzledSharedEncoding : TTG_Encoding<"SwizzledSharedEncoding", "swizzled_shared", [
    DeclareAttrInterfaceMethods<TTG_SharedEncodingInterface>]> {
  let summary = "row-major shared memory whose vectors of `vec` elements are permuted from row to row";
  let description = [{
    With c the fastest dimension and r the next, element (r, c) lies at r * columns + (c ^ vec * ((r / perPhase) %
    maxPhase)). `order` lists the dimensions, the fastest first. Where there is a `fold`, (r / perPhase) is combined with
    itself divided by `fold` by exclusive or, so that rows at this distance differ as neighbours do.
  }];
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase,
                        ArrayRefParameter<"unsigned">:$order, ArrayRefParameter<"int32_t">:$blockBases,
                        DefaultValuedParameter<"unsigned", "0">:$fold);
  let builders = [
    AttrBuilder<(ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase, "::llvm::ArrayRef<unsigned>":$order,
                     CArg<"::llvm::ArrayRef<int32_t>", "{}">:$blockBases),
      "return $_get($_ctxt, vec, perPhase, maxPhase, order, blockBases, /*fold=*/0);">
  ];
}

def TTG_NvmmaSharedEncoding : TTG_Encoding<"NvmmaSharedEncoding", "nvmma_shared", [
    DeclareAttrInterfaceMethods<TTG_SharedEncodingInterface, ["getPaddings"]>]> {
  let summary = "shared memory as NVIDIA's matrix units and bulk copies of tensors read and write it";
  let description = [{
    The last dimension, or the one before where it is `transposed`, is cut into pieces of `swizzlingByteWidth` bytes (16
    where that is 0). All rows of the first piece lie one after the other, then all rows of the next. In each group of 8
    rows the 16-byte chunk c of row r lies where chunk c ^ (r / (128 / width)) % (width / 16) would; with a width of 0
    chunks stay. That makes bits 4 to 6 of an address, or fewer of them, their XOR with bits 7 to 9, so that a buffer
    starts at a multiple of 8 * width bytes, or of 128.

    `elementBitWidth` is the width of the buffer's elements. `rank` counts the dimensions that are ordered so; those
    before the last two are rows too. A single dimension is one row. With a width of 0 and more than two dimensions,
    rows of up to 256 elements are not cut.

    With `fp4Padded` a byte holds two floats of 4 bits, and after each 8 bytes 8 lie unused, so that a chunk has 16 such
    floats. `swizzlingByteWidth` is 128, and counts what lies unused.
  }];
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth,
                        "unsigned":$rank, ArrayRefParameter<"int32_t">:$blockBases,
                        DefaultValuedParameter<"bool", "false">:$fp4Padded);
  let builders = [
    AttrBuilder<(ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth),
      "return $_get($_ctxt, swizzlingByteWidth, transposed, elementBitWidth, 2u, ::llvm::ArrayRef<int32_t>(), false);">,
    AttrBuilder<(ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth, "unsigned":$rank,
                     "::llvm::ArrayRef<int32_t>":$blockBases),
      "return $_get($_ctxt, swizzlingByteWidth, transposed, elementBitWidth, rank, blockBases, false);">
  ];
  let extraClassDeclaration = [{
    /// Elements of a row in one piece.
    unsigned getPieceElements() const {
      return std::max(getSwizzlingByteWidth(), 16u) * 8 / getElementBitWidth() / (getFp4Padded() ? 2 : 1);
    }
    /// The part of a block of `shape` that one bulk copy moves.
    ::llvm::SmallVector<int64_t> getBox(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

/// Encodings of buffers whose places are given by bases. One list of coordinates for each bit of `offset`.
class TTG_SharedBasesEncoding<string name, string attrMnemonic, list<string> methods = []>
    : TTG_Encoding<name, attrMnemonic, [DeclareAttrInterfaceMethods<TTG_SharedEncodingInterface, methods>]>;

def TTG_SharedLinearEncoding : TTG_SharedBasesEncoding<"SharedLinearEncoding", "shared_linear"> {
  let summary = "a linear layout of shared memory given by its bases";
  let description = [{
    For what no named encoding describes, such as a view with another shape. The bases, as many numbers each as `rank`,
    reach every element of the part of one block once, so that they say the shape of that part. A buffer starts at a
    multiple of `alignment` bytes.

    ```mlir
    #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$offsetBases, ArrayRefParameter<"int32_t">:$blockBases,
                        "unsigned":$rank, "unsigned":$alignment);
  let extraClassDeclaration = [{
    /// That of one block, from an offset to an element.
    static SharedLinearEncodingAttr get(::mlir::MLIRContext *context, const ::triton::layout::LinearLayout &layout,
                                        unsigned alignment);
  }];
}

def TTG_PaddedSharedEncoding : TTG_SharedBasesEncoding<"PaddedSharedEncoding", "padded_shared", ["getPaddings"]> {
  let summary = "shared memory with elements between the rows that lie unused";
  let description = [{
    The element at the offset i of the bases, which are those of #ttg.shared_linear, lies `padding` places further for each
    `interval` elements before it. Several pairs add up. All numbers are powers of two. Bases that are those of rows, the
    dimensions in an order, are written by that order.

    ```mlir
    #ttg.padded_shared<[128:+4, 256:+8] {order = [1, 0], shape = [64, 32]}>
    #ttg.padded_shared<[128:+4] {offset = [[0, 1], [1, 0], [0, 2]], block = [[2, 0]]}>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$intervalPaddings, ArrayRefParameter<"int32_t">:$offsetBases,
                        ArrayRefParameter<"int32_t">:$blockBases, "unsigned":$rank);
}

def TTG_SharedMemorySpace : TTG_Attr<"SharedMemorySpace", "shared_memory"> {
  let summary = "the memory space of what the threads of a program share";
}

#endif
