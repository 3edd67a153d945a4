// The passes that decide what tiles a program computes, of which types, at which addresses and with how many warps.
// Each has a source file and a lit test (test/) of its name.
#ifndef TRITON_GPU_TILES_PASSES_TD
#define TRITON_GPU_TILES_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonSplitPrograms : Pass<"triton-split-programs", "::mlir::ModuleOp"> {
  let summary = "let several blocks run a program, each of which computes a part of its tiles";
  let description = [{
    The pass chooses dimensions that belong together, such as the rows of a product, of its first operand and of what is
    stored (`TileAxes.h`), by the work that is divided so. Each of the blocks has its part of them and all of other
    dimensions. Blocks exchange no data, thus nothing must reduce the dimensions or move data along them, and the kernel
    must not read what it stores. One block alone does what all would repeat. Where no dimensions fit, one block runs the
    program, which is right, too.

    ```mlir
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    ```
    becomes, with two blocks,
    ```mlir
    %block = tt.get_block_rank : i32
    %first = arith.muli %block, %c64 : i32
    %s = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %t = tt.splat %first : i32 -> tensor<64xi32>
    %r = arith.addi %s, %t : tensor<64xi32>
    ```

    The attribute `tt.blocks` of the module says that it was done, and `tt.all_blocks` which blocks of descriptors all of
    them load.
  }];
  let options = [
    Option<"blocks", "blocks", "unsigned", "1", "that a program may have, a power of two">,
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::triton::ttg::TritonGPUDialect"
  ];
}

def TritonGPUDivideAmongBlocks : Pass<"tritongpu-divide-among-blocks", "::mlir::ModuleOp"> {
  let summary = "give each block of a cluster its part of a program whose layouts are over several blocks";
  let description = [{
    `CGALayout` of an encoding says which part of a tensor or a buffer each of `ttg.num-ctas` blocks has. All types become
    those of one block's part, and `tt.blocks` says how many blocks run the program. What depends on the part is added:
    the first index of ranges and copies, who starts a copy for several blocks, stores or multiplies for a pair of them.
    Blocks meet when barriers were made, and at the end of the kernel.

    ```mlir
    #line = #ttg.blocked<{..., CGALayout = [[1]]}>
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #line>
    ```
    becomes, with two blocks,
    ```mlir
    #part = #ttg.blocked<{...}>
    %first = ... // 128 in the second block
    %s = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #part>
    %t = tt.splat %first : i32 -> tensor<128xi32, #part>
    %r = arith.addi %s, %t : tensor<128xi32, #part>
    ```

    Only `ttg.async_remote_store` moves elements between blocks: conversions, reductions and products that would need
    others' elements are errors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::triton::tt::TritonDialect",
    "::triton::ttg::TritonGPUDialect"
  ];
}

def TritonSeparateBases : Pass<"triton-separate-bases", "::mlir::ModuleOp"> {
  let summary = "write the addresses of accesses as a scalar base and one tensor of offsets";
  let description = [{
    For targets whose instructions add a base, which all threads share, and an offset of 31 bits of each thread; only
    accesses that can be proved to need no other offsets change. Offsets that were added in several shapes become one
    sum, and what all elements have in common moves into the base if it is known not to be negative, so that the base
    stays in the array or behind it.

    ```mlir
    %start = arith.muli %pid, %c1024 : i32
    %starts = tt.splat %start : i32 -> tensor<1024xi32>
    %index = arith.addi %starts, %range : tensor<1024xi32>                      // %range = tt.make_range
    %p = tt.addptr %bases, %index : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32> // %bases = tt.splat %base
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
    ```
    becomes
    ```mlir
    %start = arith.muli %pid, %c1024 : i32
    %moved = tt.addptr %base, %start : !tt.ptr<f32>, i32
    %bases = tt.splat %moved : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %bases, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %x = tt.load %p : tensor<1024x!tt.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonGPUWidenFloat8 : Pass<"tritongpu-widen-float8", "::mlir::ModuleOp"> {
  let summary = "compute on 8-bit floats in f32";
  let description = [{
    GPUs convert and multiply 8-bit floats, but do not compute with single ones. Each operation gets its operands in f32
    and rounds its result; a reduction or scan by one operation rounds once, at its end.

    ```mlir
    %y = arith.mulf %x, %x : tensor<64xf8E5M2>
    ```
    becomes
    ```mlir
    %w = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
    %p = arith.mulf %w, %w : tensor<64xf32>
    %y = tt.fp_to_fp %p, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
    ```
  }];
  let dependentDialects = ["::triton::tt::TritonDialect"];
}

def TritonGPULimitWarps : Pass<"tritongpu-limit-warps", "::mlir::ModuleOp"> {
  let summary = "use fewer warps for programs on small tensors";
  let description = [{
    A warp whose threads move less than a whole vector costs as many instructions as any other warp, and it takes the
    place of another program, whose loads could be in flight. If all accesses of global memory and all tensors need
    fewer warps at the full width of the widest access, the pass marks the module with that number, and
    `convert-triton-to-tritongpu` uses it. Each warp executes the steps of reductions and scans, so a program with
    them gets as few as one warp for each scheduler, as long as a thread loads at most 64 bytes at once and its
    tensors fit in registers. So does one whose loops carry what costly operations compute from the iteration before:
    their iterations take as long as a thread's elements one after another. Where a loop carries what it reduces, and
    its tensors are small, one warp does the work of all, since warps would wait for one another in each iteration.
    Programs with matrix products, atomics or
    inline assembly keep all warps.
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps that were asked for">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
