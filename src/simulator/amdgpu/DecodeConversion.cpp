// Conversions of narrow floats, by the parts of their names: "cvt.pk.fp8.f32", "cvt.scalef32.pk.f16.fp4", ...
#include "simulator/amdgpu/Conversion.h"
#include "simulator/amdgpu/Decode.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

namespace {

/// What the name of a conversion says.
struct ConversionName {
  bool isScaled = false, isStochastic = false, isPacked = false;
  llvm::StringRef to, from;

  static std::optional<ConversionName> parse(llvm::StringRef name) {
    ConversionName result;
    if (!name.consume_front("cvt."))
      return std::nullopt;
    result.isScaled = name.consume_front("scalef32.");
    result.isStochastic = name.consume_front("sr.");
    result.isPacked = name.consume_front("pk.");
    std::tie(result.to, result.from) = name.split('.');
    return result;
  }
};

std::optional<NarrowFormat> narrowOf(llvm::StringRef name, const Architecture &architecture) {
  if (name == "fp4")
    return NarrowFormat::E2M1;
  if (name == "fp8" || name == "bf8")
    return eightBitFormat(architecture, name == "bf8");
  return std::nullopt;
}

std::optional<FloatFormat> wideOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<FloatFormat>>(name)
      .Case("f32", FloatFormat::Single)
      .Case("f16", FloatFormat::Half)
      .Case("bf16", FloatFormat::BFloat)
      .Default(std::nullopt);
}

} // namespace

static llvm::Error emitConversion(const Intrinsic &intrinsic, Conversion conversion, Handler handler) {
  Decoder &decoder = intrinsic.decoder;
  conversion.outputs = decoder.defineNew(&intrinsic.call);
  conversion.outputBytes = decoder.elementBytes(intrinsic.call.getType()->getScalarType());
  auto detail = std::make_shared<Conversion>(std::move(conversion));
  decoder.emit(handler).detail = detail.get();
  decoder.program.details.push_back(std::move(detail));
  return llvm::Error::success();
}

/// (packed, place) or (packed, scale, place).
static llvm::Error decodeWidening(const Intrinsic &intrinsic, const ConversionName &name, Conversion conversion) {
  Decoder &decoder = intrinsic.decoder;
  if (intrinsic.call.arg_size() != (name.isScaled ? 3 : 2))
    return decoder.unsupported(intrinsic.call);
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> arguments = decoder.readArguments(intrinsic.call);
  if (!arguments)
    return arguments.takeError();
  conversion.values = {arguments->front()};
  if (name.isScaled)
    conversion.scale = (*arguments)[1];
  conversion.place = arguments->back();
  conversion.placeIsFlag = intrinsic.argument(intrinsic.call.arg_size() - 1)->getType()->isIntegerTy(1);
  return emitConversion(intrinsic, std::move(conversion), wideningConversion());
}

/// Without a scale: (values..., [random], old, place); with one: (old, values..., [random], scale, place).
static llvm::Error decodeNarrowing(const Intrinsic &intrinsic, const ConversionName &name, Conversion conversion) {
  Decoder &decoder = intrinsic.decoder;
  llvm::SmallVector<Registers, 5> arguments;
  for (const llvm::Use &argument : intrinsic.call.args()) {
    llvm::Expected<Registers> registers = decoder.read(argument.get());
    if (!registers)
      return registers.takeError();
    arguments.push_back(std::move(*registers));
  }
  auto take = [&](bool fromFront) {
    Registers taken = fromFront ? arguments.front() : arguments.back();
    arguments.erase(fromFront ? arguments.begin() : arguments.end() - 1);
    return taken;
  };
  unsigned wanted = 3 + unsigned(name.isScaled) + unsigned(name.isStochastic) - 1;
  if (arguments.size() <= wanted)
    return decoder.unsupported(intrinsic.call);
  conversion.placeIsFlag = intrinsic.argument(intrinsic.call.arg_size() - 1)->getType()->isIntegerTy(1);
  conversion.place = take(false).front();
  conversion.old = take(/*fromFront=*/name.isScaled);
  if (name.isScaled)
    conversion.scale = take(false).front();
  if (name.isStochastic)
    conversion.random = take(false).front();
  for (const Registers &value : arguments)
    conversion.values.append(value);
  return emitConversion(intrinsic, std::move(conversion), narrowingConversion());
}

llvm::Expected<bool> decodeConversion(const Intrinsic &intrinsic) {
  if (intrinsic.name == "cvt.pkrtz")
    return intrinsic.withList(packingTowardZero());
  std::optional<ConversionName> name = ConversionName::parse(intrinsic.name);
  if (!name)
    return false;
  const Architecture &architecture = intrinsic.architecture;
  bool isWidening = wideOf(name->to).has_value();
  std::optional<NarrowFormat> narrow = narrowOf(isWidening ? name->from : name->to, architecture);
  std::optional<FloatFormat> wide = wideOf(isWidening ? name->to : name->from);
  if (!narrow || !wide)
    return false;
  if (name->isScaled ? !architecture.isGfx950() : !architecture.hasEightBitFloats())
    return intrinsic.missing();
  Conversion conversion{*narrow, *wide, {}, 4, {}, {}, 4, {}, {}, {}, false};
  return Intrinsic::known(isWidening ? decodeWidening(intrinsic, *name, std::move(conversion))
                                     : decodeNarrowing(intrinsic, *name, std::move(conversion)));
}

} // namespace triton::simulator::amdgpu
