// The passes before and behind those that make TTGIR, which are in the tables of their topics.
#ifndef TRITON_GPU_PASSES_TD
#define TRITON_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonGPUExpandForeign : Pass<"tritongpu-expand-foreign", "::mlir::ModuleOp"> {
  let summary = "express what only TTGIR of Triton says by what the other passes know";
  let description = [{
    The first pass on TTGIR that was read from a file. It does nothing to what this compiler wrote. What only newer GPUs
    have, such as tensor memory, is an error that names the target.

    ```mlir
    %x = ttg.buffer_load %p[%offsets], %mask : !tt.ptr<f16> -> tensor<64xf16, #blocked>
    ```

    becomes

    ```mlir
    %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #blocked>
    %r = tt.addptr %q, %offsets : tensor<64x!tt.ptr<f16>, #blocked>, tensor<64xi32, #blocked>
    %x = tt.load %r, %mask : tensor<64x!tt.ptr<f16>, #blocked>
    ```
  }];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

def TritonGPUVerifyTTGIR : Pass<"tritongpu-verify-ttgir", "::mlir::ModuleOp"> {
  let summary = "check the rules of TTGIR";
  let description = [{
    The rules, whose labels errors begin with, stand in docs/rules.md. Layouts are checked once the module has them, places
    in shared memory once it says how much it needs. It closes each part of the stage; in tests it runs after every pass
    (`TRITON_VERIFY_PASSES`).
  }];
  let options = [
    Option<"isSpecialized", "is-specialized", "bool", "false", "mapped loads and stores have become copies (ttgir-12)">,
    Option<"hasNewRings", "has-new-rings", "bool", "false", "no pass has changed loops with rings since (ttgir-10)">,
    Option<"isPipelined", "is-pipelined", "bool", "false", "no schedule will be read any more (ttgir-7)">,
    Option<"hasBarriers", "has-barriers", "bool", "false", "barriers have been inserted (ttgir-6)">,
    Option<"machine", "machine", "std::string", "\"\"",
           "for which code will be generated, as in `ttg.target`; empty: for that of the module">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
