// Functions, blocks and terminators.
#include "gpu/lowering/TargetEmitter.h"
#include "ir/LoopMotion.h"
#include "ir/UserNames.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace triton::gpu {

/// A launch passes a tensor map by value. The value of the argument is its address.
void Emitter::passTensorMaps(tt::FuncOp function, LLVM::LLVMFuncOp lowered) {
  constexpr unsigned mapBytes = 128, mapAlignment = 64;
  auto memory = LLVM::LLVMArrayType::get(b.getI8Type(), mapBytes);
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
    if (function.getArgAttr(argument, ttg::tensorMapAttribute)) {
      lowered.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(memory));
      lowered.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(mapAlignment));
    }
}

LLVM::LLVMFuncOp Emitter::createFunction(tt::FuncOp function) {
  SmallVector<Type> parameters, results;
  for (Type type : function.getArgumentTypes())
    parameters.append(convertType(type));
  if (hasMessageBuffer)
    parameters.push_back(LLVM::LLVMPointerType::get(context(), globalSpace));
  for (Type type : function.getResultTypes())
    results.append(convertType(type));
  Type result = results.empty()       ? LLVM::LLVMVoidType::get(context())
                : results.size() == 1 ? results.front()
                                      : LLVM::LLVMStructType::getLiteral(context(), results);
  b.setLoc(function.getLoc());
  b.setInsertionPoint(function);
  auto lowered = LLVM::LLVMFuncOp::create(b, function.getName(), LLVM::LLVMFunctionType::get(result, parameters));
  if (function.isPrivate()) {
    lowered.setLinkage(LLVM::Linkage::Internal);
    if (warps.first != 0 || warps.groups > 1)
      lowered.setAlwaysInline(true); // Registers are handed over in a kernel only.
    return lowered;
  }
  passTensorMaps(function, lowered); // each argument of a kernel is one register
  targetEmitter.finishKernel(*this, lowered);
  return lowered;
}

void Emitter::defineAll(ValueRange targets, ValueRange lowered) {
  for (Value target : targets) {
    std::size_t count = convertType(target.getType()).size();
    define(target, Registers(lowered.take_front(count)));
    lowered = lowered.drop_front(count);
  }
}

/// Some warps of a program run a function that says so; such functions have a barrier each.
static WarpSet findWarps(tt::FuncOp function, unsigned &nextBarrier) {
  WarpSet warps{ttg::getNumWarps(function)};
  if (auto first = function->getAttrOfType<IntegerAttr>(ttg::firstWarpAttribute)) {
    warps.first = unsigned(first.getInt());
    warps.groups = function->hasAttr(ttg::sharedByGroupsAttribute) ? 2 : 1;
    warps.barrier = nextBarrier;
    nextBarrier += warps.groups;
  }
  return warps;
}

LogicalResult Emitter::lowerFunction(tt::FuncOp function) {
  warps = findWarps(function, nextBarrier);
  LLVM::LLVMFuncOp lowered = createFunction(function);
  values.clear();
  blocks.clear();
  integers.clear();
  cachedThread = cachedLane = cachedWarp = cachedUniformWarp = cachedShared = Value();
  if (!function.isExternal()) {
    current = lowered;
    // The entry contains constants and the numbers of the thread. The function's own first block follows it, because
    // the entry must not be the target of a branch and the arguments of the two blocks differ.
    Block *entry = lowered.addEntryBlock(b);
    Block &first = function.getBody().front();
    defineAll(first.getArguments(), entry->getArguments().drop_back(hasMessageBuffer));
    blocks[&first] = createBlock();
    b.setInsertionPointToEnd(entry);
    LLVM::BrOp::create(b, ValueRange(), blocks[&first]);
    if (failed(lowerBlocks(function.getBody(), /*exit=*/nullptr)))
      return failure();
  }
  // The new function takes the name.
  std::string name = function.getName().str();
  function.erase();
  lowered.setName(name);
  return success();
}

LogicalResult Emitter::lowerBlocks(Region &region, Block *exit) {
  llvm::ReversePostOrderTraversal<Block *> order(&region.front());
  for (Block *block : order) {
    if (block == &region.front())
      continue;
    SmallVector<Type> types;
    for (BlockArgument argument : block->getArguments())
      types.append(carriedTypes(argument.getType()));
    Block *target = createBlock(types);
    blocks[block] = target;
    b.setInsertionPointToStart(target);
    defineCarried(block->getArguments(), target->getArguments());
  }
  for (Block *block : order) {
    b.setInsertionPointToEnd(blocks[block]);
    for (Operation &op : block->without_terminator())
      if (failed(lowerOperation(op)))
        return failure();
    b.setLoc(block->getTerminator()->getLoc());
    if (failed(lowerTerminator(*block->getTerminator(), exit)))
      return failure();
  }
  return success();
}

LogicalResult Emitter::lowerOperation(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto call = dyn_cast<tt::CallOp>(op))
    return lowerCall(call);
  if (LoweringTable::Function lower = table.find(&op))
    return lower(&op, *this);
  return op.emitError() << "not supported on " << machine().family << " yet: " << tt::describeUnsupported(&op);
}

Registers Emitter::flatten(ValueRange range) const {
  Registers all;
  for (Value value : range)
    all.append(registers(value).begin(), registers(value).end());
  return all;
}

unsigned Emitter::carriedTogether(Type type) {
  SmallVector<Type> registers = convertType(type);
  unsigned bits =
      isa<RankedTensorType>(type) && registers.front().isIntOrFloat() ? registers.front().getIntOrFloatBitWidth() : 0;
  unsigned together = bits == 8 || bits == 16 ? 32 / bits : 1;
  return registers.size() % together == 0 ? together : 1;
}

SmallVector<Type> Emitter::carriedTypes(Type type) {
  SmallVector<Type> types = convertType(type);
  unsigned together = carriedTogether(type);
  return together == 1 ? types : SmallVector<Type>(types.size() / together, VectorType::get(together, types.front()));
}

Registers Emitter::carry(ValueRange range) {
  Registers all;
  for (Value value : range) {
    llvm::ArrayRef<Value> own = registers(value);
    unsigned together = carriedTogether(value.getType());
    for (std::size_t index = 0; index < own.size(); index += together)
      all.push_back(together == 1 ? own[index] : packVector(own.slice(index, together)));
  }
  return all;
}

void Emitter::defineCarried(ValueRange targets, ValueRange carried) {
  for (Value target : targets) {
    std::size_t count = carriedTypes(target.getType()).size();
    Registers own;
    bool areVectors = carriedTogether(target.getType()) != 1;
    for (Value value : carried.take_front(count)) {
      if (areVectors)
        llvm::append_range(own, unpackVector(value));
      else
        own.push_back(value);
    }
    define(target, std::move(own));
    carried = carried.drop_front(count);
  }
}

LogicalResult Emitter::lowerTerminator(Operation &op, Block *exit) {
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    auto lowered = LLVM::BrOp::create(b, carry(branch.getDestOperands()), blocks.at(branch.getDest()));
    if (LLVM::LoopAnnotationAttr hints = tt::getLoopHints(branch))
      lowered.setLoopAnnotationAttr(hints);
    return success();
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    auto lowered = LLVM::CondBrOp::create(b, scalar(branch.getCondition()), blocks.at(branch.getTrueDest()),
                                          carry(branch.getTrueDestOperands()), blocks.at(branch.getFalseDest()),
                                          carry(branch.getFalseDestOperands()));
    if (LLVM::LoopAnnotationAttr hints = tt::getLoopHints(branch))
      lowered.setLoopAnnotationAttr(hints);
    return success();
  }
  if (!op.hasTrait<OpTrait::ReturnLike>())
    return op.emitError() << "not supported on " << machine().family << " yet: " << tt::describeUnsupported(&op);
  Registers results = flatten(op.getOperands());
  if (exit)
    LLVM::BrOp::create(b, results, exit);
  else if (results.size() > 1)
    LLVM::ReturnOp::create(b, pack(results));
  else
    LLVM::ReturnOp::create(b, ValueRange(results));
  return success();
}

FailureOr<Registers> Emitter::inlineRegion(Region &region, ValueRange arguments) {
  Block &first = region.front();
  defineAll(first.getArguments(), arguments);
  if (region.hasOneBlock()) {
    for (Operation &op : first.without_terminator())
      if (failed(lowerOperation(op)))
        return failure();
    return flatten(first.getTerminator()->getOperands());
  }
  SmallVector<Type> types;
  for (Block &block : region)
    if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>()) {
      for (Value value : block.getTerminator()->getOperands())
        types.push_back(convertElement(value.getType()));
      break;
    }
  Block *exit = createBlock(types);
  blocks[&first] = createBlock();
  LLVM::BrOp::create(b, ValueRange(), blocks[&first]);
  if (failed(lowerBlocks(region, exit)))
    return failure();
  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  b.setInsertionPointToEnd(exit);
  return Registers(exit->args_begin(), exit->args_end());
}

LogicalResult Emitter::lowerCall(tt::CallOp call) {
  SmallVector<Type> results;
  for (Type type : call.getResultTypes())
    results.append(convertType(type));
  auto types = results.empty()       ? SmallVector<Type>()
               : results.size() == 1 ? results
                                     : SmallVector<Type>{LLVM::LLVMStructType::getLiteral(context(), results)};
  Registers operands = flatten(call.getOperands());
  if (hasMessageBuffer)
    operands.push_back(messageBuffer());
  auto lowered = LLVM::CallOp::create(b, types, call.getCallee(), operands);
  Registers values;
  if (results.size() == 1)
    values = {lowered.getResult()};
  else if (!results.empty())
    values = unpack(lowered.getResult());
  defineAll(call.getResults(), values);
  return success();
}

} // namespace triton::gpu
