// What Gluon has for NVIDIA's GPUs from compute capability 10.0 on: tensor memory, products there, and programs that
// take the work of others.
#include "frontend/lowering/builtins/Buffers.h"
#include "frontend/lowering/builtins/Units.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/TensorMemoryPlaces.h"

namespace triton::frontend::builtin {
namespace {

void requireUnit(Lowering &lowering, CallArguments &arguments) {
  requireTensorMemory(lowering, arguments.callRange, arguments.builtin.displayName());
  lowering.context.getOrLoadDialect<ttg::TtngDialect>();
}

/// The type in IR; reports at `range` what cannot be in tensor memory. `whole`: of a part, the shape of its buffer.
ttg::MemDescType matrixType(Lowering &lowering, const TensorType &type, SourceRange range,
                            llvm::ArrayRef<int64_t> whole = {}) {
  if (!ttg::isTensorMemoryEncoding(type.layout))
    lowering.error(range, diagnostics::NotALayout, std::string("a layout of tensor memory"), layoutText(type.layout));
  if (int64_t blocks = ttg::countBlocks(type.layout); blocks != lowering.options.numCtas)
    lowering.error(range, diagnostics::LayoutBlocks, layoutText(type.layout), blocks, lowering.options.numCtas);
  if (type.element.isPointer() || type.rank() > 3)
    lowering.error(range, diagnostics::WrongBuffer, type.str(),
                   std::string("tensor memory holds numbers, in a matrix or in a row of matrices"));
  bool isWhole = whole == llvm::ArrayRef<int64_t>(type.shape);
  return verifiedType(lowering, type, ttg::foreign::TensorMemorySpaceAttr::get(&lowering.context),
                      isWhole ? llvm::ArrayRef<int64_t>() : whole, range);
}

const SharedBuffer &matrixArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name = "buffer") {
  const SharedBuffer *buffer = arguments[name].buffer();
  if (!buffer || !buffer->isInTensorMemory())
    lowering.error(arguments.range(name), diagnostics::NotInTensorMemory, arguments[name].describe());
  return *buffer;
}

mlir::Attribute transferLayout(Lowering &lowering, CallArguments &arguments, const SharedBuffer &buffer, unsigned warps,
                               llvm::StringRef shape) {
  std::string obstacle;
  mlir::Attribute layout = ttg::findTransferLayout(typeOf(buffer), warps, shape, obstacle);
  if (!layout)
    lowering.error(arguments.callRange, diagnostics::NoTransferLayout, arguments.builtin.displayName(), obstacle);
  return layout;
}

template <typename Op> void verifyProduct(Lowering &lowering, CallArguments &arguments, Op product) {
  if (std::string said = findObjection(lowering, [&] { return product.verify(); }); !said.empty())
    lowering.error(arguments.callRange, diagnostics::GroupProduct, arguments.builtin.displayName(), "it " + said);
}

} // namespace

Value allocateTensorMemory(Lowering &lowering, CallArguments &arguments) {
  requireUnit(lowering, arguments);
  SourceRange range = arguments.range("layout");
  TensorType type(elementTypeArgument(lowering, arguments, "element_ty"),
                  integersArgument(lowering, arguments, "shape"), encodingOf(lowering, arguments["layout"], range));
  mlir::Type result = matrixType(lowering, type, range);
  mlir::Value contents;
  if (!arguments["value"].isNone())
    contents = contentsArgument(lowering, arguments, type).value;
  auto alloc = lowering.create<ttg::foreign::TMEMAllocOp>(result, mlir::Type(), contents);
  return SharedBuffer{alloc.getResult(), type};
}

Value loadMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  TensorType type = buffer.type;
  type.layout = arguments["layout"].isNone() ? transferLayout(lowering, arguments, buffer, lowering.numWarps, "32x32b")
                                             : layoutArgument(lowering, arguments, type.shape);
  auto load = lowering.create<ttg::foreign::TMEMLoadOp>(lowering.irType(type), mlir::Type(), mlir::Type(), buffer.value,
                                                        mlir::Value(), ttg::foreign::RedOpAttr(), mlir::BoolAttr(),
                                                        mlir::BoolAttr());
  return Tensor{load.getResult(), type};
}

Value storeMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  mlir::Value contents = contentsArgument(lowering, arguments, buffer.type).value;
  mlir::Value condition = conditionArgument(lowering, arguments, "pred");
  lowering.create<ttg::foreign::TMEMStoreOp>(mlir::Type(), contents, buffer.value, mlir::Value(), condition);
  return Value();
}

Value indexMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  if (buffer.type.rank() != 3)
    lowering.error(diagnostics::SingleBuffer, buffer.type.str());
  mlir::Value index = bufferNumber(lowering, arguments, buffer.type);
  TensorType type = buffer.type;
  type.shape.erase(type.shape.begin());
  mlir::Type view = matrixType(lowering, type, arguments.callRange);
  return SharedBuffer{lowering.create<ttg::MemDescIndexOp>(view, buffer.value, index), type};
}

Value sliceMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  int64_t dimension = axisArgument(lowering, arguments, "dim", buffer.type.rank());
  int64_t start = countArgument(lowering, arguments, "start", "cannot begin at {0}", 0),
          length = countArgument(lowering, arguments, "length", "cannot have {0} elements", 1);
  if (start % length != 0)
    lowering.error(arguments.range("start"), diagnostics::WrongView, arguments.builtin.displayName(),
                   llvm::formatv("begins at a multiple of its length, {0}, not at {1}", length, start).str());
  TensorType type = buffer.type;
  type.shape[dimension] = length;
  mlir::Type view = matrixType(lowering, type, arguments.callRange, typeOf(buffer).getAllocShape());
  mlir::IntegerAttr dim = dimension == buffer.type.rank() - 1 ? mlir::IntegerAttr()
                                                              : lowering.builder.getI32IntegerAttr(int32_t(dimension));
  auto part = lowering.create<ttg::foreign::TMEMSubSliceOp>(view, buffer.value,
                                                            lowering.builder.getI32IntegerAttr(int32_t(start)), dim);
  return SharedBuffer{verified(lowering, arguments, part).getResult(), type};
}

Value reinterpretMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  TensorType type = reinterpretedType(lowering, arguments, buffer.type);
  mlir::Type view = matrixType(lowering, type, arguments.callRange);
  auto op = lowering.create<ttg::MemDescReinterpretOp>(view, buffer.value);
  return SharedBuffer{verified(lowering, arguments, op).getResult(), type};
}

Value registerLayoutOfMatrix(Lowering &lowering, CallArguments &arguments) {
  const SharedBuffer &buffer = matrixArgument(lowering, arguments);
  int64_t warps = arguments["num_warps"].isNone()
                      ? lowering.numWarps
                      : countArgument(lowering, arguments, "num_warps", "cannot be for {0} warps", 1, 32);
  std::string shape = stringArgument(lowering, arguments, "instr_variant");
  return Value(layoutObject(lowering, transferLayout(lowering, arguments, buffer, unsigned(warps), shape)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// A factor: a buffer in shared memory, or for `a` also in tensor memory.
mlir::Value factorArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  const SharedBuffer *buffer = arguments[name].buffer();
  if (!buffer || (name != "a" && buffer->isInTensorMemory()))
    lowering.error(arguments.range(name), diagnostics::NotABuffer, arguments[name].describe());
  return buffer->value;
}

/// The barriers at which a product arrives, and for each whether it does.
struct Arrivals {
  llvm::SmallVector<mlir::Value> barriers, conditions;
};

Arrivals arrivalsArgument(Lowering &lowering, CallArguments &arguments) {
  Arrivals arrivals;
  if (arguments["mbarriers"].isNone()) {
    if (!arguments["mbarrier_preds"].isNone())
      lowering.error(arguments.range("mbarrier_preds"), diagnostics::GroupProduct, arguments.builtin.displayName(),
                     std::string("`mbarrier_preds` are for `mbarriers`, which are not given"));
    return arrivals;
  }
  for (const Value &barrier : valuesArgument(arguments, "mbarriers"))
    arrivals.barriers.push_back(barrierValue(lowering, barrier, arguments.range("mbarriers")));
  if (arguments["mbarrier_preds"].isNone())
    arrivals.conditions.assign(arrivals.barriers.size(),
                               conditionValue(lowering, arguments, "mbarriers", Value::boolean(true)));
  else
    for (const Value &condition : valuesArgument(arguments, "mbarrier_preds"))
      arrivals.conditions.push_back(conditionValue(lowering, arguments, "mbarrier_preds", condition));
  if (arrivals.conditions.size() != arrivals.barriers.size())
    lowering.error(arguments.range("mbarrier_preds"), diagnostics::GroupProduct, arguments.builtin.displayName(),
                   llvm::formatv("there are {0} `mbarriers` and {1} `mbarrier_preds`", arrivals.barriers.size(),
                                 arrivals.conditions.size())
                       .str());
  return arrivals;
}

/// Whether the blocks that share a factor learn that the product has read it.
bool multicastArgument(Lowering &lowering, CallArguments &arguments) {
  bool goesToOthers = booleanArgument(lowering, arguments, "multicast");
  if (goesToOthers && lowering.options.numCtas == 1)
    lowering.error(arguments.range("multicast"), diagnostics::GroupProduct, arguments.builtin.displayName(),
                   std::string("a program is one block, and has no others to which `multicast` could go"));
  return goesToOthers;
}

/// Whether a pair of blocks computes products in this buffer.
bool isOfPairs(const SharedBuffer &result) {
  auto matrix = mlir::dyn_cast<ttg::foreign::TensorMemoryEncodingAttr>(result.type.layout);
  return matrix && matrix.getTwoCTAs();
}

} // namespace

Value tensorMemoryProduct(Lowering &lowering, CallArguments &arguments) {
  requireUnit(lowering, arguments);
  bool multicast = multicastArgument(lowering, arguments);
  mlir::Value a = factorArgument(lowering, arguments, "a"), b = factorArgument(lowering, arguments, "b"),
              d = matrixArgument(lowering, arguments, "acc").value;
  for (llvm::StringRef name : {"a", "b"})
    if (const TensorType &type = arguments[name].buffer()->type; type.element == ElementType{ScalarType::UInt8})
      lowering.error(arguments.range(name), diagnostics::GroupProduct, arguments.builtin.displayName(),
                     "integers of 8 bits are int8, and `" + name.str() + "` is " + type.str());
  mlir::Value usesAcc = conditionArgument(lowering, arguments, "use_acc"),
              condition = conditionArgument(lowering, arguments, "pred");
  Arrivals arrivals = arrivalsArgument(lowering, arguments);
  bool isAsync = !arguments["mbarriers"].isNone();
  auto product = lowering.create<ttg::foreign::TCGen5MMAOp>(mlir::Type(), a, b, d, mlir::Value(), usesAcc, condition,
                                                            arrivals.barriers, arrivals.conditions, isAsync,
                                                            isOfPairs(*arguments["acc"].buffer()), multicast);
  verifyProduct(lowering, arguments, product);
  return Value();
}

static tt::ScaleDotElemType formatArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"e2m1", "e4m3", "e5m2"};
  static constexpr tt::ScaleDotElemType formats[] = {tt::ScaleDotElemType::E2M1, tt::ScaleDotElemType::E4M3,
                                                     tt::ScaleDotElemType::E5M2};
  return formats[choiceArgument(lowering, arguments, name, names)];
}

Value scaledTensorMemoryProduct(Lowering &lowering, CallArguments &arguments) {
  requireUnit(lowering, arguments);
  bool multicast = multicastArgument(lowering, arguments);
  mlir::Value a = factorArgument(lowering, arguments, "a"), b = factorArgument(lowering, arguments, "b"),
              d = matrixArgument(lowering, arguments, "acc").value,
              aScale = matrixArgument(lowering, arguments, "a_scale").value,
              bScale = matrixArgument(lowering, arguments, "b_scale").value;
  tt::ScaleDotElemType aType = formatArgument(lowering, arguments, "a_type"),
                       bType = formatArgument(lowering, arguments, "b_type");
  mlir::Value usesAcc = conditionArgument(lowering, arguments, "use_acc"),
              condition = conditionArgument(lowering, arguments, "pred");
  Arrivals arrivals = arrivalsArgument(lowering, arguments);
  bool isAsync = !arguments["mbarriers"].isNone();
  auto product = lowering.create<ttg::foreign::TCGen5MMAScaledOp>(
      mlir::Type(), a, b, d, mlir::Value(), aScale, bScale, aType, bType, usesAcc, condition, arrivals.barriers,
      arrivals.conditions, isAsync, isOfPairs(*arguments["acc"].buffer()), multicast);
  verifyProduct(lowering, arguments, product);
  return Value();
}

Value copyToTensorMemory(Lowering &lowering, CallArguments &arguments) {
  requireUnit(lowering, arguments);
  mlir::Value source = factorArgument(lowering, arguments, "src"),
              target = matrixArgument(lowering, arguments, "dst").value;
  verified(lowering, arguments, lowering.create<ttg::foreign::TMEMCopyOp>(source, target, mlir::Value()));
  return Value();
}

Value commitTensorMemory(Lowering &lowering, CallArguments &arguments) {
  requireUnit(lowering, arguments);
  mlir::Value barrier = barrierArgument(lowering, arguments, "barrier");
  llvm::SmallVector<mlir::Value> buffers;
  for (const Value &value : valuesArgument(arguments, "descs")) {
    if (!value.buffer())
      lowering.error(arguments.range("descs"), diagnostics::NotABuffer, value.describe());
    buffers.push_back(value.buffer()->value);
  }
  lowering.create<ttg::foreign::TCGen5CommitOp>(barrier, conditionArgument(lowering, arguments, "pred"), buffers);
  return Value();
}

//===----------------------------------------------------------------------===//
// Work of programs that have not started
//===----------------------------------------------------------------------===//

namespace {

/// `user`: the function that kernels call.
mlir::Value answerArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef name,
                           const std::string &user) {
  requireUnit(lowering, arguments);
  const SharedBuffer *buffer = arguments[name].buffer();
  if (!buffer || buffer->isInTensorMemory() || buffer->type.element != ElementType{ScalarType::Int64} ||
      buffer->type.rank() != 1 || buffer->type.elementCount() != 2)
    lowering.error(arguments.range(name), diagnostics::ArgumentKind, user, name.str(),
                   std::string("a buffer of two int64 in shared memory"), arguments[name].describe());
  return buffer->value;
}

} // namespace

Value tryCancel(Lowering &lowering, CallArguments &arguments) {
  mlir::Value answer = answerArgument(lowering, arguments, "result", arguments.builtin.displayName()),
              barrier = barrierArgument(lowering, arguments, "barrier");
  lowering.create<ttg::foreign::CLCTryCancelOp>(answer, barrier);
  return Value();
}

Value canceledProgram(Lowering &lowering, CallArguments &arguments) {
  mlir::Value answer = answerArgument(lowering, arguments, "src", "ttgl.nvidia.blackwell.clc.load_result");
  mlir::Value loaded = lowering.create<ttg::foreign::CLCLoadResultOp>(lowering.builder.getIntegerType(128), answer);
  TupleValue result;
  result.elements.push_back(
      Tensor{lowering.create<ttg::foreign::CLCIsCanceledOp>(lowering.builder.getI1Type(), loaded), ScalarType::Int1});
  for (tt::ProgramDim dim : {tt::ProgramDim::X, tt::ProgramDim::Y, tt::ProgramDim::Z})
    result.elements.push_back(
        Tensor{lowering.create<ttg::foreign::CLCGetProgramIdOp>(lowering.builder.getI32Type(), loaded, dim),
               ScalarType::Int32});
  return result;
}

} // namespace triton::frontend::builtin
