#include "backends/amd/lowering/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::amd {

namespace {

using Element = MatrixElement;
using Form = OperandForm;

/// A form of v_mfma with its clocks on each architecture that has it, elsewhere 0.
struct MfmaForm {
  MatrixInstruction instruction;
  unsigned gfx90a, gfx942, gfx950;

  unsigned clocksOn(llvm::StringRef processor) const {
    return processor == "gfx90a" ? gfx90a : processor == "gfx942" ? gfx942 : gfx950;
  }
};

/// Of the forms for an element, the first is preferred where there are several with its extent: the deepest.
constexpr MfmaForm mfmaForms[] = {
    {{"mfma.f32.32x32x16.f16", Element::Half, 32, 16, 8, Form::Vector}, 0, 0, 32},
    {{"mfma.f32.16x16x32.f16", Element::Half, 16, 32, 8, Form::Vector}, 0, 0, 16},
    {{"mfma.f32.32x32x8f16", Element::Half, 32, 8, 4, Form::Vector}, 64, 32, 32},
    {{"mfma.f32.16x16x16f16", Element::Half, 16, 16, 4, Form::Vector}, 32, 16, 16},
    {{"mfma.f32.32x32x16.bf16", Element::BFloat, 32, 16, 8, Form::Vector}, 0, 0, 32},
    {{"mfma.f32.16x16x32.bf16", Element::BFloat, 16, 32, 8, Form::Vector}, 0, 0, 16},
    {{"mfma.f32.32x32x8bf16.1k", Element::BFloat, 32, 8, 4, Form::Bits16}, 64, 32, 32},
    {{"mfma.f32.16x16x16bf16.1k", Element::BFloat, 16, 16, 4, Form::Bits16}, 32, 16, 16},
    {{"mfma.f32.32x32x4.xf32", Element::Tf32, 32, 4, 2, Form::Vector}, 0, 32, 0},
    {{"mfma.f32.16x16x8.xf32", Element::Tf32, 16, 8, 2, Form::Vector}, 0, 16, 0},
    {{"mfma.f32.32x32x2f32", Element::Single, 32, 2, 1, Form::Scalar}, 64, 64, 64},
    {{"mfma.f32.16x16x4f32", Element::Single, 16, 4, 1, Form::Scalar}, 32, 32, 32},
    {{"mfma.f64.16x16x4f64", Element::Double, 16, 4, 1, Form::Scalar}, 32, 32, 64},
    {{"mfma.i32.32x32x32.i8", Element::Byte, 32, 32, 16, Form::Bits32}, 0, 0, 32},
    {{"mfma.i32.16x16x64.i8", Element::Byte, 16, 64, 16, Form::Bits32}, 0, 0, 16},
    {{"mfma.i32.32x32x16.i8", Element::Byte, 32, 16, 8, Form::Word}, 0, 32, 32},
    {{"mfma.i32.16x16x32.i8", Element::Byte, 16, 32, 8, Form::Word}, 0, 16, 16},
    {{"mfma.i32.32x32x8i8", Element::Byte, 32, 8, 4, Form::Word}, 64, 0, 0},
    {{"mfma.i32.16x16x16i8", Element::Byte, 16, 16, 4, Form::Word}, 32, 0, 0},
    {{"mfma.scale.f32.32x32x64.f8f6f4", Element::Float8E4, 32, 64, 32, Form::Bits32, 0, 16}, 0, 0, 64},
    {{"mfma.scale.f32.16x16x128.f8f6f4", Element::Float8E4, 16, 128, 32, Form::Bits32, 0, 16}, 0, 0, 32},
    {{"mfma.f32.32x32x16.{0}.{1}", Element::Float8E4, 32, 16, 8, Form::Word}, 0, 32, 32},
    {{"mfma.f32.16x16x32.{0}.{1}", Element::Float8E4, 16, 32, 8, Form::Word}, 0, 16, 16},
};

constexpr MatrixInstruction gfx11Instructions[] = {
    {"wmma.f32.16x16x16.f16", Element::Half, 16, 16, 16, Form::Vector, 32},
    {"wmma.f32.16x16x16.bf16", Element::BFloat, 16, 16, 16, Form::Bits16, 32},
    {"wmma.i32.16x16x16.iu8", Element::Byte, 16, 16, 16, Form::Bits32, 32},
};

constexpr MatrixInstruction gfx12Instructions[] = {
    {"wmma.f32.16x16x16.f16", Element::Half, 16, 16, 8, Form::Vector, 16},
    {"wmma.f32.16x16x16.bf16", Element::BFloat, 16, 16, 8, Form::Bits16, 16},
    {"wmma.i32.16x16x16.iu8", Element::Byte, 16, 16, 8, Form::Bits32, 8},
    {"wmma.f32.16x16x16.{0}.{1}", Element::Float8E4, 16, 16, 8, Form::Bits32, 8},
};

/// A lane holds runs of eight elements along K, of f32 and with scales of 16 bytes. Clocks are those of LLVM's model;
/// of f32, it gives only the latency.
constexpr MatrixInstruction gfx1250Instructions[] = {
    {"wmma.f32.16x16x32.f16", Element::Half, 16, 32, 16, Form::Vector, 8, 8},
    {"wmma.f32.16x16x32.bf16", Element::BFloat, 16, 32, 16, Form::Vector, 8, 8},
    {"wmma.i32.16x16x64.iu8", Element::Byte, 16, 64, 32, Form::Bits32, 8, 8},
    {"wmma.f32.16x16x4.f32", Element::Single, 16, 4, 2, Form::Vector, 16},
    {"wmma.scale.f32.16x16x128.f8f6f4", Element::Float8E4, 16, 128, 64, Form::Bits32, 8, 16},
    {"wmma.f32.16x16x64.{0}.{1}", Element::Float8E4, 16, 64, 32, Form::Bits32, 8, 8},
};

llvm::SmallVector<MatrixInstruction> instructionsOf(const Architecture &architecture) {
  if (architecture.hasDeepProducts())
    return llvm::to_vector(llvm::ArrayRef(gfx1250Instructions));
  if (architecture.isRdna())
    return llvm::to_vector(architecture.generation == 11 ? llvm::ArrayRef(gfx11Instructions) : gfx12Instructions);
  llvm::SmallVector<MatrixInstruction> instructions;
  for (const MfmaForm &form : mfmaForms)
    if (unsigned clocks = form.clocksOn(architecture.processor)) {
      instructions.push_back(form.instruction);
      instructions.back().clocks = clocks;
    }
  return instructions;
}

} // namespace

std::optional<MatrixElement> findMatrixElement(const Architecture &architecture, mlir::Type type, bool isTf32) {
  // gfx942 multiplies tf32, and the 8-bit floats without infinities and negative zero; later targets those of OCP.
  bool isGfx942 = architecture.is("gfx942");
  std::optional<MatrixElement> element =
      llvm::TypeSwitch<mlir::Type, std::optional<MatrixElement>>(type)
          .Case([](mlir::Float16Type) { return Element::Half; })
          .Case([](mlir::BFloat16Type) { return Element::BFloat; })
          .Case([&](mlir::Float32Type) { return isTf32 && isGfx942 ? Element::Tf32 : Element::Single; })
          .Case([](mlir::Float64Type) { return Element::Double; })
          .Case([&](mlir::Float8E4M3FNUZType) { return isGfx942 ? std::optional(Element::Float8E4) : std::nullopt; })
          .Case([&](mlir::Float8E5M2FNUZType) { return isGfx942 ? std::optional(Element::Float8E5) : std::nullopt; })
          .Case([&](mlir::Float8E4M3FNType) { return isGfx942 ? std::nullopt : std::optional(Element::Float8E4); })
          .Case([&](mlir::Float8E5M2Type) { return isGfx942 ? std::nullopt : std::optional(Element::Float8E5); })
          .Case([&](mlir::Float4E2M1FNType) {
            return findScaledInstructions(architecture).empty() ? std::nullopt : std::optional(Element::Float4);
          })
          .Case([](mlir::IntegerType integer) {
            return integer.getWidth() == 8 ? std::optional(Element::Byte) : std::nullopt;
          })
          .Default(std::nullopt);
  if (!element || (*element != Element::Float4 && findMatrixInstructions(architecture, *element).empty()))
    return std::nullopt;
  return element;
}

llvm::SmallVector<MatrixInstruction> findMatrixInstructions(const Architecture &architecture, MatrixElement element) {
  if (element == Element::Float8E5) // The instructions for both formats are the same.
    element = Element::Float8E4;
  llvm::SmallVector<MatrixInstruction> instructions = instructionsOf(architecture);
  llvm::erase_if(instructions, [&](const MatrixInstruction &known) { return known.element != element; });
  return instructions;
}

llvm::SmallVector<MatrixInstruction> findScaledInstructions(const Architecture &architecture) {
  llvm::SmallVector<MatrixInstruction> instructions = instructionsOf(architecture);
  llvm::erase_if(instructions, [](const MatrixInstruction &known) { return !known.isScaled(); });
  return instructions;
}

llvm::SmallVector<unsigned> findScaledDepths(const Architecture &architecture, unsigned extent) {
  llvm::SmallVector<unsigned> depths(2, 0);
  for (const MatrixInstruction &known : findScaledInstructions(architecture))
    if (extent == 0 || extent == known.extent)
      depths[known.extent == 16 ? 0 : 1] = known.depth;
  return depths;
}

std::optional<MatrixInstruction> findMatrixInstruction(const Architecture &architecture, MatrixElement element,
                                                       unsigned extent, unsigned depth) {
  for (const MatrixInstruction &known : findMatrixInstructions(architecture, element))
    if (known.extent == extent && (depth == 0 || known.depth == depth))
      return known;
  return std::nullopt;
}

} // namespace triton::amd
