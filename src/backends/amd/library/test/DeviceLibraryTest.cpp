// Linking kernels for AMD GPUs to the library of mathematical functions.
#include "backends/amd/library/DeviceLibrary.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace triton::amd;

namespace {

/// A kernel that stores `function` of its argument.
std::string kernelThatCalls(const std::string &function, const std::string &type = "float") {
  return "target triple = \"amdgcn-amd-amdhsa\"\n"
         "declare " +
         type + " @" + function + "(" + type +
         ")\n"
         "define amdgpu_kernel void @kernel(ptr addrspace(1) %p, " +
         type +
         " %x) #0 {\n"
         "  %y = call " +
         type + " @" + function + "(" + type +
         " %x)\n"
         "  store " +
         type +
         " %y, ptr addrspace(1) %p\n"
         "  ret void\n"
         "}\n"
         "attributes #0 = { \"target-cpu\"=\"gfx90a\" \"denormal-fp-math-f32\"=\"preserve-sign\" }\n";
}

class DeviceLibrary : public testing::Test {
protected:
  void SetUp() override { setenv("TRITON_OCML_PATH", "/nowhere/ocml.bc", 1); }
  void TearDown() override { unsetenv("TRITON_OCML_PATH"); }

  std::unique_ptr<llvm::Module> parse(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    return module;
  }

  llvm::LLVMContext context;
};

std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST_F(DeviceLibrary, LinksOnlyWhatIsCalled) {
  std::unique_ptr<llvm::Module> module = parse(kernelThatCalls("__ocml_sin_f32"));
  ASSERT_EQ(messageOf(linkDeviceLibrary(*module)), "");
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  unsigned definitions = 0;
  for (llvm::Function &function : *module)
    definitions += !function.isDeclaration();
  EXPECT_EQ(definitions, 2u);
  llvm::Function *sine = module->getFunction("__ocml_sin_f32");
  EXPECT_TRUE(sine->hasInternalLinkage());
  // It can be inlined only with the kernel's attributes.
  EXPECT_EQ(sine->getFnAttribute("target-cpu").getValueAsString(), "gfx90a");
  EXPECT_EQ(sine->getFnAttribute("denormal-fp-math-f32").getValueAsString(), "preserve-sign");
  EXPECT_FALSE(sine->hasFnAttribute("no-builtins"));
  EXPECT_TRUE(sine->hasFnAttribute(llvm::Attribute::AlwaysInline));
  EXPECT_TRUE(module->global_empty());
}

TEST_F(DeviceLibrary, LeavesOtherModulesAlone) {
  std::unique_ptr<llvm::Module> module = parse(kernelThatCalls("other"));
  ASSERT_EQ(messageOf(linkDeviceLibrary(*module)), "");
  EXPECT_TRUE(module->getFunction("other")->isDeclaration());
}

std::string llvmType(llvm::StringRef type) {
  return llvm::StringSwitch<std::string>(type)
      .Case("fp32", "float")
      .Case("fp64", "double")
      .Cases({"i32", "u32"}, "i32")
      .Cases({"i64", "u64"}, "i64")
      .Default(type.str());
}

/// `__nv_ldexpf(fp32,i32)->fp32`, as Libdevice.def writes it, becomes a declaration.
std::string declarationOf(llvm::StringRef overload) {
  auto [call, result] = overload.split("->");
  auto [symbol, operands] = call.split('(');
  llvm::SmallVector<llvm::StringRef> types;
  operands.drop_back().split(types, ',');
  std::string text = "declare " + llvmType(result) + " @" + symbol.str() + "(";
  for (llvm::StringRef type : types)
    text += (text.back() == '(' ? "" : ", ") + llvmType(type);
  return text + ")\n";
}

/// Those of tl.extra.libdevice that are not operations of the language. Each is defined with the type it is called
/// with.
TEST_F(DeviceLibrary, HasEveryFunctionOfTheLanguage) {
  std::string overloads;
#define TRITON_LIBDEVICE(name, emit, parameters, symbols)                                                              \
  overloads += std::string_view(#emit) == "nullptr" ? std::string(symbols) + " " : "";
#include "frontend/lowering/builtins/Libdevice.def"
  llvm::SmallVector<llvm::StringRef> entries;
  llvm::StringRef(overloads).split(entries, ' ', -1, /*KeepEmpty=*/false);
  EXPECT_GT(entries.size(), 150u);
  std::string text = "target triple = \"amdgcn-amd-amdhsa\"\n", uses;
  for (llvm::StringRef entry : entries) {
    text += declarationOf(entry);
    uses += (uses.empty() ? "ptr @" : ", ptr @") + entry.take_until([](char c) { return c == '('; }).str();
  }
  text += "@functions = global [" + std::to_string(entries.size()) + " x ptr] [" + uses + "]\n";
  std::unique_ptr<llvm::Module> module = parse(text);
  llvm::StringMap<llvm::FunctionType *> declared;
  for (llvm::Function &function : *module)
    declared[function.getName()] = function.getFunctionType();
  ASSERT_EQ(messageOf(linkDeviceLibrary(*module)), "");
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  for (const auto &entry : declared) {
    llvm::Function *function = module->getFunction(entry.getKey());
    EXPECT_FALSE(function->isDeclaration()) << entry.getKey().str();
    EXPECT_EQ(function->getFunctionType(), entry.getValue()) << entry.getKey().str();
  }
}

TEST_F(DeviceLibrary, NamesTheFunctionThatIsNowhere) {
  std::unique_ptr<llvm::Module> module = parse(kernelThatCalls("__ocml_unheard_f32"));
  EXPECT_EQ(messageOf(linkDeviceLibrary(*module)), "not supported on hip: the kernel calls `__ocml_unheard_f32`, which "
                                                   "is not among the functions that Triton brings along, and "
                                                   "TRITON_OCML_PATH names `/nowhere/ocml.bc`, which does not exist");
}

TEST_F(DeviceLibrary, TakesTheRestFromAmdsLibrary) {
  std::unique_ptr<llvm::Module> library = parse("target triple = \"amdgcn-amd-amdhsa\"\n"
                                                "@__oclc_ISA_version = external addrspace(4) constant i32\n"
                                                "@__oclc_wavefrontsize64 = external addrspace(4) constant i8\n"
                                                "define i32 @__ocml_unheard_f32(i32 %x) {\n"
                                                "  %v = load i32, ptr addrspace(4) @__oclc_ISA_version\n"
                                                "  %w = load i8, ptr addrspace(4) @__oclc_wavefrontsize64\n"
                                                "  %e = zext i8 %w to i32\n"
                                                "  %s = add i32 %v, %e\n"
                                                "  ret i32 %s\n"
                                                "}\n");
  int descriptor = 0;
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("ocml", "bc", descriptor, path));
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    llvm::WriteBitcodeToFile(*library, stream);
  }
  setenv("TRITON_OCML_PATH", path.c_str(), 1);
  std::unique_ptr<llvm::Module> module = parse(kernelThatCalls("__ocml_unheard_f32", "i32"));
  EXPECT_EQ(messageOf(linkDeviceLibrary(*module)), "");
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  auto valueOf = [&](llvm::StringRef name) {
    llvm::GlobalVariable *variable = module->getGlobalVariable(name, /*AllowInternal=*/true);
    return llvm::cast<llvm::ConstantInt>(variable->getInitializer())->getZExtValue();
  };
  EXPECT_EQ(valueOf("__oclc_ISA_version"), 9010u);
  EXPECT_EQ(valueOf("__oclc_wavefrontsize64"), 1u);

  std::unique_ptr<llvm::Module> other = parse(kernelThatCalls("__ocml_unknown_f32"));
  EXPECT_EQ(messageOf(linkDeviceLibrary(*other)),
            "not supported on hip: the kernel calls `__ocml_unknown_f32`, which is neither among the "
            "functions that Triton brings along nor in `" +
                path.str().str() + "`");
  llvm::sys::fs::remove(path);
}

} // namespace
