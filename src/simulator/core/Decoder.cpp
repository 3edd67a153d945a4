#include "simulator/core/Decoder.h"

#include "simulator/core/PointerOrigins.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstring>

namespace triton::simulator {

char UnsupportedError::ID = 0;

void UnsupportedError::log(llvm::raw_ostream &stream) const {
  stream << llvm::formatv("{0}:{1}:{2}: the simulator does not support {3}", location.file, location.line,
                          location.column, what);
}

/// Prints IR on one line.
template <typename Value> static std::string print(const Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return llvm::StringRef(text).trim().str();
}

//===--- Preparation --------------------------------------------------------------------------------------------===//

/// Inlines every call of a defined function, so that one function with one register file remains.
static void inlineCalls(llvm::Module &module, llvm::StringRef kernelName) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.getName() == kernelName)
      continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
  passes.run(module, modules);
}

static const llvm::Function *findKernel(const llvm::Module &module, llvm::StringRef name,
                                        const InstructionSet &target) {
  if (!name.empty())
    return module.getFunction(name);
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && target.isKernel(function))
      return &function;
  return nullptr;
}

llvm::Expected<std::unique_ptr<Program>> Program::decode(const llvm::Module &module, llvm::StringRef kernelName,
                                                         const InstructionSet &target) {
  const llvm::Function *original = findKernel(module, kernelName, target);
  if (!original || original->isDeclaration())
    return llvm::createStringError("the module has no kernel `" + kernelName + "`");
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  inlineCalls(*copy, original->getName());
  auto program = std::make_unique<Program>();
  program->name = original->getName().str();
  program->laneCount = target.laneCount(*original);
  program->banks = target.sharedBanks(*original);
  Decoder decoder(*copy->getFunction(original->getName()), *program, target);
  if (llvm::Error error = decoder.decode())
    return std::move(error);
  return program;
}

//===--- Types and registers ------------------------------------------------------------------------------------===//

void Decoder::flatten(llvm::Type *type, llvm::SmallVectorImpl<llvm::Type *> &components) const {
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type *element : structure->elements())
      flatten(element, components);
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      flatten(array->getElementType(), components);
  } else if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    components.append(vector->getNumElements(), vector->getElementType());
  } else if (type->isPointerTy() && layout.getPointerTypeSizeInBits(type) > 64) {
    components.append((layout.getPointerTypeSizeInBits(type) + 63) / 64, llvm::Type::getInt64Ty(type->getContext()));
  } else if (isWide(type)) {
    components.append(2, llvm::Type::getInt64Ty(type->getContext()));
  } else if (!type->isVoidTy()) {
    components.push_back(type);
  }
}

unsigned Decoder::elementBytes(llvm::Type *type) const {
  if (type->isIntegerTy(1))
    return 0;
  if (type->isPointerTy())
    return 8;
  return unsigned(llvm::PowerOf2Ceil((type->getScalarSizeInBits() + 7) / 8));
}

std::optional<FloatFormat> Decoder::floatFormat(llvm::Type *type) {
  type = type->getScalarType();
  if (type->isHalfTy())
    return FloatFormat::Half;
  if (type->isBFloatTy())
    return FloatFormat::BFloat;
  if (type->isFloatTy())
    return FloatFormat::Single;
  if (type->isDoubleTy())
    return FloatFormat::Double;
  return std::nullopt;
}

llvm::StringRef Decoder::flushSuffix(FloatFormat format) const {
  if (format != FloatFormat::Single)
    return "";
  llvm::Attribute own = kernel.getFnAttribute("denormal-fp-math-f32");
  if (!own.isValid())
    own = kernel.getFnAttribute("denormal-fp-math");
  return own.isValid() && own.getValueAsString().starts_with("preserve-sign") ? ".ftz" : "";
}

RegisterOffset Decoder::allocateRegister(unsigned bytes) {
  auto offset = RegisterOffset(program.registerBytes);
  program.registerBytes += program.registerSize(bytes);
  return offset;
}

Registers Decoder::allocate(llvm::Type *type) {
  llvm::SmallVector<llvm::Type *> components;
  flatten(type, components);
  Registers registers;
  for (llvm::Type *component : components)
    registers.push_back(allocateRegister(elementBytes(component)));
  return registers;
}

RegisterOffset makeConsecutive(Decoder &decoder, llvm::ArrayRef<RegisterOffset> registers, unsigned bytes) {
  auto size = RegisterOffset(decoder.program.registerSize(bytes));
  bool areConsecutive = (registers.front() & constantBit) == 0;
  for (unsigned i = 0; i < registers.size(); ++i)
    areConsecutive &= registers[i] == registers.front() + i * size;
  if (areConsecutive || registers.size() == 1)
    return registers.front();
  llvm::SmallVector<RegisterOffset, 8> copies;
  for (unsigned i = 0; i < registers.size(); ++i)
    copies.push_back(decoder.allocateRegister(bytes));
  for (auto [copy, source] : llvm::zip_equal(copies, registers))
    decoder.emit(findCopy(bytes), copy, {source});
  return copies.front();
}

RegisterOffset Decoder::constantRegister(uint64_t bits, unsigned bytes) {
  auto [position, inserted] = constantRegisters.try_emplace({bits, bytes}, 0);
  if (!inserted)
    return position->second;
  std::size_t offset = program.constants.size();
  program.constants.resize(offset + program.registerSize(bytes));
  std::byte *target = program.constants.data() + offset;
  if (bytes == 0) {
    LaneMask mask = bits & 1 ? program.allLanes() : 0;
    std::memcpy(target, &mask, sizeof(mask));
  } else {
    for (unsigned lane = 0; lane < program.laneCount; ++lane)
      std::memcpy(target + lane * bytes, &bits, bytes);
  }
  return position->second = RegisterOffset(offset) | constantBit;
}

llvm::Expected<uint64_t> Decoder::constantAddress(const llvm::Constant *constant) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(constant->getType()), 0);
  const llvm::Value *base = constant->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  uint64_t address = 0;
  if (auto *global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    auto found = globalAddresses.find(global);
    if (found == globalAddresses.end())
      return refuse("the global `" + global->getName() + "`");
    address = found->second;
  } else if (!llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(base)) {
    return refuse("the constant `" + print(*constant) + "`");
  }
  return address + offset.getSExtValue();
}

llvm::Expected<Registers> Decoder::read(const llvm::Value *value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant)
    return refuse("`" + value->getName() + "`, which is used before it is defined");
  // What LLVM's passes leave as an expression, such as a vector's bits read as another type, has no elements of its
  // own.
  if (llvm::isa<llvm::ConstantExpr>(constant))
    constant = llvm::ConstantFoldConstant(constant, layout);
  llvm::Type *type = constant->getType();
  // LLVM does not fold the bits of a float that are read as another kind of float.
  if (auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(constant);
      cast && cast->getOpcode() == llvm::Instruction::BitCast && type->isFloatingPointTy() &&
      cast->getOperand(0)->getType()->isFloatingPointTy())
    return read(cast->getOperand(0));
  Registers registers;
  if (type->isStructTy() || type->isArrayTy() || type->isVectorTy()) {
    unsigned count = type->isStructTy()  ? type->getStructNumElements()
                     : type->isArrayTy() ? unsigned(type->getArrayNumElements())
                                         : llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      llvm::Constant *component = constant->getAggregateElement(i);
      if (!component)
        return refuse("the constant `" + print(*constant) + "`");
      llvm::Expected<Registers> element = read(component);
      if (!element)
        return element.takeError();
      registers.append(*element);
    }
    return registers;
  }
  uint64_t bits = 0;
  llvm::SmallVector<llvm::Type *> components;
  flatten(type, components);
  if (components.size() > 1 && (constant->isNullValue() || llvm::isa<llvm::UndefValue>(constant))) {
    registers.append(components.size(), constantRegister(0, 8));
    return registers;
  }
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(constant); integer && isWide(type)) {
    llvm::APInt value = integer->getValue().zext(128);
    for (unsigned half = 0; half < 2; ++half)
      registers.push_back(constantRegister(value.extractBitsAsZExtValue(64, 64 * half), 8));
    return registers;
  }
  if (type->getScalarSizeInBits() > 64 || components.size() > 1)
    return refuse("the constant `" + print(*constant) + "`");
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(constant)) {
    bits = integer->getZExtValue();
  } else if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(constant)) {
    bits = number->getValueAPF().bitcastToAPInt().getZExtValue();
  } else if (type->isPointerTy()) {
    llvm::Expected<uint64_t> address = constantAddress(constant);
    if (!address)
      return address.takeError();
    bits = *address;
  } else if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
             expression && expression->getOpcode() == llvm::Instruction::PtrToInt) {
    llvm::Expected<uint64_t> address = constantAddress(expression->getOperand(0));
    if (!address)
      return address.takeError();
    bits = *address;
  } else if (!llvm::isa<llvm::UndefValue>(constant)) {
    return refuse("the constant `" + print(*constant) + "`");
  }
  registers.push_back(constantRegister(bits, elementBytes(type)));
  return registers;
}

llvm::Expected<RegisterOffset> Decoder::readScalar(const llvm::Value *value) {
  llvm::Expected<Registers> registers = read(value);
  if (!registers)
    return registers.takeError();
  if (registers->size() != 1)
    return refuse("`" + print(*value->getType()) + "` where a scalar is expected");
  return registers->front();
}

llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> Decoder::readArguments(const llvm::CallBase &call) {
  llvm::SmallVector<RegisterOffset, 4> registers;
  for (const llvm::Use &argument : call.args()) {
    llvm::Expected<RegisterOffset> value = readScalar(argument.get());
    if (!value)
      return value.takeError();
    registers.push_back(*value);
  }
  return registers;
}

//===--- Emission -----------------------------------------------------------------------------------------------===//

DecodedInstruction &Decoder::emit(Handler handler, RegisterOffset result, llvm::ArrayRef<RegisterOffset> operands) {
  DecodedInstruction &instruction = program.instructions.emplace_back();
  instruction.execute = handler;
  instruction.result = result;
  for (auto [i, operand] : llvm::enumerate(operands))
    instruction.operands[i] = operand;
  instruction.location = currentLocation;
  return instruction;
}

OperandList *Decoder::operandList() { return program.operandLists.emplace_back(std::make_unique<OperandList>()).get(); }

static SourcePosition positionOf(const llvm::DILocation &location) {
  llvm::SmallString<128> path(location.getDirectory());
  llvm::sys::path::append(path, location.getFilename());
  return {path.str().str(), location.getLine(), location.getColumn()};
}

/// The place of an instruction. One that LLVM made of several has no line; the nearest one of its block that has a line
/// of the same function stands close to it in the source.
static const llvm::DILocation *placeOf(const llvm::Instruction &instruction) {
  const llvm::DILocation *own = instruction.getDebugLoc();
  if (!own || own->getLine() != 0)
    return own;
  auto isNear = [&](const llvm::Instruction *other) {
    const llvm::DILocation *place = other->getDebugLoc();
    return place && place->getLine() != 0 && place->getInlinedAt() == own->getInlinedAt() &&
           place->getScope()->getSubprogram() == own->getScope()->getSubprogram();
  };
  for (const llvm::Instruction *after = &instruction; after; after = after->getNextNode())
    if (isNear(after))
      return after->getDebugLoc();
  for (const llvm::Instruction *before = &instruction; before; before = before->getPrevNode())
    if (isNear(before))
      return before->getDebugLoc();
  return own;
}

uint32_t Decoder::locationOf(const llvm::Instruction &instruction, const llvm::Value *pointer) {
  SourceLocation location;
  if (const llvm::DILocation *debug = placeOf(instruction)) {
    static_cast<SourcePosition &>(location) = positionOf(*debug);
    while ((debug = debug->getInlinedAt()))
      location.callers.push_back(positionOf(*debug));
  }
  std::vector<unsigned> origins;
  if (!pointer)
    pointer = accessedPointer(instruction, target);
  if (pointer)
    origins = originsOf(*pointer);
  auto [position, inserted] = locationIndex.try_emplace({location, origins}, uint32_t(program.locations.size()));
  if (inserted) {
    program.locations.push_back(location);
    program.origins.push_back(std::move(origins));
  }
  return position->second;
}

llvm::Error Decoder::refuse(const llvm::Twine &what) const {
  return llvm::make_error<UnsupportedError>(program.locations[currentLocation], what.str());
}

llvm::Error Decoder::unsupported(const llvm::Instruction &instruction, llvm::StringRef why) const {
  std::string what = "`" + print(instruction) + "`";
  return refuse(why.empty() ? what : why + ": " + what);
}

//===--- The kernel ---------------------------------------------------------------------------------------------===//

llvm::Error Decoder::placeGlobals() {
  uint64_t sharedOffset = 0;
  const llvm::GlobalVariable *dynamicShared = nullptr;
  for (const llvm::GlobalVariable &global : kernel.getParent()->globals()) {
    uint64_t size = layout.getTypeAllocSize(global.getValueType());
    if (isShared(global.getType())) {
      // The dynamic part, an external array without a size, follows everything static.
      if (global.isDeclaration()) {
        dynamicShared = &global;
        continue;
      }
      sharedOffset = llvm::alignTo(sharedOffset, layout.getPreferredAlign(&global));
      globalAddresses[&global] = sharedOffset;
      sharedOffset += size;
      continue;
    }
    if (global.isDeclaration() || !global.hasInitializer())
      continue;
    auto *data = llvm::dyn_cast<llvm::ConstantDataSequential>(global.getInitializer());
    if (!data && !global.getInitializer()->isNullValue())
      continue;
    auto storage = std::make_unique<std::byte[]>(size + 16);
    std::memset(storage.get(), 0, size + 16);
    if (data)
      std::memcpy(storage.get(), data->getRawDataValues().data(), data->getRawDataValues().size());
    globalAddresses[&global] = reinterpret_cast<uint64_t>(storage.get());
    program.globalRanges.push_back({reinterpret_cast<uintptr_t>(storage.get()), size});
    program.globals.push_back(std::move(storage));
  }
  if (dynamicShared) {
    sharedOffset = llvm::alignTo(sharedOffset, dynamicShared->getAlign().valueOrOne());
    globalAddresses[dynamicShared] = sharedOffset;
  }
  program.staticSharedBytes = sharedOffset;
  return llvm::Error::success();
}

llvm::Error Decoder::decode() {
  program.locations.emplace_back();
  program.origins.emplace_back();
  locationIndex[{}] = 0;
  if (llvm::Error error = placeGlobals())
    return error;
  for (const llvm::Argument &argument : kernel.args()) {
    Registers registers = defineNew(&argument);
    std::size_t structBytes = argument.hasByValAttr() ? layout.getTypeAllocSize(argument.getParamByValType()) : 0;
    program.parameters.push_back({registers.front(), uint8_t(elementBytes(argument.getType())), structBytes});
  }
  program.requiredThreads = target.requiredThreads(kernel);
  program.requiredCluster = target.requiredCluster(kernel);

  for (const llvm::BasicBlock &block : kernel) {
    blockIndex[&block] = uint32_t(program.blocks.size());
    program.blocks.emplace_back();
    for (const llvm::PHINode &phi : block.phis())
      defineNew(&phi);
  }
  computeReconvergence();
  // In reverse post-order, which is a dominance order, every operand except those of phis is defined before it is read.
  llvm::ReversePostOrderTraversal<const llvm::Function *> order(&kernel);
  for (const llvm::BasicBlock *block : order)
    if (llvm::Error error = decodeBlock(*block))
      return error;
  return completeEdges();
}

llvm::Error Decoder::decodeBlock(const llvm::BasicBlock &block) {
  currentBlock = blockIndex[&block];
  program.blocks[currentBlock].firstInstruction = uint32_t(program.instructions.size());
  for (const llvm::Instruction &instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction))
      continue;
    currentLocation = locationOf(instruction);
    if (llvm::Error error = emitUse(instruction))
      return error;
    std::size_t first = program.instructions.size();
    llvm::Error error = instruction.isTerminator() ? decodeTerminator(instruction) : decodeInstruction(instruction);
    if (error)
      return error;
    if (llvm::Error error = narrowOffsets.note(*this, instruction, first))
      return error;
    if (llvm::Error error = emitDefinition(instruction))
      return error;
  }
  return llvm::Error::success();
}

/// Checks that no asynchronous product still writes the registers that an instruction uses next.
llvm::Error Decoder::emitUse(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (tracked.isEmpty() || TrackedValues::renames(instruction) || (call && target.isAsynchronousProduct(*call)))
    return llvm::Error::success();
  OperandList *list = nullptr;
  for (const llvm::Use &operand : instruction.operands()) {
    if (!tracked.isResult(operand.get()))
      continue;
    llvm::Expected<Registers> registers = read(operand.get());
    if (!registers)
      return registers.takeError();
    if (!list)
      emit(registerUseHandler()).detail = list = operandList();
    list->inputs.insert(list->inputs.end(), registers->begin(), registers->end());
  }
  return llvm::Error::success();
}

/// Records that an instruction has written what may be an operand of an asynchronous product.
llvm::Error Decoder::emitDefinition(const llvm::Instruction &instruction) {
  if (!tracked.isOperand(&instruction) || tracked.isResult(&instruction) || TrackedValues::renames(instruction))
    return llvm::Error::success();
  llvm::Expected<Registers> registers = read(&instruction);
  if (!registers)
    return registers.takeError();
  OperandList *list = operandList();
  list->inputs.assign(registers->begin(), registers->end());
  emit(registerDefinitionHandler()).detail = list;
  return llvm::Error::success();
}

/// The blocks from which a path leads to a return, in post-order of the reversed graph: what a block leads to comes
/// after it, but for loops.
static std::vector<const llvm::BasicBlock *> findReturningBlocks(const llvm::Function &kernel) {
  std::vector<const llvm::BasicBlock *> order;
  llvm::DenseSet<const llvm::BasicBlock *> visited;
  for (const llvm::BasicBlock &end : kernel)
    if (llvm::isa<llvm::ReturnInst>(end.getTerminator()))
      for (const llvm::BasicBlock *block : llvm::inverse_post_order_ext(&end, visited))
        order.push_back(block);
  return order;
}

/// Lanes meet again at the immediate post-dominator. Paths that end at a trap do not count: where one branches off,
/// nothing would post-dominate the branch, and its lanes would never meet. The algorithm is that of Cooper, Harvey and
/// Kennedy.
void Decoder::computeReconvergence() {
  std::vector<const llvm::BasicBlock *> order = findReturningBlocks(kernel);
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> number;
  for (auto [index, block] : llvm::enumerate(order))
    number[block] = unsigned(index);
  // All returns lead to the end of the kernel, which has a number of its own.
  unsigned end = unsigned(order.size()), unknown = end + 1;
  std::vector<unsigned> parent(order.size() + 1, unknown);
  parent[end] = end;
  auto meet = [&](unsigned one, unsigned other) {
    while (one != other)
      (one < other ? one : other) = parent[std::min(one, other)];
    return one;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned block = end; block-- > 0;) {
      unsigned next = llvm::isa<llvm::ReturnInst>(order[block]->getTerminator()) ? end : unknown;
      for (const llvm::BasicBlock *successor : llvm::successors(order[block]))
        if (auto found = number.find(successor); found != number.end() && parent[found->second] != unknown)
          next = next == unknown ? found->second : meet(next, found->second);
      changed |= parent[block] != next;
      parent[block] = next;
    }
  }
  for (unsigned block = 0; block < end; ++block)
    if (parent[block] != end)
      program.blocks[blockIndex[order[block]]].reconvergence = blockIndex[order[parent[block]]];
}

const Edge *Decoder::makeEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) {
  auto &edge = program.edges.emplace_back(std::make_unique<Edge>());
  edge->block = blockIndex[to];
  pendingEdges.push_back({uint32_t(program.edges.size() - 1), from, to});
  return edge.get();
}

/// Fills in what phis receive along each edge. Called when every value has its registers. What one phi receives may be
/// in registers of another one, under its name or as an element or piece of it; then all are staged first.
llvm::Error Decoder::completeEdges() {
  for (const PendingEdge &pending : pendingEdges) {
    Edge &edge = *program.edges[pending.index];
    for (const llvm::PHINode &phi : pending.to->phis()) {
      llvm::Expected<Registers> source = read(phi.getIncomingValueForBlock(pending.from));
      if (!source)
        return source.takeError();
      llvm::SmallVector<llvm::Type *> components;
      flatten(phi.getType(), components);
      for (auto [target, from, component] : llvm::zip_equal(values[&phi], *source, components)) {
        if (target == from)
          continue;
        if (tracked.isResult(&phi) || tracked.isOperand(&phi))
          edge.tracked.push_back({target, from});
        edge.copies.push_back({target, from, uint8_t(elementBytes(component))});
      }
    }
    llvm::DenseSet<RegisterOffset> targets;
    for (const Copy &copy : edge.copies)
      targets.insert(copy.to);
    if (llvm::none_of(edge.copies, [&](const Copy &copy) { return targets.contains(copy.from); }))
      continue;
    for (Copy &copy : edge.copies) {
      RegisterOffset staging = allocateRegister(copy.elementBytes);
      edge.completion.push_back({copy.to, staging, copy.elementBytes});
      copy.to = staging;
    }
  }
  return llvm::Error::success();
}

} // namespace triton::simulator
