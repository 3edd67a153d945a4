// Code for one machine cannot be made of layouts for another, unless that is an older one of the same numbers.
// RUN: triton-opt --tritongpu-verify-ttgir=machine=cuda:80 --split-input-file --verify-diagnostics %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:75", "ttg.threads-per-warp" = 32 : i32} {
}

// -----

// expected-error @below {{the module is for the machine `cuda:100` (`ttg.target`), but the target is `cuda:80`; choose the module's machine as the target, or begin with TTIR}}
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
}

// -----

// expected-error @below {{the module is for the machine `hip:gfx942` (`ttg.target`), but the target is `cuda:80`}}
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
}
