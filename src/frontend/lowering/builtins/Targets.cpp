// The functions by which a kernel asks about its target, and the functions of NVIDIA's and of AMD's GPUs.
#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

static const Target &targetOf(const Lowering &lowering) { return lowering.options.language.target; }

static bool isOf(const Target &target, llvm::StringRef vendor) { return target.backend == vendor; }

/// 90 for compute capability 9.0; 0 for a target that is not an NVIDIA GPU.
static int64_t capabilityOf(const Target &target) {
  int64_t capability = 0;
  if (!isOf(target, nvidia) || llvm::StringRef(target.arch).getAsInteger(10, capability))
    return 0;
  return capability;
}

void requireVendor(Lowering &lowering, CallArguments &arguments, llvm::StringRef vendor) {
  if (!isOf(targetOf(lowering), vendor))
    lowering.error(arguments.callRange, vendor == amd ? diagnostics::NeedsAmd : diagnostics::NeedsNvidia,
                   arguments.builtin.displayName(), describeTarget(targetOf(lowering)));
}

void requireArchitecture(Lowering &lowering, CallArguments &arguments, llvm::StringRef architecture) {
  if (!llvm::StringRef(targetOf(lowering).arch).starts_with(architecture))
    lowering.error(arguments.callRange, diagnostics::NeedsArchitecture, arguments.builtin.displayName(),
                   architecture.str(), describeTarget(targetOf(lowering)));
}

/// The vendor whose module of `triton.language.extra` has the function.
static llvm::StringRef vendorOf(const Builtin &builtin) { return builtin.flags & HipModule ? amd : nvidia; }

Value elementsPerThread(Lowering &lowering, CallArguments &arguments) {
  int64_t threads = int64_t(lowering.options.numWarps) * targetOf(lowering).warpSize;
  int64_t elements = toTensor(lowering, arguments["x"]).type.elementCount();
  return Value(makeInteger(threads == 0 ? 0 : std::max<int64_t>(elements / threads, 1)));
}

Value currentTarget(Lowering &lowering, CallArguments &) {
  auto object = std::make_shared<Module>();
  object->name = "GPUTarget";
  object->attribute = [target = targetOf(lowering)](std::string_view name) -> ObjectRef {
    if (name == "backend")
      return makeObject(target.backend);
    if (name == "arch")
      return isOf(target, nvidia) ? makeInteger(capabilityOf(target)) : makeObject(target.arch);
    return name == "warp_size" ? makeInteger(target.warpSize) : nullptr;
  };
  return Value(makeObject(std::shared_ptr<const Module>(std::move(object))));
}

Value isCuda(Lowering &lowering, CallArguments &) { return Value(makeObject(isOf(targetOf(lowering), nvidia))); }

Value cudaCapabilityAtLeast(Lowering &lowering, CallArguments &arguments) {
  int64_t wanted = 10 * integerArgument(lowering, arguments, "major") + integerArgument(lowering, arguments, "minor");
  return Value(makeObject(isOf(targetOf(lowering), nvidia) && capabilityOf(targetOf(lowering)) >= wanted));
}

Value isHip(Lowering &lowering, CallArguments &) { return Value(makeObject(isOf(targetOf(lowering), amd))); }

static Value isArchitecture(Lowering &lowering, std::string_view name) {
  const Target &target = targetOf(lowering);
  return Value(makeObject(isOf(target, amd) && target.arch.starts_with(name)));
}

Value isHipCdna3(Lowering &lowering, CallArguments &) { return isArchitecture(lowering, "gfx942"); }
Value isHipCdna4(Lowering &lowering, CallArguments &) { return isArchitecture(lowering, "gfx950"); }
Value isHipGfx1250(Lowering &lowering, CallArguments &) { return isArchitecture(lowering, "gfx1250"); }

Value globalTime(Lowering &lowering, CallArguments &) {
  return Tensor{lowering.create<tt::GetTimeOp>(lowering.builder.getI64Type()), ScalarType::Int64};
}

Value realTime(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, vendorOf(arguments.builtin));
  mlir::Type type = lowering.builder.getI64Type();
  constexpr int64_t nanosecondsOfTick = 10;
  mlir::Value time = lowering.create<tt::GetTimeOp>(type);
  mlir::Value tick = lowering.create<mlir::arith::ConstantOp>(lowering.builder.getI64IntegerAttr(nanosecondsOfTick));
  return Tensor{lowering.create<mlir::arith::DivUIOp>(time, tick), ScalarType::Int64};
}

Value multiprocessorId(Lowering &lowering, CallArguments &arguments) {
  requireVendor(lowering, arguments, vendorOf(arguments.builtin));
  return Tensor{lowering.create<tt::GetMultiprocessorIdOp>(lowering.builder.getI32Type()), ScalarType::Int32};
}

/// The number of warps, which the compiler then may not lower.
static int64_t fixedWarps(Lowering &lowering) {
  if (targetOf(lowering).warpSize != 0)
    (*lowering.module)->setAttr(tt::fixedWarpsAttribute, lowering.builder.getUnitAttr());
  return lowering.options.numWarps;
}

/// Kernels choose extents by this number. The processor, which has no warps, says what NVIDIA's GPUs say.
Value threadCount(Lowering &lowering, CallArguments &) {
  int64_t warpSize = targetOf(lowering).warpSize;
  return Value(makeInteger(fixedWarps(lowering) * (warpSize == 0 ? 32 : warpSize)));
}

Value warpCount(Lowering &lowering, CallArguments &) { return Value(makeInteger(fixedWarps(lowering))); }

Value dependentLaunch(Lowering &lowering, CallArguments &arguments) {
  // Other targets overlap no launches: what this waits for has happened.
  if (!isOf(targetOf(lowering), nvidia))
    return Value();
  if (!lowering.options.language.overlapsLaunches)
    lowering.error(arguments.callRange, diagnostics::NeedsCapability, arguments.builtin.displayName(),
                   std::string("9.0"), describeTarget(targetOf(lowering)));
  if (arguments.builtin.name == "gdc_wait")
    lowering.create<tt::WaitForPriorLaunchOp>();
  else
    lowering.create<tt::AllowNextLaunchOp>();
  return Value();
}

Value convertCustomFloat8(Lowering &lowering, CallArguments &arguments) {
  constexpr ScalarType custom = ScalarType::Float8E4B15;
  llvm::StringRef name = arguments.builtin.name;
  Tensor input = tensorArgument(lowering, arguments, "arg");
  ElementType from = input.type.element;
  ElementType to = name == "convert_float16_to_fp8e4b15"   ? ElementType{custom}
                   : name == "convert_fp8e4b15_to_float16" ? ElementType{ScalarType::Float16}
                                                           : dtypeArgument(lowering, arguments, "dst_ty");
  auto isWide = [](const ElementType &type) {
    return type == ElementType{ScalarType::Float16} || type == ElementType{ScalarType::Float32};
  };
  bool isCustom = from == ElementType{custom} ? isWide(to) : to == ElementType{custom} && isWide(from);
  if (!isCustom)
    lowering.error(arguments.callRange, diagnostics::CustomFloat8, arguments.builtin.displayName(), from.str(),
                   to.str());
  bool isGeneral = name.starts_with("convert_custom");
  return cast(lowering, input, to, isGeneral ? roundingArgument(lowering, arguments) : Rounding::Default);
}

} // namespace triton::frontend::builtin
