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
  if (name == "vprintf")
    return decodeWithList(call, printHandler());
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

/// A target-independent elementwise intrinsic: the family is the part of its name before the type suffix.
Handler Decoder::findElementwiseIntrinsic(llvm::StringRef name, llvm::Type *type) const {
  llvm::StringRef family = name.split('.').first;
  std::optional<FloatFormat> format = floatFormat(type);
  if (!format)
    return findIntegerIntrinsic(family, elementBytes(type));
  if (family == "fmuladd")
    family = "fma";
  std::string operation = (family + flushSuffix(*format)).str();
  Handler handler = findFloatUnary(operation, *format);
  return handler ? handler : findFloatIntrinsic(operation, *format);
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
  Handler handler = findElementwiseIntrinsic(name, type);
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

/// An elementwise NVVM intrinsic, its name after `llvm.nvvm.` without the type and without `.ftz`.
struct NvvmMath {
  llvm::StringLiteral name;
  llvm::StringLiteral operation; ///< of findFloatUnary or findFloatIntrinsic
};

constexpr NvvmMath nvvmMath[] = {
    {"ex2.approx", "exp2"},
    {"lg2.approx", "log2"},
    {"rcp.approx", "rcp"},
    {"rcp.rn", "rcp"},
    {"rsqrt.approx", "rsqrt"},
    {"sqrt.approx", "sqrt"},
    {"sqrt.rn", "sqrt"},
    {"sqrt", "sqrt"},
    {"sin.approx", "sin"},
    {"cos.approx", "cos"},
    {"tanh.approx", "tanh"},
    {"fabs", "fabs"},
    {"neg", "fneg"},
    {"floor", "floor"},
    {"ceil", "ceil"},
    {"trunc", "trunc"},
    {"round", "rint"},
    {"saturate", "saturate"},
    {"fma.rn", "fma"},
    {"fma.rn.relu", "fma.relu"},
    {"add.rn", "add"},
    {"mul.rn", "mul"},
    {"div.rn", "div"},
    {"div.full", "div.full"},
    {"div.approx", "div.approx"},
    {"fmin", "minnum"},
    {"fmin.nan", "minimum"},
    {"fmin.xorsign.abs", "minnum.xorsign"},
    {"fmax", "maxnum"},
    {"fmax.nan", "maximum"},
    {"fmax.xorsign.abs", "maxnum.xorsign"},
};

constexpr NvvmMath nvvmIntegerMath[] = {
    {"mulhi.i", "mulhi.s"},     {"mulhi.ui", "mulhi.u"},  {"mulhi.ll", "mulhi.s"},  {"mulhi.ull", "mulhi.u"},
    {"mulhi.s", "mulhi.s"},     {"mulhi.us", "mulhi.u"},  {"prmt", "prmt"},         {"prmt.f4e", "prmt.f4e"},
    {"prmt.b4e", "prmt.b4e"},   {"prmt.rc8", "prmt.rc8"}, {"prmt.ecl", "prmt.ecl"}, {"prmt.ecr", "prmt.ecr"},
    {"prmt.rc16", "prmt.rc16"},
};

} // namespace

static Handler findNvvmMath(llvm::StringRef name, llvm::Type *type, unsigned bytes) {
  std::optional<FloatFormat> format = Decoder::floatFormat(type);
  if (!format) {
    for (const NvvmMath &known : nvvmIntegerMath)
      if (known.name == name)
        return findIntegerIntrinsic(known.operation, bytes);
    return nullptr;
  }
  for (llvm::StringRef suffix : {".f", ".d", ".f16", ".f16x2", ".bf16", ".bf16x2", ".f32", ".v2f16", ".v2bf16", ".f64"})
    if (name.consume_back(suffix))
      break;
  std::string base = name.str(), flushes;
  if (std::size_t place = base.find(".ftz"); place != std::string::npos) {
    base.erase(place, 4);
    flushes = ".ftz";
  }
  // Of 16-bit approximations a third differs from what exact functions give: they are not known well enough.
  bool isWide = *format == FloatFormat::Single || *format == FloatFormat::Double;
  if (!isWide && llvm::StringRef(base).contains(".approx"))
    return nullptr;
  for (const NvvmMath &known : nvvmMath)
    if (known.name == base) {
      std::string operation = known.operation.str() + flushes;
      Handler handler = findFloatUnary(operation, *format);
      return handler ? handler : findFloatIntrinsic(operation, *format);
    }
  return findDirectedRounding(base, *format);
}

static bool isBlockBarrier(llvm::StringRef name) {
  return name == "barrier0" || name == "barrier.cta.sync.aligned.all" || name == "barrier.sync" ||
         name == "barrier.cta.sync.all";
}

/// `form` follows "cp.async.".
llvm::Error Decoder::decodeAsynchronousCopy(const llvm::CallInst &call, llvm::StringRef form) {
  if (form == "commit.group") {
    emit(commitCopyGroup());
    return llvm::Error::success();
  }
  if (form == "wait.group") {
    emit(waitCopyGroup()).immediate = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
    return llvm::Error::success();
  }
  if (form == "wait.all") {
    emit(commitCopyGroup());
    emit(waitCopyGroup());
    return llvm::Error::success();
  }
  if (!form.consume_front("ca.shared.global.") && !form.consume_front("cg.shared.global."))
    return unsupported(call);
  auto [size, suffix] = form.split('.');
  int64_t bytes = 0;
  size.getAsInteger(10, bytes);
  llvm::SmallVector<RegisterOffset, 3> registers;
  for (const llvm::Value *operand : call.args()) {
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
  if (llvm::StringRef form = name; form.consume_front("cp.async."))
    return decodeAsynchronousCopy(call, form);
  if (Handler handler = findWarpOperation(name))
    return decodeWithList(call, handler);
  if (name == "d2f.rn")
    return decodeElementwise(call, operands, findFloatCast(FloatFormat::Double, FloatFormat::Single));
  int64_t conversionFlags = 0;
  if (Handler handler = findConversion(name, conversionFlags)) {
    llvm::Error error = decodeWithList(call, handler);
    program.instructions.back().immediate = conversionFlags;
    return error;
  }
  llvm::Expected<bool> isCast = decodeLibraryCast(call, name);
  if (!isCast)
    return isCast.takeError();
  if (*isCast)
    return llvm::Error::success();
  return decodeElementwise(call, operands, findNvvmMath(name, type, elementBytes(type)));
}

} // namespace triton::simulator
