#include "ir/UserNames.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

/// The name for users if it differs from the operation's.
static llvm::StringRef otherName(llvm::StringRef operation) {
  return llvm::StringSwitch<llvm::StringRef>(operation)
      .Case("tt.get_program_id", "tl.program_id")
      .Case("tt.get_num_programs", "tl.num_programs")
      .Case("tt.get_time", "tl.extra.cuda.globaltimer")
      .Case("tt.get_multiprocessor_id", "tl.extra.cuda.smid")
      .Case("tt.wait_for_prior_launch", "tl.extra.cuda.gdc_wait")
      .Case("tt.allow_next_launch", "tl.extra.cuda.gdc_launch_dependents")
      .Case("tt.print", "tl.device_print")
      .Case("tt.assert", "tl.device_assert")
      .Case("tt.scan", "tl.associative_scan")
      .Case("tt.elementwise_inline_asm", "tl.inline_asm_elementwise")
      .Case("tt.extern_elementwise", "tl.extra.libdevice")
      .Case("tt.call", "a call of a `noinline` function")
      .Cases({"tt.int_to_ptr", "tt.ptr_to_int", "tt.bitcast", "tt.fp_to_fp"}, "tl.cast")
      .Case("tt.clampf", "tl.clamp")
      .Case("tt.precise_sqrt", "tl.sqrt_rn")
      .Case("tt.precise_divf", "tl.div_rn")
      .Case("tt.mulhiui", "tl.umulhi")
      .Case("tt.addptr", "an offset of a pointer")
      .Case("tt.make_range", "tl.arange")
      .Cases({"tt.splat", "tt.broadcast"}, "tl.broadcast_to")
      .Case("tt.trans", "tl.permute")
      .Cases({"tt.descriptor_load", "tt.descriptor_gather"}, "tl.load_tensor_descriptor")
      .Cases({"tt.descriptor_store", "tt.descriptor_scatter"}, "tl.store_tensor_descriptor")
      .Case("tt.descriptor_reduce", "tl.tensor_descriptor.atomic_add")
      .Case("tt.make_tensor_ptr", "tl.make_block_ptr")
      .Case("gpu.barrier", "tl.debug_barrier")
      .Case("math.absf", "tl.abs")
      .Case("math.absi", "tl.abs")
      .Case("math.roundeven", "tl.extra.libdevice.rint")
      .Default("");
}

std::string triton::tt::userName(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (llvm::StringRef other = otherName(name); !other.empty())
    return other.str();
  auto [dialect, function] = name.split('.');
  return dialect == "tt" || dialect == "math" ? ("tl." + function).str() : name.str();
}

std::string triton::tt::describeUnsupported(Operation *op) {
  llvm::StringRef instead = llvm::StringSwitch<llvm::StringRef>(op->getName().getStringRef())
                                .Case("tt.call", "leave `noinline` out")
                                .Default("");
  return "`" + userName(op) + "`" + (instead.empty() ? "" : "; " + instead.str());
}
