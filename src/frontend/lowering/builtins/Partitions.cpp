// Partitions of the warps of a program in Gluon: `warp_specialize` and `warp_pipeline_stage`.
#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"

#include "llvm/Support/SaveAndRestore.h"

namespace triton::frontend::builtin {
namespace {

/// What one group of warps does.
struct Partition {
  Value function;
  llvm::SmallVector<Argument> arguments;
};

Partition partitionOf(Lowering &lowering, CallArguments &arguments, const Value &entry) {
  SourceRange range = arguments.range("functions_and_args");
  const TupleValue *pair = entry.tuple();
  const TupleValue *passed = pair && pair->elements.size() == 2 ? pair->elements[1].tuple() : nullptr;
  if (!passed)
    lowering.error(range, diagnostics::WrongPartition, "a function and the tuple of its arguments", entry.describe());
  Partition partition{pair->elements[0], {}};
  for (const Value &argument : passed->elements)
    partition.arguments.push_back({argument, range, {}, {}});
  return partition;
}

/// Blocks lie in the registers of the threads that computed them.
void refuseBlocks(Lowering &lowering, CallArguments &arguments, const Partition &partition) {
  for (const Argument &argument : partition.arguments) {
    llvm::SmallVector<mlir::Value> parts;
    flatten(argument.value, parts);
    for (mlir::Value part : parts)
      if (mlir::isa<mlir::RankedTensorType>(part.getType()))
        lowering.error(arguments.range("functions_and_args"), diagnostics::PartitionBlock, argument.value.describe());
  }
}

/// Calls the function of a partition in a region of its own. The result is that of the function.
Value lowerPartition(Lowering &lowering, CallArguments &arguments, mlir::Region &region, const Partition &partition) {
  mlir::OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.createBlock(&region);
  Value result = lowerCall(lowering, partition.function, partition.arguments, arguments.callRange);
  llvm::SmallVector<mlir::Value> parts;
  if (region.getRegionNumber() == 0)
    flatten(result, parts);
  lowering.create<ttg::WarpYieldOp>(parts);
  return result;
}

/// A number for each worker.
llvm::SmallVector<int32_t> countsOf(Lowering &lowering, CallArguments &arguments, llvm::StringRef name, size_t workers,
                                    llvm::StringRef kind, llvm::function_ref<bool(int64_t)> fits) {
  llvm::SmallVector<int64_t, 4> counts = integersArgument(lowering, arguments, name);
  if (counts.size() != workers)
    lowering.error(arguments.range(name), diagnostics::WrongPartition,
                   std::to_string(workers) + " numbers, one for each function but the first",
                   std::to_string(counts.size()));
  for (int64_t count : counts)
    if (!fits(count))
      lowering.error(arguments.range(name), diagnostics::WrongPartition, kind.str(), std::to_string(count));
  return {counts.begin(), counts.end()};
}

llvm::SmallVector<int32_t> warpsOf(Lowering &lowering, CallArguments &arguments, size_t workers) {
  return countsOf(lowering, arguments, "worker_num_warps", workers, "powers of two up to 32 as numbers of warps",
                  [](int64_t count) { return count >= 1 && count <= 32 && llvm::isPowerOf2_64(uint64_t(count)); });
}

/// None if the argument does not say how many. Four warps change the number of their registers together: the program's
/// warps must not share such a group with workers, which the compiler gives groups of their own.
llvm::SmallVector<int32_t> registersOf(Lowering &lowering, CallArguments &arguments, size_t workers) {
  constexpr llvm::StringLiteral name = "worker_num_regs";
  if (arguments[name].isNone())
    return {};
  if (lowering.numWarps % 4 != 0)
    lowering.error(arguments.range(name), diagnostics::WrongPartition,
                   "a multiple of four as the kernel's `num_warps` for `worker_num_regs`",
                   std::to_string(lowering.numWarps));
  return countsOf(lowering, arguments, name, workers, "24 to 256 registers for a thread",
                  [](int64_t count) { return count >= 24 && count <= 256; });
}

} // namespace

/// `with` is lowered as a call of this and what it contains.
Value warpPipelineStage(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, amd);
  if (!arguments["label"].isNone())
    stringArgument(lowering, arguments, "label");
  constexpr int64_t highest = 3;
  if (!arguments["priority"].isNone())
    countArgument(lowering, arguments, "priority", "cannot give its warps the priority {0}", 0, highest);
  return Value();
}

Value warpSpecialize(Lowering &lowering, CallArguments &arguments) {
  if (lowering.options.language.target.arch != "gfx1250")
    frontend::requireHopper(lowering, arguments.callRange, arguments.builtin.displayName());
  llvm::SmallVector<Partition> partitions;
  for (const Value &entry : valuesArgument(arguments, "functions_and_args"))
    partitions.push_back(partitionOf(lowering, arguments, entry));
  if (partitions.empty())
    lowering.error(arguments.range("functions_and_args"), diagnostics::WrongPartition, "at least one function",
                   arguments["functions_and_args"].describe());
  for (const Partition &worker : llvm::drop_begin(partitions))
    refuseBlocks(lowering, arguments, worker);
  size_t workers = partitions.size() - 1;
  auto warps = warpsOf(lowering, arguments, workers), registers = registersOf(lowering, arguments, workers);
  auto empty = lowering.create<ttg::WarpSpecializeOp>(mlir::TypeRange(), warps, registers, unsigned(workers));
  Value result = lowerPartition(lowering, arguments, empty.getDefaultRegion(), partitions.front());
  for (auto [index, region] : llvm::enumerate(empty.getPartitions())) {
    llvm::SaveAndRestore own(lowering.numWarps, unsigned(warps[index]));
    lowerPartition(lowering, arguments, region, partitions[index + 1]);
  }
  // The types of the results are known now.
  mlir::TypeRange types = empty.getDefaultRegion().front().getTerminator()->getOperandTypes();
  auto op = lowering.create<ttg::WarpSpecializeOp>(types, warps, registers, unsigned(workers));
  for (auto [from, to] : llvm::zip_equal(empty->getRegions(), op->getRegions()))
    to.takeBody(from);
  empty.erase();
  llvm::SmallVector<mlir::Value> results(op.getResults());
  llvm::ArrayRef<mlir::Value> rest = results;
  return rebuild(result, rest);
}

} // namespace triton::frontend::builtin
