// The intrinsics `llvm.nvvm.*`.
#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::nvptx {

namespace {

/// An elementwise NVVM intrinsic, by its name after `llvm.nvvm.` without the type and without `.ftz`.
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
    {"sub.rn", "sub"},
    {"mul.rn", "mul"},
    {"div.rn", "div"},
    {"div.full", "div.full"},
    {"div.approx", "div.approx"},
    {"fmin", "minnum"},
    {"fmin.nan", "minimum"},
    {"fmin.xorsign.abs", "minnum.xorsign"},
    {"fmin.nan.xorsign.abs", "minimum.xorsign"},
    {"fmax", "maxnum"},
    {"fmax.nan", "maximum"},
    {"fmax.xorsign.abs", "maxnum.xorsign"},
    {"fmax.nan.xorsign.abs", "maximum.xorsign"},
};

constexpr NvvmMath nvvmIntegerMath[] = {
    {"mulhi.i", "mulhi.s"}, {"mulhi.ui", "mulhi.u"}, {"mulhi.ll", "mulhi.s"}, {"mulhi.ull", "mulhi.u"},
    {"mulhi.s", "mulhi.s"}, {"mulhi.us", "mulhi.u"}, {"sad.i", "sad.s"},      {"sad.ui", "sad.u"},
    {"sad.s", "sad.s"},     {"sad.us", "sad.u"},     {"sad.ll", "sad.s"},     {"sad.ull", "sad.u"},
};

} // namespace

static Handler findNvvmMath(llvm::StringRef name, llvm::Type *type, unsigned bytes) {
  std::optional<FloatFormat> format = Decoder::floatFormat(type);
  if (!format && name.starts_with("prmt"))
    return bytes == 4 ? findPermute(name) : nullptr;
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
  // A third of the 16-bit approximations differ from the results of exact functions, so they are not known well enough.
  bool isWide = *format == FloatFormat::Single || *format == FloatFormat::Double;
  if (!isWide && llvm::StringRef(base).contains(".approx"))
    return nullptr;
  for (const NvvmMath &known : nvvmMath)
    if (known.name == base) {
      std::string operation = known.operation.str() + flushes;
      return findFloatOperation(operation, *format);
    }
  return findDirectedRounding(base, *format);
}

/// bar.sync, bar.arrive and the cluster's barrier. False if `name` is not a barrier.
static llvm::Expected<bool> decodeBarrier(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  if (llvm::StringRef form = name; form.consume_front("barrier.cluster.")) {
    form.consume_back(".aligned");
    bool isWait = form == "wait", isRelaxed = form == "arrive.relaxed";
    if (!isWait && !isRelaxed && form != "arrive")
      return false;
    decoder.emit(isWait ? clusterWaitHandler() : clusterArriveHandler()).order.releases = !isWait && !isRelaxed;
    return true;
  }
  if (!name.consume_front("barrier.cta."))
    return false;
  bool isArrival = name.consume_front("arrive."), isSync = !isArrival && name.consume_front("sync.");
  name.consume_front("aligned.");
  bool isCounted = name == "count";
  if (!isCounted && !(isSync && name == "all"))
    return false;
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> operands = decoder.readArguments(call);
  if (!operands)
    return operands.takeError();
  decoder.program.hasPartialBarriers |= isCounted;
  decoder.emit(isArrival ? barrierArriveHandler() : barrierHandler(), 0, *operands).immediate =
      int64_t(operands->size());
  return true;
}

void decodeFence(Decoder &decoder, llvm::StringRef form) {
  if (form.starts_with("mbarrier_init")) {
    decoder.emit(barrierFenceHandler());
    return;
  }
  // Proxies other than the asynchronous one are caches, and the simulator has no caches.
  if (form.contains("proxy")) {
    decoder.emit(form.starts_with("proxy.async") ? proxyFenceHandler() : nothingHandler());
    return;
  }
  auto has = [&](llvm::StringRef word) { return llvm::is_contained(llvm::split(form, '.'), word); };
  decoder.emitFence({true, true, true, has("cta") ? Scope::Program : has("sys") ? Scope::System : Scope::Device});
}

/// `form` follows "cp.async.".
static llvm::Error decodeAsynchronousCopy(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef form) {
  if (form.consume_front("bulk."))
    return decodeBulkCopy(decoder, call, form);
  if (form == "commit.group") {
    decoder.emit(commitCopyGroup());
    return llvm::Error::success();
  }
  if (form == "wait.group") {
    decoder.emit(waitCopyGroup()).immediate = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
    return llvm::Error::success();
  }
  if (form == "wait.all") {
    decoder.emit(commitCopyGroup());
    decoder.emit(waitCopyGroup());
    return llvm::Error::success();
  }
  if (llvm::StringRef arrival = form; arrival.consume_front("mbarrier.arrive")) {
    llvm::Expected<RegisterOffset> address = decoder.readScalar(call.getArgOperand(0));
    if (!address)
      return address.takeError();
    decodeCopyArrival(decoder, *address, arrival.starts_with(".noinc"), decoder.constantRegister(1, 0));
    return llvm::Error::success();
  }
  if (!form.consume_front("ca.shared.global.") && !form.consume_front("cg.shared.global."))
    return decoder.unsupported(call);
  auto [size, suffix] = form.split('.');
  int64_t bytes = 0;
  size.getAsInteger(10, bytes);
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> registers = decoder.readArguments(call);
  if (!registers)
    return registers.takeError();
  DecodedInstruction &copy = decoder.emit(asynchronousCopy(), 0, *registers);
  copy.immediate = bytes;
  copy.detail = suffix == "s" ? &decoder.program : nullptr;
  return llvm::Error::success();
}

llvm::Error decodeNvvm(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name) {
  auto arguments = llvm::map_range(call.args(), [](const llvm::Use &use) { return use.get(); });
  llvm::SmallVector<const llvm::Value *, 4> operands(arguments.begin(), arguments.end());
  llvm::Type *type = call.getType()->getScalarType();
  if (name.starts_with("barrier")) {
    llvm::Expected<bool> isBarrier = decodeBarrier(decoder, call, name);
    if (!isBarrier)
      return isBarrier.takeError();
    return *isBarrier ? llvm::Error::success() : decoder.unsupported(call);
  }
  if (name == "mapa" || name == "mapa.shared.cluster") {
    llvm::Expected<RegisterOffset> pointer = decoder.readScalar(call.getArgOperand(0)),
                                   rank = decoder.readScalar(call.getArgOperand(1));
    if (!pointer)
      return llvm::joinErrors(pointer.takeError(), rank.takeError());
    if (!rank)
      return rank.takeError();
    decoder.emit(sharedOfRank(/*fromShared=*/name != "mapa"), decoder.defineNew(&call).front(), {*pointer, *rank});
    return llvm::Error::success();
  }
  if (llvm::StringRef form = name; form.consume_front("membar.") || form.consume_front("fence.")) {
    decodeFence(decoder, form);
    return llvm::Error::success();
  }
  // The simulator runs the lanes of a warp in step, so ordering them needs nothing. It has any number of registers, and
  // a launch begins when the earlier launches have ended.
  if (name == "bar.warp.sync" || name.starts_with("setmaxnreg.") || name.starts_with("griddepcontrol.") ||
      name.starts_with("prefetch.")) {
    decoder.emit(nothingHandler());
    return llvm::Error::success();
  }
  // The simulator runs launches one after another.
  if (name == "griddepcontrol.wait" || name == "griddepcontrol.launch.dependents") {
    decoder.emit(nothingHandler());
    return llvm::Error::success();
  }
  if (name == "exit") {
    decoder.emit(returnHandler());
    return llvm::Error::success();
  }
  if (llvm::StringRef special = name; special.consume_front("read.ptx.sreg.")) {
    Handler handler = findSpecialRegister(special);
    if (!handler)
      return decoder.unsupported(call);
    decoder.emit(handler, decoder.defineNew(&call).front());
    return llvm::Error::success();
  }
  if (llvm::StringRef form = name; form.consume_front("mbarrier."))
    return decodeMemoryBarrier(decoder, call, form);
  if (llvm::StringRef form = name; form.consume_front("wgmma.")) {
    if (form.starts_with("wait_group"))
      decoder.emit(productWaitHandler()).immediate =
          llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
    else
      decoder.emit(form.starts_with("fence") ? productFenceHandler() : productCommitHandler());
    return llvm::Error::success();
  }
  if (llvm::StringRef form = name; form.consume_front("mma."))
    return decoder.decodeWithList(call, findMatrixMultiply(form));
  if (llvm::StringRef form = name; form.consume_front("ldmatrix.sync.aligned.m8n8."))
    return decoder.decodeWithList(call, findMatrixLoad(form.substr(0, form.rfind(".p3"))));
  if (llvm::StringRef form = name; form.consume_front("stmatrix.sync.aligned.m8n8."))
    return decoder.decodeWithList(call, findMatrixStore(form.substr(0, form.rfind(".p3"))));
  if (llvm::StringRef form = name; form.consume_front("cp.async."))
    return decodeAsynchronousCopy(decoder, call, form);
  if (Handler handler = findWarpOperation(name))
    return decoder.decodeWithList(call, handler);
  int64_t conversionFlags = 0;
  if (Handler handler = findConversion(name, conversionFlags)) {
    llvm::Error error = decoder.decodeWithList(call, handler);
    decoder.program.instructions.back().immediate = conversionFlags;
    return error;
  }
  llvm::Expected<bool> isCast = decodeLibraryCast(decoder, call, name);
  if (!isCast)
    return isCast.takeError();
  if (*isCast)
    return llvm::Error::success();
  return decoder.decodeElementwise(call, operands, findNvvmMath(name, type, decoder.elementBytes(type)));
}

} // namespace triton::simulator::nvptx
