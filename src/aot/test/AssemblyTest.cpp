#include "aot/Assembly.h"

#include "gtest/gtest.h"

using triton::aot::embedAssembly;

static std::string embed(llvm::StringRef text) {
  return embedAssembly(text, triton::aot::x86Assembly, "f", "kernel", "f_programs", {"triton_cpu_tick"});
}

TEST(Assembly, RenamesWhatTheModuleDefines) {
  EXPECT_EQ(embed("\t.globl\tkernel\n\t.type\tkernel,@function\nkernel:\n\tcallq\thelper@PLT\n\tretq\nhelper:\n"
                  ".Lend0:\n\t.size\tkernel, .Lend0-kernel\n"),
            "\t.pushsection .text\n\t.hidden f_programs\n\t.globl\tf_programs\n\t.type\tf_programs,@function\n"
            "f_programs:\n\tcallq\tf_helper@PLT\n\tretq\nf_helper:\n.Lf_Lend0:\n"
            "\t.size\tf_programs, .Lf_Lend0-f_programs\n\t.popsection\n");
}

TEST(Assembly, KeepsOthersNames) {
  EXPECT_EQ(embed("kernel:\n\tcallq\texpf@PLT\n\tcallq\ttriton_cpu_tick@PLT\n\t.weak\ttriton_cpu_tick\n"),
            "\t.pushsection .text\n\t.hidden f_programs\nf_programs:\n\tcallq\texpf@PLT\n"
            "\tcallq\tf_triton_cpu_tick@PLT\n\t.popsection\n");
}

// A kernel may have the name of a register, of an instruction or of a section.
TEST(Assembly, RegistersAreNoSymbols) {
  EXPECT_EQ(embedAssembly("eax:\n\tmovl\t%eax, %ebx\n\tleaq\teax(%rip), %rax\n", triton::aot::x86Assembly, "f", "eax",
                          "f_programs", {}),
            "\t.pushsection .text\n\t.hidden f_programs\nf_programs:\n\tmovl\t%eax, %ebx\n"
            "\tleaq\tf_programs(%rip), %rax\n\t.popsection\n");
  EXPECT_EQ(embedAssembly("movl:\n\tmovl\t%eax, %ebx\n", triton::aot::x86Assembly, "f", "movl", "f_programs", {}),
            "\t.pushsection .text\n\t.hidden f_programs\nf_programs:\n\tmovl\t%eax, %ebx\n\t.popsection\n");
}

TEST(Assembly, LeavesOutWhatDescribesTheFile) {
  EXPECT_EQ(embed("\t.file\t\"kernel\"\n\t.section\t.rodata.kernel,\"a\",@progbits # comment\nkernel:\n"
                  "\t.asciz\t\"kernel # text\"\n\t.cfi_sections .debug_frame\n\t.cfi_startproc\n"
                  "\t.section\t\".note.GNU-stack\",\"\",@progbits\n\t.ident\t\"LLVM\"\n"),
            "\t.pushsection .text\n\t.hidden f_programs\n\t.section\t.rodata.kernel,\"a\",@progbits\nf_programs:\n"
            "\t.asciz\t\"kernel # text\"\n\t.cfi_startproc\n\t.popsection\n");
}

TEST(Assembly, KernelsMayBeNamedLikeRegisters) {
  EXPECT_EQ(
      embedAssembly("\t.globl\tx1\nx1: // @x1\n\tadd\tx0, x1, #4\n\tadrp\tx2, .LCPI0_0\n\t.size\tx1, .-x1\n.LCPI0_0:\n",
                    triton::aot::aarch64Assembly, "f", "x1", "f_programs", {}),
      "\t.pushsection .text\n\t.hidden f_programs\n\t.globl\tf_programs\nf_programs:\n\tadd\tx0, x1, #4\n"
      "\tadrp\tx2, .Lf_LCPI0_0\n\t.size\tf_programs, .-f_programs\n.Lf_LCPI0_0:\n\t.popsection\n");
}
