#include "Help.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

using namespace tritonc;

namespace {

struct Examples {
  llvm::StringLiteral command, lines;
};

// Each line is a command, with what it does behind `#`. python/test/tools/test_command_line.py runs them.
constexpr Examples table[] = {
    {"", R"(
  tritonc run add.py --grid 10 --arg x=rand:f32[9999] --arg y=ones:f32[9999] \
      --arg out=empty:f32[9999] --arg n=9999 --arg BLOCK=1024
  tritonc show add.py --signature "*fp32,*fp32,*fp32,i32,1024" --stage llir
  tritonc explain add.py --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --target cuda:90
)"},
    {"bisect", R"(
  tritonc bisect add.py --target sim:cuda:90 --arg x=rand:f32[64] --arg y=rand:f32[64] \
      --arg out=empty:f32[64] --arg n=64 --arg BLOCK=64
)"},
    {"build", R"(
  TRITON_RECORD_CLASSES=classes.jsonl python add.py
  tritonc build classes.jsonl --target cpu,hip:gfx942 -o kernels.bundle
)"},
    {"bundle", R"(
  tritonc bundle add.py:add --signature "*fp32,*fp32,*fp32,i32,1024" \
      --target cpu:x86-64-v3,hip:gfx942 -o kernels.ttb
)"},
    {"cache", R"(
  tritonc cache list                # size, last use, folder and kernels
  tritonc cache prune --limit 500M  # remove what was not used longest
)"},
    {"classes", R"(
  tritonc classes add.py --arg x=*fp32:16 --arg y=*fp32:16 --arg out=*fp32:16 --arg n=1..65536 \
      --arg BLOCK=64,128 --target cuda:90
)"},
    {"compile", R"(
  tritonc compile add.py:add --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" -o out
  tritonc compile add.py:add --signature "*fp32,*fp32,*fp32,i32,BLOCK=1024" --target hip:gfx942 \
      --emit amdgcn
  tritonc compile add.py:add --signature "*fp32,*fp32,*fp32,i32,1024" --emit c \
      --grid "(n + 1023) / 1024, 1, 1"
)"},
    {"explain", R"(
  tritonc explain add.py --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --target cuda:90 \
      --num-warps 8
)"},
    {"explore", R"(
  tritonc explore add.py --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --target sim:cuda:90 \
      --export add.html
)"},
    {"layout", R"(
  tritonc layout \
      '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' \
      --shape 16x8xf32
)"},
    {"link", R"(
  tritonc compile add.py:add --signature "*fp32,*fp32,*fp32,i32,1024" --emit c \
      --grid "(n + 1023) / 1024, 1, 1" -o variants
  tritonc link variants/add.*.h -o linked/add
)"},
    {"run", R"(
  tritonc run add.py --grid 10 --arg x=rand:f32[9999] --arg y=@x.bin:f32[9999] \
      --arg out=empty:f32[9999] --arg n=9999 --arg BLOCK=1024
  tritonc run add.py --target sim:cuda:90 --arg x=arange:f32[64] --arg y=7:f32[64] \
      --arg out=empty:f32[64] --arg n=64 --arg BLOCK=64 --print out
)"},
    {"show", R"(
  tritonc show add.py:add --signature "*fp32,*fp32,*fp32,i32,1024" --stage ttir
  tritonc show --passes
)"},
};

} // namespace

std::string tritonc::exampleSection(const std::string &command) {
  for (const Examples &examples : table)
    if (command == examples.command)
      return ("\nEXAMPLES:\n" + examples.lines).str();
  return "";
}
