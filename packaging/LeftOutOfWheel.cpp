// In place of LLVM's code generator for AArch64, which would make a wheel for x86-64 larger by a twelfth: the functions
// that register it, so that the linker does not look for them in LLVM's archives.
extern "C" {
void LLVMInitializeAArch64AsmParser() {}
void LLVMInitializeAArch64AsmPrinter() {}
void LLVMInitializeAArch64Target() {}
void LLVMInitializeAArch64TargetInfo() {}
void LLVMInitializeAArch64TargetMC() {}
}
