#include "frontend/lowering/LowerKernel.h"

#include "frontend/BuiltinDiagnostics.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/Constructs.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "gpu/ir/Dialect.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"

namespace triton::frontend {

void registerFrontendDialects(mlir::DialectRegistry &registry) {
  registry.insert<tt::TritonDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::LLVM::LLVMDialect>();
  mlir::LLVM::registerInlinerInterface(registry); // of the operations with which kernels assume and fence
}

namespace {

/// The runtime arguments of the kernel in the order of the parameters. Tuples are split into their elements.
struct Parameters {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
};

class KernelLowering {
public:
  KernelLowering(mlir::MLIRContext &context, const Function &function, const LoweringOptions &options)
      : lowering(context, options), function(function), frame{&function, nullptr, {}, {}} {
    lowering.frame = &frame;
    lowering.isGluon = function.isGluon;
    lowering.layoutReader = function.layoutReader;
    lowering.range = function.definition->signatureRange;
  }

  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::ArrayRef<KernelArgument> arguments, llvm::StringRef name) {
    check(arguments, name);
    lowering.module = mlir::ModuleOp::create(lowering.builder, lowering.location(SourceRange{}));
    if (function.isGluon)
      describeThreads();
    lowering.functionNames[name] = 1;
    for (auto [argument, parameter] : llvm::zip_equal(arguments, function.definition->parameters))
      addParameter(argument, parameter.name.name, parameter.name.range);
    nextMap = unsigned(parameters.types.size());
    llvm::append_range(parameters.types, maps.types);
    llvm::append_range(parameters.locations, maps.locations);
    llvm::append_range(parameters.attributes, maps.attributes);

    lowering.builder.setInsertionPointToEnd(lowering.module->getBody());
    auto kernel = lowering.create<tt::FuncOp>(name, lowering.builder.getFunctionType(parameters.types, {}),
                                              llvm::ArrayRef<mlir::NamedAttribute>(), parameters.attributes);
    // An attribute, because Triton's text says `public` where MLIR would omit it.
    kernel.setSymVisibility("public");
    kernel->setAttr(tt::FuncOp::noInlineAttrName, lowering.builder.getBoolAttr(false));
    mlir::Block *entry = lowering.builder.createBlock(&kernel.getBody(), {}, parameters.types, parameters.locations);
    nextValue = 0;
    for (auto [argument, parameter] : llvm::zip_equal(arguments, function.definition->parameters))
      bindParameter(argument, parameter, *entry);
    // Callers of a kernel get no result.
    lowerKernelBody();
    lowering.create<tt::ReturnOp>();
    return std::move(lowering.module);
  }

private:
  void lowerKernelBody() {
    try {
      lowerBody(lowering, function);
    } catch (const UnknownNameRead &) { // NOLINT(bugprone-empty-catch): the observer knows why nothing follows
    }
  }

  void check(llvm::ArrayRef<KernelArgument> arguments, llvm::StringRef name) {
    if (const Target &target = lowering.options.language.target; function.isGluon && target.warpSize == 0)
      lowering.error(diagnostics::GluonTarget, target.backend);
    bool isName = !name.empty() && !llvm::isDigit(name.front()) &&
                  llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isName)
      lowering.error(function.definition->name.range, diagnostics::KernelName, name);
    if (function.definition->isAsync)
      lowering.error(function.definition->name.range, diagnostics::UnsupportedStatement, "`async def`", "");
    for (const ast::Parameter &parameter : function.definition->parameters)
      if (parameter.kind == ast::ParameterKind::VarKeyword)
        lowering.error(parameter.range, diagnostics::DoubleStarParameter, parameter.name.name);
    if (arguments.size() != function.definition->parameters.size())
      lowering.error(diagnostics::KernelArgumentCount, name, function.definition->parameters.size(), arguments.size());
  }

  /// What layouts are over.
  void describeThreads() {
    mlir::Builder &builder = lowering.builder;
    mlir::ModuleOp module = *lowering.module;
    module->setAttr(ttg::ownWaitsAttribute, builder.getUnitAttr());
    module->setAttr(ttg::numWarpsAttribute, builder.getI32IntegerAttr(lowering.options.numWarps));
    module->setAttr(ttg::numCtasAttribute, builder.getI32IntegerAttr(lowering.options.numCtas));
    module->setAttr(ttg::threadsPerWarpAttribute, builder.getI32IntegerAttr(lowering.options.language.target.warpSize));
  }

  void addParameter(const KernelArgument &argument, llvm::StringRef name, SourceRange range) {
    if (argument.descriptor) {
      if (function.isGluon)
        addMap(*argument.descriptor, name, range);
      for (const KernelArgument &element : argument.elements)
        addParameter(element, element.name, range);
      return;
    }
    if (argument.isTuple) {
      for (auto [index, element] : llvm::enumerate(argument.elements))
        addParameter(element, (name + "." + llvm::Twine(index)).str(), range);
      return;
    }
    if (argument.constant || argument.isUnknown)
      return;
    if (argument.type.scalar == ScalarType::Void)
      lowering.error(range, diagnostics::KernelArgumentVoid, name);
    mlir::Builder &builder = lowering.builder;
    RangeScope atParameter(lowering, range);
    parameters.types.push_back(lowering.irType(argument.type));
    parameters.locations.push_back(mlir::NameLoc::get(builder.getStringAttr(name), lowering.location(range)));
    llvm::SmallVector<mlir::NamedAttribute, 1> attributes;
    if (argument.divisibility > 1)
      attributes.push_back(
          builder.getNamedAttr(tt::divisibilityAttribute, builder.getI32IntegerAttr(argument.divisibility)));
    if (argument.isInRange && argument.type.isPointer())
      attributes.push_back(builder.getNamedAttr(tt::pointerRangeAttribute, builder.getI32IntegerAttr(32)));
    else if (argument.isInRange)
      attributes.push_back(builder.getNamedAttr(tt::nonnegativeAttribute, builder.getUnitAttr()));
    if (argument.storage >= 0 && argument.type.isPointer())
      attributes.push_back(builder.getNamedAttr(tt::storageAttribute, builder.getI32IntegerAttr(argument.storage)));
    parameters.attributes.push_back(builder.getDictionaryAttr(attributes));
  }

  /// The map of an array that the launch makes for copies of its blocks. Maps follow all other arguments.
  void addMap(const DescriptorType &type, llvm::StringRef name, SourceRange range) {
    requireHopper(lowering, range, "TensorDescriptor");
    if (!type.bufferSwizzle)
      lowering.error(range, diagnostics::DescriptorOfBuffers, name.str(), type.str());
    mlir::Builder &builder = lowering.builder;
    auto first = unsigned(parameters.types.size());
    auto expressions = [&](unsigned begin, unsigned count) {
      llvm::SmallVector<mlir::Attribute> list;
      for (unsigned index = begin; index < begin + count; ++index)
        list.push_back(builder.getStringAttr("arg:" + llvm::Twine(index)));
      return builder.getArrayAttr(list);
    };
    llvm::SmallVector<int64_t> box = mlir::cast<ttg::NvmmaSharedEncodingAttr>(bufferLayout(type)).getBox(type.block());
    llvm::SmallVector<mlir::NamedAttribute> map{
        builder.getNamedAttr("base", builder.getStringAttr("arg:" + llvm::Twine(first))),
        builder.getNamedAttr("box", builder.getDenseI32ArrayAttr(llvm::SmallVector<int32_t>(box.begin(), box.end()))),
        builder.getNamedAttr("name", builder.getStringAttr(name)),
        builder.getNamedAttr("shape", expressions(first + 1, type.rank)),
        builder.getNamedAttr("strides", expressions(first + 1 + type.rank, type.rank - 1u)),
        builder.getNamedAttr("swizzle", builder.getI32IntegerAttr(*type.bufferSwizzle))};
    if (type.padsWithNaN)
      map.push_back(builder.getNamedAttr("nan", builder.getUnitAttr()));
    if (type.fp4Padded)
      map.push_back(builder.getNamedAttr("fp4_padded", builder.getUnitAttr()));
    if (type.roundsToTF32)
      map.push_back(builder.getNamedAttr("tf32", builder.getUnitAttr()));
    mlir::Type element = lowering.irType(TensorType(type.element));
    maps.types.push_back(tt::TensorDescType::get(mlir::RankedTensorType::get(box, element)));
    maps.locations.push_back(mlir::NameLoc::get(builder.getStringAttr(name), lowering.location(range)));
    maps.attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(ttg::tensorMapAttribute, builder.getDictionaryAttr(map))));
  }

  mlir::Attribute bufferLayout(const DescriptorType &type) {
    return ttg::NvmmaSharedEncodingAttr::get(&lowering.context, *type.bufferSwizzle, /*transposed=*/false,
                                             bitWidth(type.element), type.rank, type.blockBases(), type.fp4Padded);
  }

  void bindParameter(const KernelArgument &argument, const ast::Parameter &parameter, mlir::Block &entry) {
    Variable &variable = frame.locals[parameter.name.name];
    variable = {{}, parameter.name.range, isConstexprAnnotation(parameter.annotation)};
    if (argument.isUnknown) {
      variable.state = Variable::State::Unknown;
      return;
    }
    variable.value = valueOf(argument, entry);
    lowering.observe(parameter.name.range, variable.value);
  }

  Value valueOf(const KernelArgument &argument, mlir::Block &entry) {
    if (argument.isTuple) {
      TupleValue tuple{{}, {}, argument.fieldNames};
      for (const KernelArgument &element : argument.elements)
        tuple.elements.push_back(valueOf(element, entry));
      return tuple;
    }
    if (argument.constant)
      return Value(argument.constant);
    if (argument.descriptor)
      return descriptorOf(argument, entry);
    return Tensor{entry.getArgument(nextValue++), argument.type};
  }

  /// Makes the descriptor from its parts at the start of the kernel, in the way of tl.make_tensor_descriptor. In Gluon
  /// it is the map that the launch makes.
  Value descriptorOf(const KernelArgument &argument, mlir::Block &entry) {
    const DescriptorType &type = *argument.descriptor;
    llvm::SmallVector<Tensor, 11> parts;
    for (const KernelArgument &element : argument.elements)
      parts.push_back(*valueOf(element, entry).tensor());
    TensorType stride(ScalarType::Int64);
    parts.push_back(constantTensor(lowering, llvm::APSInt::get(1), stride));
    llvm::ArrayRef<Tensor> shape = llvm::ArrayRef(parts).slice(1, type.rank),
                           strides = llvm::ArrayRef(parts).take_back(type.rank);
    if (function.isGluon)
      return TensorDescriptor{entry.getArgument(nextMap++),
                              TensorType({type.element, 0, false}, type.block(), bufferLayout(type)),
                              parts.front().value,
                              {shape.begin(), shape.end()},
                              {strides.begin(), strides.end()}};
    return createDescriptor(lowering, parts.front().value, TensorType(type.element, type.block()), shape, strides,
                            type.padsWithNaN, type.roundsToTF32);
  }

  Lowering lowering;
  const Function &function;
  FunctionFrame frame;
  Parameters parameters, maps;
  unsigned nextValue = 0, nextMap = 0;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> lowerKernel(mlir::MLIRContext &context, const Function &function,
                                              const std::vector<KernelArgument> &arguments,
                                              const LoweringOptions &options, llvm::StringRef kernelName) {
  context.loadDialect<tt::TritonDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::ub::UBDialect, mlir::LLVM::LLVMDialect>();
  if (function.isGluon)
    context.loadDialect<ttg::TritonGPUDialect>();
  return KernelLowering(context, function, options).run(arguments, kernelName);
}

} // namespace triton::frontend
