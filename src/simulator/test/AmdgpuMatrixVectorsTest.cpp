// The sums of matrix units by vectors are those of single elements.
#include "AmdgpuHarness.h"
#include "simulator/core/Numerics.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <random>

namespace triton::simulator {
namespace {

/// A product whose lanes read 64 bits of each operand and four words of C, 64 words apart, and store four words.
static std::vector<uint32_t> multiplyWords(llvm::StringRef name, llvm::StringRef type, std::vector<uint32_t> input) {
  std::string body;
  for (unsigned i = 0; i < 8; ++i)
    body += llvm::formatv("%p{0} = getelementptr i32, ptr addrspace(1) %from, i64 {1}\n"
                          "%a{0} = load i32, ptr addrspace(1) %p{0}\n",
                          i, i * 64);
  for (unsigned i : {0u, 2u}) {
    body += llvm::formatv("%l{0} = zext i32 %a{0} to i64\n%h{0} = zext i32 %a{1} to i64\n%s{0} = shl i64 %h{0}, 32\n"
                          "%w{0} = or i64 %s{0}, %l{0}\n",
                          i, i + 1);
    std::string source = type == "float" ? "i32 %a" : "i64 %w";
    body += llvm::formatv("%x{0} = bitcast {1}{0} to {2}\n", i, source, type);
  }
  std::string c = "zeroinitializer";
  for (unsigned i = 0; i < 4; ++i) {
    body += llvm::formatv(
        "%f{0} = bitcast i32 %a{1} to float\n%c{0} = insertelement <4 x float> {2}, float %f{0}, i32 {0}\n", i, i + 4,
        c);
    c = "%c" + std::to_string(i);
  }
  body +=
      llvm::formatv("%r = call <4 x float> @llvm.amdgcn.mfma.f32.{0}({1} %x0, {1} %x2, <4 x float> {2}, i32 0, i32 0, "
                    "i32 0)\n",
                    name, type, c);
  for (unsigned i = 0; i < 4; ++i)
    body += llvm::formatv("%e{0} = extractelement <4 x float> %r, i32 {0}\n"
                          "%q{0} = getelementptr i32, ptr addrspace(1) %to, i64 {1}\n"
                          "store float %e{0}, ptr addrspace(1) %q{0}\n",
                          i, i * 64);
  AmdgpuRun run(body + "ret void", {.words = 8 * 64, .input = std::move(input)});
  run.expectNoFindings();
  return run.out;
}

// One NaN in C makes the whole product one of single elements.
TEST(AmdgpuMatrixVectors, HaveTheSumsOfElements) {
  struct Form {
    llvm::StringRef name, type;
    unsigned bits, mantissaBits;
  };
  std::mt19937 random(11);
  for (const Form &form : {Form{"16x16x16f16", "<4 x half>", 16, 10}, Form{"16x16x16bf16.1k", "<4 x i16>", 16, 7},
                           Form{"16x16x8.xf32", "<2 x float>", 32, 23}, Form{"16x16x4f32", "float", 32, 23},
                           Form{"16x16x32.fp8.bf8", "i64", 8, 3}, Form{"16x16x32.bf8.bf8", "i64", 8, 2}})
    for (unsigned spread : {1u, 5u, 40u}) {
      if (spread >> (form.bits - form.mantissaBits - 2) != 0)
        continue; // more than the format has
      auto element = [&](unsigned bits, unsigned mantissaBits) {
        uint32_t middle = 1u << (bits - mantissaBits - 2), sign = random() & 1;
        uint32_t exponent = random() % 16 == 0 ? 0 : middle - spread + random() % (2 * spread + 1);
        return (sign << (bits - 1)) | exponent << mantissaBits | (random() & ((1u << mantissaBits) - 1));
      };
      std::vector<uint32_t> input;
      for (unsigned i = 0; i < 8 * 64; ++i) {
        uint32_t word = 0;
        for (unsigned bit = 0; bit < 32; bit += i < 256 ? form.bits : 32)
          word |= (i < 256 ? element(form.bits, form.mantissaBits) : element(32, 23)) << bit;
        input.push_back(word);
      }
      std::vector<uint32_t> byVectors = multiplyWords(form.name, form.type, input);
      input[256] = canonicalNaN;
      std::vector<uint32_t> byElements = multiplyWords(form.name, form.type, input);
      EXPECT_NE(byVectors.front(), byElements.front());
      EXPECT_TRUE(std::equal(byVectors.begin() + 1, byVectors.begin() + 256, byElements.begin() + 1))
          << form.name.str();
    }
}

} // namespace
} // namespace triton::simulator
