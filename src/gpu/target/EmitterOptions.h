// What the launch or the user asks of the code that a target writes. Each family of targets reads its own fields.
#pragma once

namespace triton::gpu {

/// Which accesses go through buffer resources where that can be proved to be right.
enum class BufferUse { None, Accesses, All };

struct EmitterOptions {
  unsigned maxRegisters = 0; ///< of a thread; 0: the assembler chooses. On NVIDIA's GPUs.
  unsigned ptxVersion = 0;   ///< the newest version of PTX that may be used, times 10; 0: any. On NVIDIA's GPUs.
  BufferUse buffers = BufferUse::All; ///< on AMD's GPUs
};

} // namespace triton::gpu
