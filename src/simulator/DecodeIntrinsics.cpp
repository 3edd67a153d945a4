#include "simulator/Decoder.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"

namespace triton::simulator {

llvm::Error Decoder::decodeWithList(const llvm::CallInst &call, Handler handler) {
  if (!handler)
    return unsupported(call);
  OperandList *list = operandList();
  for (const llvm::Use &argument : call.args()) {
    llvm::Expected<Registers> registers = read(argument.get());
    if (!registers)
      return registers.takeError();
    llvm::SmallVector<llvm::Type *> components;
    flatten(argument->getType(), components);
    for (auto [offset, component] : llvm::zip_equal(*registers, components)) {
      list->inputs.push_back(offset);
      list->inputBytes.push_back(uint8_t(elementBytes(component)));
    }
  }
  if (!call.getType()->isVoidTy()) {
    Registers results = defineNew(&call);
    llvm::SmallVector<llvm::Type *> components;
    flatten(call.getType(), components);
    list->outputs.assign(results.begin(), results.end());
    for (llvm::Type *component : components)
      list->outputBytes.push_back(uint8_t(elementBytes(component)));
  }
  emit(handler).detail = list;
  return llvm::Error::success();
}

llvm::Error Decoder::decodeCall(const llvm::CallInst &call) {
  if (auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return decodeAssembly(call, *assembly);
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return unsupported(call, "a call through a pointer");
  llvm::StringRef name = callee->getName();
  if (name.consume_front("llvm.nvvm."))
    return decodeNvvm(call, name);
  if (name.consume_front("llvm."))
    return decodeIntrinsic(call, name);
  if (name == "__assertfail")
    return decodeWithList(call, assertFailHandler());
  if (name == "__nvvm_reflect") { // no flushing of subnormals unless the module was specialized for it before
    define(&call, {constantRegister(0, 4)});
    return llvm::Error::success();
  }
  return unsupported(call, "an external function");
}

/// Intrinsics without effect on what a simulated kernel computes.
static bool isIgnored(llvm::StringRef name) {
  return name.starts_with("dbg.") || name.starts_with("lifetime.") || name.starts_with("assume") ||
         name.starts_with("experimental.noalias") || name.starts_with("donothing") || name.starts_with("prefetch");
}

/// The family of a target-independent elementwise intrinsic, the part of its name before the type suffix.
static Handler findElementwiseIntrinsic(llvm::StringRef name, llvm::Type *type, unsigned bytes) {
  llvm::StringRef family = name.split('.').first;
  if (std::optional<FloatFormat> format = Decoder::floatFormat(type)) {
    if (family == "fmuladd")
      family = "fma";
    if (Handler handler = findFloatUnary(family, *format))
      return handler;
    return findFloatIntrinsic(family, *format);
  }
  return findIntegerIntrinsic(family, bytes);
}

llvm::Error Decoder::decodeIntrinsic(const llvm::CallInst &call, llvm::StringRef name) {
  if (isIgnored(name))
    return llvm::Error::success();
  if (name.starts_with("masked.load"))
    return decodeMaskedAccess(call, false);
  if (name.starts_with("masked.store"))
    return decodeMaskedAccess(call, true);
  if (name == "trap" || name == "debugtrap" || name == "ubsantrap") {
    emit(trapHandler());
    return llvm::Error::success();
  }
  if (name.starts_with("expect")) {
    llvm::Expected<Registers> value = read(call.getArgOperand(0));
    if (!value)
      return value.takeError();
    define(&call, *value);
    return llvm::Error::success();
  }
  llvm::Type *type = call.getType()->getScalarType();
  if (name.starts_with("fptosi.sat") || name.starts_with("fptoui.sat"))
    return decodeElementwise(call, {call.getArgOperand(0)},
                             findFloatToInteger(*floatFormat(call.getArgOperand(0)->getType()), elementBytes(type),
                                                name.starts_with("fptosi")));
  Handler handler = findElementwiseIntrinsic(name, type, elementBytes(type));
  llvm::SmallVector<const llvm::Value *, 3> operands;
  // The flags of ctlz, cttz and abs only say what is poison.
  bool hasFlag = name.starts_with("ctlz") || name.starts_with("cttz") || name.starts_with("abs.");
  for (unsigned i = 0; i + (hasFlag ? 1 : 0) < call.arg_size(); ++i)
    operands.push_back(call.getArgOperand(i));
  return decodeElementwise(call, operands, handler);
}

llvm::Error Decoder::decodeMaskedAccess(const llvm::CallInst &call, bool isStore) {
  const llvm::Value *pointer = call.getArgOperand(isStore ? 1 : 0);
  const llvm::Value *maskValue = call.getArgOperand(isStore ? 2 : 1);
  const llvm::Value *values = call.getArgOperand(isStore ? 0 : 2); // a load's pass-through
  llvm::Expected<RegisterOffset> address = readScalar(pointer);
  if (!address)
    return address.takeError();
  llvm::Expected<Registers> masks = read(maskValue), given = read(values);
  if (!masks)
    return llvm::joinErrors(masks.takeError(), given.takeError());
  if (!given)
    return given.takeError();
  llvm::SmallVector<llvm::Type *> components;
  flatten(values->getType(), components);
  unsigned bytes = elementBytes(components.front());
  bool shared = pointer->getType()->getPointerAddressSpace() == 3;
  AccessShape shape{bytes, unsigned(components.size()), shared, true};
  Handler handler = isStore ? findStore(shape) : findLoad(shape);
  if (!handler)
    return unsupported(call);
  Registers consecutive = isStore ? allocate(values->getType()) : defineNew(&call);
  for (auto [target, source] : llvm::zip_equal(consecutive, *given))
    emit(findCopy(bytes), target, {source});
  OperandList *list = operandList();
  list->inputs.assign(masks->begin(), masks->end());
  DecodedInstruction &access =
      isStore ? emit(handler, 0, {*address, consecutive.front()}) : emit(handler, consecutive.front(), {*address});
  access.immediate = int64_t(call.getParamAlign(isStore ? 1 : 0).valueOrOne().value());
  access.detail = list;
  return llvm::Error::success();
}

namespace {

/// An elementwise NVVM intrinsic: the operation's name and whether its type is read from the name's suffix.
struct NvvmMath {
  llvm::StringLiteral name;      ///< after `llvm.nvvm.`
  llvm::StringLiteral operation; ///< of findFloatUnary, findFloatIntrinsic or findIntegerIntrinsic
};

constexpr NvvmMath nvvmMath[] = {
    {"ex2.approx.f", "exp2"},
    {"ex2.approx.ftz.f", "exp2.ftz"},
    {"ex2.approx.f32", "exp2"},
    {"ex2.approx.ftz.f32", "exp2.ftz"},
    {"lg2.approx.f", "log2"},
    {"lg2.approx.ftz.f", "log2.ftz"},
    {"rcp.approx.ftz.f", "rcp.ftz"},
    {"rcp.rn.f", "rcp"},
    {"rcp.rn.ftz.f", "rcp.ftz"},
    {"rcp.rn.d", "rcp"},
    {"rsqrt.approx.f", "rsqrt"},
    {"rsqrt.approx.ftz.f", "rsqrt.ftz"},
    {"rsqrt.approx.d", "rsqrt"},
    {"sqrt.approx.f", "sqrt"},
    {"sqrt.approx.ftz.f", "sqrt.ftz"},
    {"sqrt.rn.f", "sqrt"},
    {"sqrt.rn.ftz.f", "sqrt.ftz"},
    {"sqrt.rn.d", "sqrt"},
    {"sqrt.f", "sqrt"},
    {"sin.approx.f", "sin"},
    {"sin.approx.ftz.f", "sin.ftz"},
    {"cos.approx.f", "cos"},
    {"cos.approx.ftz.f", "cos.ftz"},
    {"tanh.approx.f", "tanh"},
    {"fabs.f", "fabs"},
    {"fabs.ftz.f", "fabs.ftz"},
    {"fabs.d", "fabs"},
    {"fabs.f32", "fabs"},
    {"fabs.f64", "fabs"},
    {"fabs.ftz.f32", "fabs.ftz"},
    {"floor.f", "floor"},
    {"floor.ftz.f", "floor.ftz"},
    {"floor.d", "floor"},
    {"ceil.f", "ceil"},
    {"ceil.ftz.f", "ceil.ftz"},
    {"ceil.d", "ceil"},
    {"trunc.f", "trunc"},
    {"trunc.ftz.f", "trunc.ftz"},
    {"trunc.d", "trunc"},
    {"round.f", "rint"},
    {"round.d", "rint"},
    {"saturate.f", "saturate"},
    {"fma.rn.f", "fma"},
    {"fma.rn.ftz.f", "fma"},
    {"fma.rn.d", "fma"},
    {"fma.rn.f16", "fma"},
    {"fma.rn.bf16", "fma"},
    {"add.rn.f", "add"},
    {"add.rn.ftz.f", "add.ftz"},
    {"add.rn.d", "add"},
    {"mul.rn.f", "mul"},
    {"mul.rn.ftz.f", "mul.ftz"},
    {"mul.rn.d", "mul"},
    {"div.rn.f", "div"},
    {"div.rn.ftz.f", "div.ftz"},
    {"div.rn.d", "div"},
    {"div.full", "div"},
    {"div.full.ftz", "div.ftz"},
    {"div.approx.f", "div"},
    {"div.approx.ftz.f", "div.ftz"},
    {"fmin.f", "minnum"},
    {"fmin.ftz.f", "minnum.ftz"},
    {"fmin.d", "minnum"},
    {"fmin.nan.f", "minimum"},
    {"fmin.ftz.nan.f", "minimum.ftz"},
    {"fmax.f", "maxnum"},
    {"fmax.ftz.f", "maxnum.ftz"},
    {"fmax.d", "maxnum"},
    {"fmax.nan.f", "maximum"},
    {"fmax.ftz.nan.f", "maximum.ftz"},
    {"fmin.f16", "minnum"},
    {"fmax.f16", "maxnum"},
    {"fmin.bf16", "minnum"},
    {"fmax.bf16", "maxnum"},
    {"fmin.nan.f16", "minimum"},
    {"fmax.nan.f16", "maximum"},
    {"fmin.nan.bf16", "minimum"},
    {"fmax.nan.bf16", "maximum"},
    {"mulhi.i", "mulhi.s"},
    {"mulhi.ui", "mulhi.u"},
    {"mulhi.ll", "mulhi.s"},
    {"mulhi.ull", "mulhi.u"},
    {"prmt", "prmt"},
};

/// A conversion intrinsic by its name, e.g. `f2i.rz`: float to int toward zero.
struct NvvmConversion {
  llvm::StringLiteral name;
  FloatFormat from, to;
  llvm::StringLiteral rounding;
};

constexpr NvvmConversion nvvmConversions[] = {
    {"f2bf16.rn", FloatFormat::Single, FloatFormat::BFloat, "rn"},
    {"f2bf16.rz", FloatFormat::Single, FloatFormat::BFloat, "rz"},
    {"f2f16.rn", FloatFormat::Single, FloatFormat::Half, "rn"},
    {"f2f16.rz", FloatFormat::Single, FloatFormat::Half, "rz"},
    {"d2f.rn", FloatFormat::Double, FloatFormat::Single, "rn"},
};

} // namespace

/// `f2i.rz`, `d2ull.rz.ftz` and their like: the integer type by its letter names.
static Handler findNvvmFloatToInteger(llvm::StringRef name) {
  FloatFormat from;
  if (name.consume_front("f2"))
    from = FloatFormat::Single;
  else if (name.consume_front("d2"))
    from = FloatFormat::Double;
  else
    return nullptr;
  auto [type, rounding] = name.split('.');
  if (!rounding.starts_with("rz"))
    return nullptr;
  return llvm::StringSwitch<Handler>(type)
      .Case("i", findFloatToInteger(from, 4, true))
      .Case("ui", findFloatToInteger(from, 4, false))
      .Case("ll", findFloatToInteger(from, 8, true))
      .Case("ull", findFloatToInteger(from, 8, false))
      .Default(nullptr);
}

static Handler findNvvmMath(llvm::StringRef name, llvm::Type *type, unsigned bytes) {
  for (const NvvmMath &known : nvvmMath) {
    if (known.name != name)
      continue;
    std::optional<FloatFormat> format = Decoder::floatFormat(type);
    if (!format)
      return findIntegerIntrinsic(known.operation, bytes);
    Handler handler = findFloatUnary(known.operation, *format);
    return handler ? handler : findFloatIntrinsic(known.operation, *format);
  }
  return nullptr;
}

static bool isBlockBarrier(llvm::StringRef name) {
  return name == "barrier0" || name == "barrier.cta.sync.aligned.all" || name == "barrier.sync" ||
         name == "barrier.cta.sync.all";
}

llvm::Error Decoder::decodeNvvm(const llvm::CallInst &call, llvm::StringRef name) {
  auto arguments = llvm::map_range(call.args(), [](const llvm::Use &use) { return use.get(); });
  llvm::SmallVector<const llvm::Value *, 4> operands(arguments.begin(), arguments.end());
  llvm::Type *type = call.getType()->getScalarType();
  if (isBlockBarrier(name)) {
    emit(barrierHandler());
    return llvm::Error::success();
  }
  // Lanes of a warp run in step here, so that ordering them needs nothing; fences order what is already in order.
  if (name == "bar.warp.sync" || name.starts_with("membar.") || name.starts_with("fence.")) {
    emit(nothingHandler());
    return llvm::Error::success();
  }
  if (name == "exit") {
    emit(returnHandler());
    return llvm::Error::success();
  }
  if (llvm::StringRef special = name; special.consume_front("read.ptx.sreg.")) {
    Handler handler = findSpecialRegister(special);
    if (!handler)
      return unsupported(call);
    emit(handler, defineNew(&call).front());
    return llvm::Error::success();
  }
  if (llvm::StringRef form = name; form.consume_front("mma."))
    return decodeWithList(call, findMatrixMultiply(form));
  if (llvm::StringRef form = name; form.consume_front("ldmatrix.sync.aligned.m8n8."))
    return decodeWithList(call, findMatrixLoad(form.substr(0, form.rfind(".p3"))));
  if (llvm::StringRef form = name;
      form.consume_front("cp.async.ca.shared.global.") || form.consume_front("cp.async.cg.shared.global.")) {
    auto [size, suffix] = form.split('.');
    int64_t bytes = 0;
    size.getAsInteger(10, bytes);
    llvm::SmallVector<RegisterOffset, 3> registers;
    for (const llvm::Value *operand : operands) {
      llvm::Expected<RegisterOffset> value = readScalar(operand);
      if (!value)
        return value.takeError();
      registers.push_back(*value);
    }
    DecodedInstruction &copy = emit(asynchronousCopy(), 0, registers);
    copy.immediate = bytes;
    copy.detail = suffix == "s" ? &program : nullptr;
    return llvm::Error::success();
  }
  if (name == "cp.async.commit.group") {
    emit(commitCopyGroup());
    return llvm::Error::success();
  }
  if (name == "cp.async.wait.group") {
    emit(waitCopyGroup()).immediate = llvm::cast<llvm::ConstantInt>(operands[0])->getSExtValue();
    return llvm::Error::success();
  }
  if (name == "cp.async.wait.all") {
    emit(commitCopyGroup());
    emit(waitCopyGroup());
    return llvm::Error::success();
  }
  if (Handler handler = findWarpOperation(name))
    return decodeWithList(call, handler);
  for (const NvvmConversion &known : nvvmConversions)
    if (known.name == name)
      return decodeElementwise(call, operands, findFloatCast(known.from, known.to, known.rounding));
  if (Handler handler = findNvvmFloatToInteger(name))
    return decodeElementwise(call, operands, handler);
  return decodeElementwise(call, operands, findNvvmMath(name, type, elementBytes(type)));
}

} // namespace triton::simulator
