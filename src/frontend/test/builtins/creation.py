import triton
import triton.language as tl


# lower: add(*fp32, *fp32, *fp32, i32, 256)
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)
#> tt.func public @add(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: i32) attributes {noinline = false} {
#>   %0 = tt.get_program_id x : i32
#>   %c256_i32 = arith.constant 256 : i32
#>   %1 = arith.muli %0, %c256_i32 : i32
#>   %2 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
#>   %3 = tt.splat %1 : i32 -> tensor<256xi32>
#>   %4 = arith.addi %3, %2 : tensor<256xi32>
#>   %5 = tt.splat %arg3 : i32 -> tensor<256xi32>
#>   %6 = arith.cmpi slt, %4, %5 : tensor<256xi32>
#>   %7 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
#>   %8 = tt.addptr %7, %4 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
#>   %9 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
#>   %10 = tt.addptr %9, %4 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
#>   %11 = tt.load %10, %6 : tensor<256x!tt.ptr<f32>>
#>   %12 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
#>   %13 = tt.addptr %12, %4 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
#>   %14 = tt.load %13, %6 : tensor<256x!tt.ptr<f32>>
#>   %15 = arith.addf %11, %14 : tensor<256xf32>
#>   tt.store %8, %15, %6 : tensor<256x!tt.ptr<f32>>
#>   tt.return
#> }


# lower: softmax(*fp32, *fp32, i32, 1024)
@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    v = v - tl.max(v, axis=0)
    e = tl.exp(v)
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), mask=i < n)
#> tt.func public @softmax(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: i32) attributes {noinline = false} {
#>   %0 = tt.get_program_id x : i32
#>   %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
#>   %2 = arith.muli %0, %arg2 : i32
#>   %3 = tt.addptr %arg0, %2 : !tt.ptr<f32>, i32
#>   %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
#>   %5 = tt.addptr %4, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
#>   %6 = tt.splat %arg2 : i32 -> tensor<1024xi32>
#>   %7 = arith.cmpi slt, %1, %6 : tensor<1024xi32>
#>   %cst = arith.constant 0xFF800000 : f32
#>   %cst_0 = arith.constant dense<0xFF800000> : tensor<1024xf32>
#>   %8 = tt.load %5, %7, %cst_0 : tensor<1024x!tt.ptr<f32>>
#>   %9 = tt.call @max__fp32S1024_c0_cFalse_cTrue_cFalse(%8) : (tensor<1024xf32>) -> f32
#>   %10 = tt.splat %9 : f32 -> tensor<1024xf32>
#>   %11 = arith.subf %8, %10 : tensor<1024xf32>
#>   %12 = math.exp %11 : tensor<1024xf32>
#>   %13 = arith.muli %0, %arg2 : i32
#>   %14 = tt.addptr %arg1, %13 : !tt.ptr<f32>, i32
#>   %15 = tt.splat %14 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
#>   %16 = tt.addptr %15, %1 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
#>   %17 = tt.call @sum__fp32S1024_c0_cFalse_cNone(%12) : (tensor<1024xf32>) -> f32
#>   %18 = tt.splat %17 : f32 -> tensor<1024xf32>
#>   %19 = arith.divf %12, %18 : tensor<1024xf32>
#>   %20 = tt.splat %arg2 : i32 -> tensor<1024xi32>
#>   %21 = arith.cmpi slt, %1, %20 : tensor<1024xi32>
#>   tt.store %16, %19, %21 : tensor<1024x!tt.ptr<f32>>
#>   tt.return
#> }
#> tt.func private @max__fp32S1024_c0_cFalse_cTrue_cFalse(%arg0: tensor<1024xf32>) -> f32 attributes {noinline = false} {
#>   %0 = tt.call @_widen_to_32_bits__fp32S1024(%arg0) : (tensor<1024xf32>) -> tensor<1024xf32>
#>   %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: f32):
#>     %2 = tt.call @_maximum__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
#>     tt.reduce.return %2 : f32
#>   }) : (tensor<1024xf32>) -> f32
#>   tt.return %1 : f32
#> }
#> tt.func private @_widen_to_32_bits__fp32S1024(%arg0: tensor<1024xf32>) -> tensor<1024xf32> attributes {noinline = false} {
#>   tt.return %arg0 : tensor<1024xf32>
#> }
#> tt.func private @_maximum__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
#>   %0 = arith.maxnumf %arg0, %arg1 : f32
#>   tt.return %0 : f32
#> }
#> tt.func private @sum__fp32S1024_c0_cFalse_cNone(%arg0: tensor<1024xf32>) -> f32 attributes {noinline = false} {
#>   %0 = tt.call @_accumulate_in__fp32S1024_cNone(%arg0) : (tensor<1024xf32>) -> tensor<1024xf32>
#>   %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: f32):
#>     %2 = tt.call @_add__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
#>     tt.reduce.return %2 : f32
#>   }) : (tensor<1024xf32>) -> f32
#>   tt.return %1 : f32
#> }
#> tt.func private @_accumulate_in__fp32S1024_cNone(%arg0: tensor<1024xf32>) -> tensor<1024xf32> attributes {noinline = false} {
#>   tt.return %arg0 : tensor<1024xf32>
#> }
#> tt.func private @_add__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
#>   %0 = arith.addf %arg0, %arg1 : f32
#>   tt.return %0 : f32
#> }


# lower: random(*fp32, i32, 256)
@triton.jit
def random(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i))
#> tt.func public @random(%arg0: !tt.ptr<f32>, %arg1: i32) attributes {noinline = false} {
#>   %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
#>   %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
#>   %2 = tt.addptr %1, %0 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
#>   %3 = tt.call @rand__i32_i32S256_c10(%arg1, %0) : (i32, tensor<256xi32>) -> tensor<256xf32>
#>   tt.store %2, %3 : tensor<256x!tt.ptr<f32>>
#>   tt.return
#> }
#> tt.func private @rand__i32_i32S256_c10(%arg0: i32, %arg1: tensor<256xi32>) -> tensor<256xf32> attributes {noinline = false} {
#>   %0 = tt.call @randint__i32_i32S256_c10(%arg0, %arg1) : (i32, tensor<256xi32>) -> tensor<256xi32>
#>   %1 = tt.call @uint_to_uniform_float__u32S256(%0) : (tensor<256xi32>) -> tensor<256xf32>
#>   tt.return %1 : tensor<256xf32>
#> }
#> tt.func private @randint__i32_i32S256_c10(%arg0: i32, %arg1: tensor<256xi32>) -> tensor<256xi32> attributes {noinline = false} {
#>   %0:4 = tt.call @randint4x__i32_i32S256_c10(%arg0, %arg1) : (i32, tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>)
#>   tt.return %0#0 : tensor<256xi32>
#> }
#> tt.func private @randint4x__i32_i32S256_c10(%arg0: i32, %arg1: tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>) attributes {noinline = false} {
#>   %cst = arith.constant dense<0> : tensor<256xi32>
#>   %0 = arith.muli %arg1, %cst : tensor<256xi32>
#>   %1:4 = tt.call @philox__i32_u32S256_u32S256_u32S256_u32S256_c10(%arg0, %arg1, %0, %0, %0) : (i32, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>)
#>   tt.return %1#0, %1#1, %1#2, %1#3 : tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>
#> }
#> tt.func private @philox__i32_u32S256_u32S256_u32S256_u32S256_c10(%arg0: i32, %arg1: tensor<256xi32>, %arg2: tensor<256xi32>, %arg3: tensor<256xi32>, %arg4: tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>) attributes {noinline = false} {
#>   %0 = arith.extsi %arg0 : i32 to i64
#>   %c4294967295_i64 = arith.constant 4294967295 : i64
#>   %1 = arith.andi %0, %c4294967295_i64 : i64
#>   %2 = arith.trunci %1 : i64 to i32
#>   %c32_i64 = arith.constant 32 : i64
#>   %3 = arith.shrui %0, %c32_i64 : i64
#>   %4 = arith.trunci %3 : i64 to i32
#>   %5:4 = tt.call @philox_impl__u32S256_u32S256_u32S256_u32S256_u32_u32_c10(%arg1, %arg2, %arg3, %arg4, %2, %4) : (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, i32, i32) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>)
#>   tt.return %5#0, %5#1, %5#2, %5#3 : tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>
#> }
#> tt.func private @philox_impl__u32S256_u32S256_u32S256_u32S256_u32_u32_c10(%arg0: tensor<256xi32>, %arg1: tensor<256xi32>, %arg2: tensor<256xi32>, %arg3: tensor<256xi32>, %arg4: i32, %arg5: i32) -> (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>) attributes {noinline = false} {
#>   %cst = arith.constant dense<-766435501> : tensor<256xi32>
#>   %0 = tt.mulhiui %cst, %arg0 : tensor<256xi32>
#>   %cst_0 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %1 = tt.mulhiui %cst_0, %arg2 : tensor<256xi32>
#>   %cst_1 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %2 = arith.muli %arg0, %cst_1 : tensor<256xi32>
#>   %cst_2 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %3 = arith.muli %arg2, %cst_2 : tensor<256xi32>
#>   %4 = arith.xori %1, %arg1 : tensor<256xi32>
#>   %5 = tt.splat %arg4 : i32 -> tensor<256xi32>
#>   %6 = arith.xori %4, %5 : tensor<256xi32>
#>   %7 = arith.xori %0, %arg3 : tensor<256xi32>
#>   %8 = tt.splat %arg5 : i32 -> tensor<256xi32>
#>   %9 = arith.xori %7, %8 : tensor<256xi32>
#>   %c-1640531527_i32 = arith.constant -1640531527 : i32
#>   %10 = arith.addi %arg4, %c-1640531527_i32 : i32
#>   %c-1150833019_i32 = arith.constant -1150833019 : i32
#>   %11 = arith.addi %arg5, %c-1150833019_i32 : i32
#>   %cst_3 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %12 = tt.mulhiui %cst_3, %6 : tensor<256xi32>
#>   %cst_4 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %13 = tt.mulhiui %cst_4, %9 : tensor<256xi32>
#>   %cst_5 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %14 = arith.muli %6, %cst_5 : tensor<256xi32>
#>   %cst_6 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %15 = arith.muli %9, %cst_6 : tensor<256xi32>
#>   %16 = arith.xori %13, %3 : tensor<256xi32>
#>   %17 = tt.splat %10 : i32 -> tensor<256xi32>
#>   %18 = arith.xori %16, %17 : tensor<256xi32>
#>   %19 = arith.xori %12, %2 : tensor<256xi32>
#>   %20 = tt.splat %11 : i32 -> tensor<256xi32>
#>   %21 = arith.xori %19, %20 : tensor<256xi32>
#>   %c-1640531527_i32_7 = arith.constant -1640531527 : i32
#>   %22 = arith.addi %10, %c-1640531527_i32_7 : i32
#>   %c-1150833019_i32_8 = arith.constant -1150833019 : i32
#>   %23 = arith.addi %11, %c-1150833019_i32_8 : i32
#>   %cst_9 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %24 = tt.mulhiui %cst_9, %18 : tensor<256xi32>
#>   %cst_10 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %25 = tt.mulhiui %cst_10, %21 : tensor<256xi32>
#>   %cst_11 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %26 = arith.muli %18, %cst_11 : tensor<256xi32>
#>   %cst_12 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %27 = arith.muli %21, %cst_12 : tensor<256xi32>
#>   %28 = arith.xori %25, %15 : tensor<256xi32>
#>   %29 = tt.splat %22 : i32 -> tensor<256xi32>
#>   %30 = arith.xori %28, %29 : tensor<256xi32>
#>   %31 = arith.xori %24, %14 : tensor<256xi32>
#>   %32 = tt.splat %23 : i32 -> tensor<256xi32>
#>   %33 = arith.xori %31, %32 : tensor<256xi32>
#>   %c-1640531527_i32_13 = arith.constant -1640531527 : i32
#>   %34 = arith.addi %22, %c-1640531527_i32_13 : i32
#>   %c-1150833019_i32_14 = arith.constant -1150833019 : i32
#>   %35 = arith.addi %23, %c-1150833019_i32_14 : i32
#>   %cst_15 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %36 = tt.mulhiui %cst_15, %30 : tensor<256xi32>
#>   %cst_16 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %37 = tt.mulhiui %cst_16, %33 : tensor<256xi32>
#>   %cst_17 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %38 = arith.muli %30, %cst_17 : tensor<256xi32>
#>   %cst_18 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %39 = arith.muli %33, %cst_18 : tensor<256xi32>
#>   %40 = arith.xori %37, %27 : tensor<256xi32>
#>   %41 = tt.splat %34 : i32 -> tensor<256xi32>
#>   %42 = arith.xori %40, %41 : tensor<256xi32>
#>   %43 = arith.xori %36, %26 : tensor<256xi32>
#>   %44 = tt.splat %35 : i32 -> tensor<256xi32>
#>   %45 = arith.xori %43, %44 : tensor<256xi32>
#>   %c-1640531527_i32_19 = arith.constant -1640531527 : i32
#>   %46 = arith.addi %34, %c-1640531527_i32_19 : i32
#>   %c-1150833019_i32_20 = arith.constant -1150833019 : i32
#>   %47 = arith.addi %35, %c-1150833019_i32_20 : i32
#>   %cst_21 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %48 = tt.mulhiui %cst_21, %42 : tensor<256xi32>
#>   %cst_22 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %49 = tt.mulhiui %cst_22, %45 : tensor<256xi32>
#>   %cst_23 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %50 = arith.muli %42, %cst_23 : tensor<256xi32>
#>   %cst_24 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %51 = arith.muli %45, %cst_24 : tensor<256xi32>
#>   %52 = arith.xori %49, %39 : tensor<256xi32>
#>   %53 = tt.splat %46 : i32 -> tensor<256xi32>
#>   %54 = arith.xori %52, %53 : tensor<256xi32>
#>   %55 = arith.xori %48, %38 : tensor<256xi32>
#>   %56 = tt.splat %47 : i32 -> tensor<256xi32>
#>   %57 = arith.xori %55, %56 : tensor<256xi32>
#>   %c-1640531527_i32_25 = arith.constant -1640531527 : i32
#>   %58 = arith.addi %46, %c-1640531527_i32_25 : i32
#>   %c-1150833019_i32_26 = arith.constant -1150833019 : i32
#>   %59 = arith.addi %47, %c-1150833019_i32_26 : i32
#>   %cst_27 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %60 = tt.mulhiui %cst_27, %54 : tensor<256xi32>
#>   %cst_28 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %61 = tt.mulhiui %cst_28, %57 : tensor<256xi32>
#>   %cst_29 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %62 = arith.muli %54, %cst_29 : tensor<256xi32>
#>   %cst_30 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %63 = arith.muli %57, %cst_30 : tensor<256xi32>
#>   %64 = arith.xori %61, %51 : tensor<256xi32>
#>   %65 = tt.splat %58 : i32 -> tensor<256xi32>
#>   %66 = arith.xori %64, %65 : tensor<256xi32>
#>   %67 = arith.xori %60, %50 : tensor<256xi32>
#>   %68 = tt.splat %59 : i32 -> tensor<256xi32>
#>   %69 = arith.xori %67, %68 : tensor<256xi32>
#>   %c-1640531527_i32_31 = arith.constant -1640531527 : i32
#>   %70 = arith.addi %58, %c-1640531527_i32_31 : i32
#>   %c-1150833019_i32_32 = arith.constant -1150833019 : i32
#>   %71 = arith.addi %59, %c-1150833019_i32_32 : i32
#>   %cst_33 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %72 = tt.mulhiui %cst_33, %66 : tensor<256xi32>
#>   %cst_34 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %73 = tt.mulhiui %cst_34, %69 : tensor<256xi32>
#>   %cst_35 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %74 = arith.muli %66, %cst_35 : tensor<256xi32>
#>   %cst_36 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %75 = arith.muli %69, %cst_36 : tensor<256xi32>
#>   %76 = arith.xori %73, %63 : tensor<256xi32>
#>   %77 = tt.splat %70 : i32 -> tensor<256xi32>
#>   %78 = arith.xori %76, %77 : tensor<256xi32>
#>   %79 = arith.xori %72, %62 : tensor<256xi32>
#>   %80 = tt.splat %71 : i32 -> tensor<256xi32>
#>   %81 = arith.xori %79, %80 : tensor<256xi32>
#>   %c-1640531527_i32_37 = arith.constant -1640531527 : i32
#>   %82 = arith.addi %70, %c-1640531527_i32_37 : i32
#>   %c-1150833019_i32_38 = arith.constant -1150833019 : i32
#>   %83 = arith.addi %71, %c-1150833019_i32_38 : i32
#>   %cst_39 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %84 = tt.mulhiui %cst_39, %78 : tensor<256xi32>
#>   %cst_40 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %85 = tt.mulhiui %cst_40, %81 : tensor<256xi32>
#>   %cst_41 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %86 = arith.muli %78, %cst_41 : tensor<256xi32>
#>   %cst_42 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %87 = arith.muli %81, %cst_42 : tensor<256xi32>
#>   %88 = arith.xori %85, %75 : tensor<256xi32>
#>   %89 = tt.splat %82 : i32 -> tensor<256xi32>
#>   %90 = arith.xori %88, %89 : tensor<256xi32>
#>   %91 = arith.xori %84, %74 : tensor<256xi32>
#>   %92 = tt.splat %83 : i32 -> tensor<256xi32>
#>   %93 = arith.xori %91, %92 : tensor<256xi32>
#>   %c-1640531527_i32_43 = arith.constant -1640531527 : i32
#>   %94 = arith.addi %82, %c-1640531527_i32_43 : i32
#>   %c-1150833019_i32_44 = arith.constant -1150833019 : i32
#>   %95 = arith.addi %83, %c-1150833019_i32_44 : i32
#>   %cst_45 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %96 = tt.mulhiui %cst_45, %90 : tensor<256xi32>
#>   %cst_46 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %97 = tt.mulhiui %cst_46, %93 : tensor<256xi32>
#>   %cst_47 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %98 = arith.muli %90, %cst_47 : tensor<256xi32>
#>   %cst_48 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %99 = arith.muli %93, %cst_48 : tensor<256xi32>
#>   %100 = arith.xori %97, %87 : tensor<256xi32>
#>   %101 = tt.splat %94 : i32 -> tensor<256xi32>
#>   %102 = arith.xori %100, %101 : tensor<256xi32>
#>   %103 = arith.xori %96, %86 : tensor<256xi32>
#>   %104 = tt.splat %95 : i32 -> tensor<256xi32>
#>   %105 = arith.xori %103, %104 : tensor<256xi32>
#>   %c-1640531527_i32_49 = arith.constant -1640531527 : i32
#>   %106 = arith.addi %94, %c-1640531527_i32_49 : i32
#>   %c-1150833019_i32_50 = arith.constant -1150833019 : i32
#>   %107 = arith.addi %95, %c-1150833019_i32_50 : i32
#>   %cst_51 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %108 = tt.mulhiui %cst_51, %102 : tensor<256xi32>
#>   %cst_52 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %109 = tt.mulhiui %cst_52, %105 : tensor<256xi32>
#>   %cst_53 = arith.constant dense<-766435501> : tensor<256xi32>
#>   %110 = arith.muli %102, %cst_53 : tensor<256xi32>
#>   %cst_54 = arith.constant dense<-845247145> : tensor<256xi32>
#>   %111 = arith.muli %105, %cst_54 : tensor<256xi32>
#>   %112 = arith.xori %109, %99 : tensor<256xi32>
#>   %113 = tt.splat %106 : i32 -> tensor<256xi32>
#>   %114 = arith.xori %112, %113 : tensor<256xi32>
#>   %115 = arith.xori %108, %98 : tensor<256xi32>
#>   %116 = tt.splat %107 : i32 -> tensor<256xi32>
#>   %117 = arith.xori %115, %116 : tensor<256xi32>
#>   %c-1640531527_i32_55 = arith.constant -1640531527 : i32
#>   %118 = arith.addi %106, %c-1640531527_i32_55 : i32
#>   %c-1150833019_i32_56 = arith.constant -1150833019 : i32
#>   %119 = arith.addi %107, %c-1150833019_i32_56 : i32
#>   tt.return %114, %111, %117, %110 : tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>
#> }
#> tt.func private @uint_to_uniform_float__u32S256(%arg0: tensor<256xi32>) -> tensor<256xf32> attributes {noinline = false} {
#>   %cst = arith.constant dense<0> : tensor<256xi32>
#>   %0 = arith.cmpi slt, %arg0, %cst : tensor<256xi32>
#>   %cst_0 = arith.constant dense<0> : tensor<256xi32>
#>   %1 = arith.subi %cst_0, %arg0 : tensor<256xi32>
#>   %cst_1 = arith.constant dense<1> : tensor<256xi32>
#>   %2 = arith.subi %1, %cst_1 : tensor<256xi32>
#>   %3 = arith.select %0, %2, %arg0 : tensor<256xi1>, tensor<256xi32>
#>   %4 = arith.sitofp %3 : tensor<256xi32> to tensor<256xf32>
#>   %cst_2 = arith.constant dense<4.6566126E-10> : tensor<256xf32>
#>   %5 = arith.mulf %4, %cst_2 : tensor<256xf32>
#>   tt.return %5 : tensor<256xf32>
#> }


# lower: everything(*fp32, *i32, 64)
@triton.jit
def everything(p, q, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(p + i)
    k = tl.load(q + i)
    tl.store(p + i, tl.cumsum(x, 0))
    tl.store(p + i, tl.sort(x))
    tl.store(p + i, tl.flip(x, 0))
    a, b = tl.max(x, 0, return_indices=True)
    tl.store(p, a)
    tl.store(q, b)
    tl.store(q + tl.arange(0, 8), tl.topk(k, 8))
    tl.store(q, tl.argmin(x, 0))
    tl.store(p + i, tl.softmax(x))
    tl.store(p + i, tl.sigmoid(x))
    tl.store(p + i, tl.extra.libdevice.tanh(x))
    tl.store(p + i, tl.extra.libdevice.j0(x))
    n1, n2, n3, n4 = tl.randn4x(42, i)
    tl.store(p + i, n1 + n2 + n3 + n4)
    tl.device_print("x", x)
    tl.static_print("hello", x, BLOCK)
#> hello fp32[64] 64
#> tt.func public @everything(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<i32>) attributes {noinline = false} {
#>   %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
#>   %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %3 = tt.load %2 : tensor<64x!tt.ptr<f32>>
#>   %4 = tt.splat %arg1 : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
#>   %5 = tt.addptr %4, %0 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
#>   %6 = tt.load %5 : tensor<64x!tt.ptr<i32>>
#>   %7 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %8 = tt.addptr %7, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %9 = tt.call @cumsum__fp32S64_c0_cFalse_cNone(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %8, %9 : tensor<64x!tt.ptr<f32>>
#>   %10 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %11 = tt.addptr %10, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %12 = tt.call @sort__fp32S64_cNone_cFalse(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %11, %12 : tensor<64x!tt.ptr<f32>>
#>   %13 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %14 = tt.addptr %13, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %15 = tt.call @flip__fp32S64_c0(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %14, %15 : tensor<64x!tt.ptr<f32>>
#>   %16:2 = tt.call @max__fp32S64_c0_cTrue_cTrue_cFalse(%3) : (tensor<64xf32>) -> (f32, i32)
#>   tt.store %arg0, %16#0 : !tt.ptr<f32>
#>   tt.store %arg1, %16#1 : !tt.ptr<i32>
#>   %17 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %18 = tt.splat %arg1 : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
#>   %19 = tt.addptr %18, %17 : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
#>   %20 = tt.call @topk__i32S64_c8_cNone_cTrue(%6) : (tensor<64xi32>) -> tensor<8xi32>
#>   tt.store %19, %20 : tensor<8x!tt.ptr<i32>>
#>   %21 = tt.call @argmin__fp32S64_c0_cTrue_cFalse(%3) : (tensor<64xf32>) -> i32
#>   tt.store %arg1, %21 : !tt.ptr<i32>
#>   %22 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %23 = tt.addptr %22, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %24 = tt.call @softmax__fp32S64_cNone_cFalse_cFalse(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %23, %24 : tensor<64x!tt.ptr<f32>>
#>   %25 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %26 = tt.addptr %25, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %27 = tt.call @sigmoid__fp32S64(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %26, %27 : tensor<64x!tt.ptr<f32>>
#>   %28 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %29 = tt.addptr %28, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %30 = math.tanh %3 : tensor<64xf32>
#>   tt.store %29, %30 : tensor<64x!tt.ptr<f32>>
#>   %31 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %32 = tt.addptr %31, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %33 = tt.extern_elementwise %3 {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.store %32, %33 : tensor<64x!tt.ptr<f32>>
#>   %34:4 = tt.call @randn4x__c42_i32S64_c10(%0) : (tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
#>   %35 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
#>   %36 = tt.addptr %35, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
#>   %37 = arith.addf %34#0, %34#1 : tensor<64xf32>
#>   %38 = arith.addf %37, %34#2 : tensor<64xf32>
#>   %39 = arith.addf %38, %34#3 : tensor<64xf32>
#>   tt.store %36, %39 : tensor<64x!tt.ptr<f32>>
#>   tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %3 : tensor<64xf32>
#>   tt.return
#> }
#> tt.func private @cumsum__fp32S64_c0_cFalse_cNone(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_widen_bfloat16__fp32S64(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_accumulate_in__fp32S64_cNone(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = "tt.scan"(%1) <{axis = 0 : i32, reverse = false}> ({
#>   ^bb0(%arg1: f32, %arg2: f32):
#>     %3 = tt.call @_add__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
#>     tt.scan.return %3 : f32
#>   }) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %2 : tensor<64xf32>
#> }
#> tt.func private @_widen_bfloat16__fp32S64(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   tt.return %arg0 : tensor<64xf32>
#> }
#> tt.func private @_accumulate_in__fp32S64_cNone(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   tt.return %arg0 : tensor<64xf32>
#> }
#> tt.func private @_add__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
#>   %0 = arith.addf %arg0, %arg1 : f32
#>   tt.return %0 : f32
#> }
#> tt.func private @sort__fp32S64_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_merge_stage__fp32S64_c1_cTrue_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_merge_stage__fp32S64_c2_cTrue_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = tt.call @_merge_stage__fp32S64_c3_cTrue_cFalse(%1) : (tensor<64xf32>) -> tensor<64xf32>
#>   %3 = tt.call @_merge_stage__fp32S64_c4_cTrue_cFalse(%2) : (tensor<64xf32>) -> tensor<64xf32>
#>   %4 = tt.call @_merge_stage__fp32S64_c5_cTrue_cFalse(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   %5 = tt.call @_merge_stage__fp32S64_c6_cFalse_cFalse(%4) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %5 : tensor<64xf32>
#> }
#> tt.func private @_merge_stage__fp32S64_c1_cTrue_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c1_c1_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %0 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_c1_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %22 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c1(%arg0: tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<32x2x1xf32>
#>   %1 = tt.bitcast %0 : tensor<32x2x1xf32> -> tensor<32x2x1xi32>
#>   %2 = tt.call @xor_sum__i32S32S2S1_c1_cTrue(%1) : (tensor<32x2x1xi32>) -> tensor<32x1x1xi32>
#>   %3 = tt.broadcast %2 : tensor<32x1x1xi32> -> tensor<32x2x1xi32>
#>   %4 = arith.xori %1, %3 : tensor<32x2x1xi32>
#>   %5 = tt.bitcast %4 : tensor<32x2x1xi32> -> tensor<32x2x1xf32>
#>   tt.return %0, %5 : tensor<32x2x1xf32>, tensor<32x2x1xf32>
#> }
#> tt.func private @xor_sum__i32S32S2S1_c1_cTrue(%arg0: tensor<32x2x1xi32>) -> tensor<32x1x1xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<32x2x1xi32>) -> tensor<32x1xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   tt.return %1 : tensor<32x1x1xi32>
#> }
#> tt.func private @_exclusive_or__i32_i32(%arg0: i32, %arg1: i32) -> i32 attributes {noinline = false} {
#>   %0 = arith.xori %arg0, %arg1 : i32
#>   tt.return %0 : i32
#> }
#> tt.func private @_merge_stage__fp32S64_c2_cTrue_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c2_c2_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_compare_and_swap__fp32S64_c1_c2_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %1 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c2_c2_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c2(%arg0) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<2> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xf32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c2(%arg0: tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<16x2x2xf32>
#>   %1 = tt.bitcast %0 : tensor<16x2x2xf32> -> tensor<16x2x2xi32>
#>   %2 = tt.call @xor_sum__i32S16S2S2_c1_cTrue(%1) : (tensor<16x2x2xi32>) -> tensor<16x1x2xi32>
#>   %3 = tt.broadcast %2 : tensor<16x1x2xi32> -> tensor<16x2x2xi32>
#>   %4 = arith.xori %1, %3 : tensor<16x2x2xi32>
#>   %5 = tt.bitcast %4 : tensor<16x2x2xi32> -> tensor<16x2x2xf32>
#>   tt.return %0, %5 : tensor<16x2x2xf32>, tensor<16x2x2xf32>
#> }
#> tt.func private @xor_sum__i32S16S2S2_c1_cTrue(%arg0: tensor<16x2x2xi32>) -> tensor<16x1x2xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<16x2x2xi32>) -> tensor<16x2xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<16x2xi32> -> tensor<16x1x2xi32>
#>   tt.return %1 : tensor<16x1x2xi32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_c2_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %22 : tensor<64xf32>
#> }
#> tt.func private @_merge_stage__fp32S64_c3_cTrue_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c4_c3_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_compare_and_swap__fp32S64_c2_c3_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = tt.call @_compare_and_swap__fp32S64_c1_c3_cFalse(%1) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %2 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c4_c3_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c4(%arg0) : (tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %16 = tt.broadcast %14 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<8x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %20 = tt.broadcast %18 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<8x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<8x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<8x2x4xi1>, tensor<8x2x4xf32>
#>   %24 = tt.reshape %23 : tensor<8x2x4xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c4(%arg0: tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<8x2x4xf32>
#>   %1 = tt.bitcast %0 : tensor<8x2x4xf32> -> tensor<8x2x4xi32>
#>   %2 = tt.call @xor_sum__i32S8S2S4_c1_cTrue(%1) : (tensor<8x2x4xi32>) -> tensor<8x1x4xi32>
#>   %3 = tt.broadcast %2 : tensor<8x1x4xi32> -> tensor<8x2x4xi32>
#>   %4 = arith.xori %1, %3 : tensor<8x2x4xi32>
#>   %5 = tt.bitcast %4 : tensor<8x2x4xi32> -> tensor<8x2x4xf32>
#>   tt.return %0, %5 : tensor<8x2x4xf32>, tensor<8x2x4xf32>
#> }
#> tt.func private @xor_sum__i32S8S2S4_c1_cTrue(%arg0: tensor<8x2x4xi32>) -> tensor<8x1x4xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<8x2x4xi32>) -> tensor<8x4xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x4xi32> -> tensor<8x1x4xi32>
#>   tt.return %1 : tensor<8x1x4xi32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c2_c3_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c2(%arg0) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xf32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_c3_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %22 : tensor<64xf32>
#> }
#> tt.func private @_merge_stage__fp32S64_c4_cTrue_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c8_c4_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_compare_and_swap__fp32S64_c4_c4_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = tt.call @_compare_and_swap__fp32S64_c2_c4_cFalse(%1) : (tensor<64xf32>) -> tensor<64xf32>
#>   %3 = tt.call @_compare_and_swap__fp32S64_c1_c4_cFalse(%2) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %3 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c8_c4_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c8(%arg0) : (tensor<64xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
#>   %cst_0 = arith.constant dense<16> : tensor<4x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<4x1x1xi32>
#>   %cst_1 = arith.constant dense<4> : tensor<4x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<4x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<4x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<4x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<4x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<4x1x1xi1> -> tensor<4x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<4x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %16 = tt.broadcast %14 : tensor<4x2x1xi1> -> tensor<4x2x8xi1>
#>   %17 = arith.andi %16, %15 : tensor<4x2x8xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<4x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<4x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %20 = tt.broadcast %18 : tensor<4x2x1xi1> -> tensor<4x2x8xi1>
#>   %21 = arith.andi %20, %19 : tensor<4x2x8xi1>
#>   %22 = arith.ori %17, %21 : tensor<4x2x8xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<4x2x8xi1>, tensor<4x2x8xf32>
#>   %24 = tt.reshape %23 : tensor<4x2x8xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c8(%arg0: tensor<64xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<4x2x8xf32>
#>   %1 = tt.bitcast %0 : tensor<4x2x8xf32> -> tensor<4x2x8xi32>
#>   %2 = tt.call @xor_sum__i32S4S2S8_c1_cTrue(%1) : (tensor<4x2x8xi32>) -> tensor<4x1x8xi32>
#>   %3 = tt.broadcast %2 : tensor<4x1x8xi32> -> tensor<4x2x8xi32>
#>   %4 = arith.xori %1, %3 : tensor<4x2x8xi32>
#>   %5 = tt.bitcast %4 : tensor<4x2x8xi32> -> tensor<4x2x8xf32>
#>   tt.return %0, %5 : tensor<4x2x8xf32>, tensor<4x2x8xf32>
#> }
#> tt.func private @xor_sum__i32S4S2S8_c1_cTrue(%arg0: tensor<4x2x8xi32>) -> tensor<4x1x8xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<4x2x8xi32>) -> tensor<4x8xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4x8xi32> -> tensor<4x1x8xi32>
#>   tt.return %1 : tensor<4x1x8xi32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c4_c4_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c4(%arg0) : (tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<4> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %16 = tt.broadcast %14 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<8x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %20 = tt.broadcast %18 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<8x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<8x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<8x2x4xi1>, tensor<8x2x4xf32>
#>   %24 = tt.reshape %23 : tensor<8x2x4xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c2_c4_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c2(%arg0) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xf32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_c4_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<4> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %22 : tensor<64xf32>
#> }
#> tt.func private @_merge_stage__fp32S64_c5_cTrue_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c16_c5_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_compare_and_swap__fp32S64_c8_c5_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = tt.call @_compare_and_swap__fp32S64_c4_c5_cFalse(%1) : (tensor<64xf32>) -> tensor<64xf32>
#>   %3 = tt.call @_compare_and_swap__fp32S64_c2_c5_cFalse(%2) : (tensor<64xf32>) -> tensor<64xf32>
#>   %4 = tt.call @_compare_and_swap__fp32S64_c1_c5_cFalse(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %4 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c16_c5_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c16(%arg0) : (tensor<64xf32>) -> (tensor<2x2x16xf32>, tensor<2x2x16xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<2x1xi32> -> tensor<2x1x1xi32>
#>   %cst_0 = arith.constant dense<32> : tensor<2x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<2x1x1xi32>
#>   %cst_1 = arith.constant dense<5> : tensor<2x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<2x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<2x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<2x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<2x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<2x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<2x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<2x1x1xi1> -> tensor<2x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<2x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<2x2x16xf32>
#>   %16 = tt.broadcast %14 : tensor<2x2x1xi1> -> tensor<2x2x16xi1>
#>   %17 = arith.andi %16, %15 : tensor<2x2x16xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<2x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<2x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<2x2x16xf32>
#>   %20 = tt.broadcast %18 : tensor<2x2x1xi1> -> tensor<2x2x16xi1>
#>   %21 = arith.andi %20, %19 : tensor<2x2x16xi1>
#>   %22 = arith.ori %17, %21 : tensor<2x2x16xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<2x2x16xi1>, tensor<2x2x16xf32>
#>   %24 = tt.reshape %23 : tensor<2x2x16xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c16(%arg0: tensor<64xf32>) -> (tensor<2x2x16xf32>, tensor<2x2x16xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<2x2x16xf32>
#>   %1 = tt.bitcast %0 : tensor<2x2x16xf32> -> tensor<2x2x16xi32>
#>   %2 = tt.call @xor_sum__i32S2S2S16_c1_cTrue(%1) : (tensor<2x2x16xi32>) -> tensor<2x1x16xi32>
#>   %3 = tt.broadcast %2 : tensor<2x1x16xi32> -> tensor<2x2x16xi32>
#>   %4 = arith.xori %1, %3 : tensor<2x2x16xi32>
#>   %5 = tt.bitcast %4 : tensor<2x2x16xi32> -> tensor<2x2x16xf32>
#>   tt.return %0, %5 : tensor<2x2x16xf32>, tensor<2x2x16xf32>
#> }
#> tt.func private @xor_sum__i32S2S2S16_c1_cTrue(%arg0: tensor<2x2x16xi32>) -> tensor<2x1x16xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<2x2x16xi32>) -> tensor<2x16xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<2x16xi32> -> tensor<2x1x16xi32>
#>   tt.return %1 : tensor<2x1x16xi32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c8_c5_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c8(%arg0) : (tensor<64xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
#>   %cst_0 = arith.constant dense<16> : tensor<4x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<4x1x1xi32>
#>   %cst_1 = arith.constant dense<5> : tensor<4x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<4x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<4x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<4x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<4x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<4x1x1xi1> -> tensor<4x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<4x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %16 = tt.broadcast %14 : tensor<4x2x1xi1> -> tensor<4x2x8xi1>
#>   %17 = arith.andi %16, %15 : tensor<4x2x8xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<4x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<4x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %20 = tt.broadcast %18 : tensor<4x2x1xi1> -> tensor<4x2x8xi1>
#>   %21 = arith.andi %20, %19 : tensor<4x2x8xi1>
#>   %22 = arith.ori %17, %21 : tensor<4x2x8xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<4x2x8xi1>, tensor<4x2x8xf32>
#>   %24 = tt.reshape %23 : tensor<4x2x8xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c4_c5_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c4(%arg0) : (tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<5> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %16 = tt.broadcast %14 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<8x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %20 = tt.broadcast %18 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<8x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<8x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<8x2x4xi1>, tensor<8x2x4xf32>
#>   %24 = tt.reshape %23 : tensor<8x2x4xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c2_c5_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c2(%arg0) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<5> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpf ogt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xf32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   tt.return %24 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_c5_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<5> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<0> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %22 : tensor<64xf32>
#> }
#> tt.func private @_merge_stage__fp32S64_c6_cFalse_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__fp32S64_c32_cNone_cFalse(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.call @_compare_and_swap__fp32S64_c16_cNone_cFalse(%0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %2 = tt.call @_compare_and_swap__fp32S64_c8_cNone_cFalse(%1) : (tensor<64xf32>) -> tensor<64xf32>
#>   %3 = tt.call @_compare_and_swap__fp32S64_c4_cNone_cFalse(%2) : (tensor<64xf32>) -> tensor<64xf32>
#>   %4 = tt.call @_compare_and_swap__fp32S64_c2_cNone_cFalse(%3) : (tensor<64xf32>) -> tensor<64xf32>
#>   %5 = tt.call @_compare_and_swap__fp32S64_c1_cNone_cFalse(%4) : (tensor<64xf32>) -> tensor<64xf32>
#>   tt.return %5 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c32_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c32(%arg0) : (tensor<64xf32>) -> (tensor<1x2x32xf32>, tensor<1x2x32xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<1x2x32xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<1x2x32xi1>
#>   %8 = arith.andi %7, %6 : tensor<1x2x32xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<1x2x32xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<1x2x32xi1>
#>   %12 = arith.andi %11, %10 : tensor<1x2x32xi1>
#>   %13 = arith.ori %8, %12 : tensor<1x2x32xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<1x2x32xi1>, tensor<1x2x32xf32>
#>   %15 = tt.reshape %14 : tensor<1x2x32xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @_swap_neighbours__fp32S64_c32(%arg0: tensor<64xf32>) -> (tensor<1x2x32xf32>, tensor<1x2x32xf32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xf32> -> tensor<1x2x32xf32>
#>   %1 = tt.bitcast %0 : tensor<1x2x32xf32> -> tensor<1x2x32xi32>
#>   %2 = tt.call @xor_sum__i32S1S2S32_c1_cTrue(%1) : (tensor<1x2x32xi32>) -> tensor<1x1x32xi32>
#>   %3 = tt.broadcast %2 : tensor<1x1x32xi32> -> tensor<1x2x32xi32>
#>   %4 = arith.xori %1, %3 : tensor<1x2x32xi32>
#>   %5 = tt.bitcast %4 : tensor<1x2x32xi32> -> tensor<1x2x32xf32>
#>   tt.return %0, %5 : tensor<1x2x32xf32>, tensor<1x2x32xf32>
#> }
#> tt.func private @xor_sum__i32S1S2S32_c1_cTrue(%arg0: tensor<1x2x32xi32>) -> tensor<1x1x32xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<1x2x32xi32>) -> tensor<1x32xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<1x32xi32> -> tensor<1x1x32xi32>
#>   tt.return %1 : tensor<1x1x32xi32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c16_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c16(%arg0) : (tensor<64xf32>) -> (tensor<2x2x16xf32>, tensor<2x2x16xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<2x2x16xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<2x2x16xi1>
#>   %8 = arith.andi %7, %6 : tensor<2x2x16xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<2x2x16xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<2x2x16xi1>
#>   %12 = arith.andi %11, %10 : tensor<2x2x16xi1>
#>   %13 = arith.ori %8, %12 : tensor<2x2x16xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<2x2x16xi1>, tensor<2x2x16xf32>
#>   %15 = tt.reshape %14 : tensor<2x2x16xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c8_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c8(%arg0) : (tensor<64xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<4x2x8xi1>
#>   %8 = arith.andi %7, %6 : tensor<4x2x8xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<4x2x8xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<4x2x8xi1>
#>   %12 = arith.andi %11, %10 : tensor<4x2x8xi1>
#>   %13 = arith.ori %8, %12 : tensor<4x2x8xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<4x2x8xi1>, tensor<4x2x8xf32>
#>   %15 = tt.reshape %14 : tensor<4x2x8xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c4_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c4(%arg0) : (tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<8x2x4xi1>
#>   %8 = arith.andi %7, %6 : tensor<8x2x4xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<8x2x4xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<8x2x4xi1>
#>   %12 = arith.andi %11, %10 : tensor<8x2x4xi1>
#>   %13 = arith.ori %8, %12 : tensor<8x2x4xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<8x2x4xi1>, tensor<8x2x4xf32>
#>   %15 = tt.reshape %14 : tensor<8x2x4xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c2_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c2(%arg0) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<16x2x2xi1>
#>   %8 = arith.andi %7, %6 : tensor<16x2x2xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<16x2x2xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<16x2x2xi1>
#>   %12 = arith.andi %11, %10 : tensor<16x2x2xi1>
#>   %13 = arith.ori %8, %12 : tensor<16x2x2xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xf32>
#>   %15 = tt.reshape %14 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @_compare_and_swap__fp32S64_c1_cNone_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<false> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpf olt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %8 = arith.andi %7, %6 : tensor<32x2x1xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpf ogt, %0#0, %0#1 : tensor<32x2x1xf32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %12 = arith.andi %11, %10 : tensor<32x2x1xi1>
#>   %13 = arith.ori %8, %12 : tensor<32x2x1xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xf32>
#>   %15 = tt.reshape %14 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   tt.return %15 : tensor<64xf32>
#> }
#> tt.func private @flip__fp32S64_c0(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   tt.call @_product__T() : () -> ()
#>   %0:2 = tt.call @_swap_neighbours__fp32S64_c1(%arg0) : (tensor<64xf32>) -> (tensor<32x2x1xf32>, tensor<32x2x1xf32>)
#>   %1 = tt.reshape %0#1 : tensor<32x2x1xf32> -> tensor<64xf32>
#>   %2:2 = tt.call @_swap_neighbours__fp32S64_c2(%1) : (tensor<64xf32>) -> (tensor<16x2x2xf32>, tensor<16x2x2xf32>)
#>   %3 = tt.reshape %2#1 : tensor<16x2x2xf32> -> tensor<64xf32>
#>   %4:2 = tt.call @_swap_neighbours__fp32S64_c4(%3) : (tensor<64xf32>) -> (tensor<8x2x4xf32>, tensor<8x2x4xf32>)
#>   %5 = tt.reshape %4#1 : tensor<8x2x4xf32> -> tensor<64xf32>
#>   %6:2 = tt.call @_swap_neighbours__fp32S64_c8(%5) : (tensor<64xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>)
#>   %7 = tt.reshape %6#1 : tensor<4x2x8xf32> -> tensor<64xf32>
#>   %8:2 = tt.call @_swap_neighbours__fp32S64_c16(%7) : (tensor<64xf32>) -> (tensor<2x2x16xf32>, tensor<2x2x16xf32>)
#>   %9 = tt.reshape %8#1 : tensor<2x2x16xf32> -> tensor<64xf32>
#>   %10:2 = tt.call @_swap_neighbours__fp32S64_c32(%9) : (tensor<64xf32>) -> (tensor<1x2x32xf32>, tensor<1x2x32xf32>)
#>   %11 = tt.reshape %10#1 : tensor<1x2x32xf32> -> tensor<64xf32>
#>   tt.return %11 : tensor<64xf32>
#> }
#> tt.func private @_product__T() attributes {noinline = false} {
#>   tt.return
#> }
#> tt.func private @max__fp32S64_c0_cTrue_cTrue_cFalse(%arg0: tensor<64xf32>) -> (f32, i32) attributes {noinline = false} {
#>   %0 = tt.call @_widen_bfloat16__fp32S64(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
#>   %2:2 = "tt.reduce"(%0, %1) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: i32, %arg3: f32, %arg4: i32):
#>     %3:2 = tt.call @_first_maximum__fp32_i32_fp32_i32(%arg1, %arg2, %arg3, %arg4) : (f32, i32, f32, i32) -> (f32, i32)
#>     tt.reduce.return %3#0, %3#1 : f32, i32
#>   }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
#>   tt.return %2#0, %2#1 : f32, i32
#> }
#> tt.func private @_first_maximum__fp32_i32_fp32_i32(%arg0: f32, %arg1: i32, %arg2: f32, %arg3: i32) -> (f32, i32) attributes {noinline = false} {
#>   %0 = arith.cmpf ogt, %arg0, %arg2 : f32
#>   %1 = arith.cmpf oeq, %arg0, %arg2 : f32
#>   %2 = arith.cmpi slt, %arg1, %arg3 : i32
#>   %3 = arith.andi %1, %2 : i1
#>   %4 = arith.ori %0, %3 : i1
#>   %5 = arith.select %4, %arg0, %arg2 : f32
#>   %6 = arith.select %4, %arg1, %arg3 : i32
#>   tt.return %5, %6 : f32, i32
#> }
#> tt.func private @topk__i32S64_c8_cNone_cTrue(%arg0: tensor<64xi32>) -> tensor<8xi32> attributes {noinline = false} {
#>   %0 = tt.call @_merge_stage__i32S64_c1_cTrue_cTrue(%arg0) : (tensor<64xi32>) -> tensor<64xi32>
#>   %1 = tt.call @_merge_stage__i32S64_c2_cTrue_cTrue(%0) : (tensor<64xi32>) -> tensor<64xi32>
#>   %2 = tt.call @_merge_stage__i32S64_c3_cTrue_cTrue(%1) : (tensor<64xi32>) -> tensor<64xi32>
#>   %3 = tt.reshape %2 : tensor<64xi32> -> tensor<4x2x8xi32>
#>   %4 = "tt.reduce"(%3) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %15 = tt.call @_maximum__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %15 : i32
#>   }) : (tensor<4x2x8xi32>) -> tensor<4x8xi32>
#>   %5 = tt.reshape %4 : tensor<4x8xi32> -> tensor<32xi32>
#>   %6 = tt.call @_merge_stage__i32S32_c3_cTrue_cTrue(%5) : (tensor<32xi32>) -> tensor<32xi32>
#>   %7 = tt.reshape %6 : tensor<32xi32> -> tensor<2x2x8xi32>
#>   %8 = "tt.reduce"(%7) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %15 = tt.call @_maximum__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %15 : i32
#>   }) : (tensor<2x2x8xi32>) -> tensor<2x8xi32>
#>   %9 = tt.reshape %8 : tensor<2x8xi32> -> tensor<16xi32>
#>   %10 = tt.call @_merge_stage__i32S16_c3_cTrue_cTrue(%9) : (tensor<16xi32>) -> tensor<16xi32>
#>   %11 = tt.reshape %10 : tensor<16xi32> -> tensor<1x2x8xi32>
#>   %12 = "tt.reduce"(%11) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %15 = tt.call @_maximum__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %15 : i32
#>   }) : (tensor<1x2x8xi32>) -> tensor<1x8xi32>
#>   %13 = tt.reshape %12 : tensor<1x8xi32> -> tensor<8xi32>
#>   %14 = tt.call @_merge_stage__i32S8_c3_cFalse_cTrue(%13) : (tensor<8xi32>) -> tensor<8xi32>
#>   tt.return %14 : tensor<8xi32>
#> }
#> tt.func private @_merge_stage__i32S64_c1_cTrue_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S64_c1_c1_cTrue(%arg0) : (tensor<64xi32>) -> tensor<64xi32>
#>   tt.return %0 : tensor<64xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c1_c1_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c1(%arg0) : (tensor<64xi32>) -> (tensor<32x2x1xi32>, tensor<32x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpi sgt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xi32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xi32> -> tensor<64xi32>
#>   tt.return %22 : tensor<64xi32>
#> }
#> tt.func private @_swap_neighbours__i32S64_c1(%arg0: tensor<64xi32>) -> (tensor<32x2x1xi32>, tensor<32x2x1xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xi32> -> tensor<32x2x1xi32>
#>   %1 = tt.call @xor_sum__i32S32S2S1_c1_cTrue(%0) : (tensor<32x2x1xi32>) -> tensor<32x1x1xi32>
#>   %2 = tt.broadcast %1 : tensor<32x1x1xi32> -> tensor<32x2x1xi32>
#>   %3 = arith.xori %0, %2 : tensor<32x2x1xi32>
#>   tt.return %0, %3 : tensor<32x2x1xi32>, tensor<32x2x1xi32>
#> }
#> tt.func private @_merge_stage__i32S64_c2_cTrue_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S64_c2_c2_cTrue(%arg0) : (tensor<64xi32>) -> tensor<64xi32>
#>   %1 = tt.call @_compare_and_swap__i32S64_c1_c2_cTrue(%0) : (tensor<64xi32>) -> tensor<64xi32>
#>   tt.return %1 : tensor<64xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c2_c2_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c2(%arg0) : (tensor<64xi32>) -> (tensor<16x2x2xi32>, tensor<16x2x2xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<2> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<16x2x2xi32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<16x2x2xi32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xi32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xi32> -> tensor<64xi32>
#>   tt.return %24 : tensor<64xi32>
#> }
#> tt.func private @_swap_neighbours__i32S64_c2(%arg0: tensor<64xi32>) -> (tensor<16x2x2xi32>, tensor<16x2x2xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xi32> -> tensor<16x2x2xi32>
#>   %1 = tt.call @xor_sum__i32S16S2S2_c1_cTrue(%0) : (tensor<16x2x2xi32>) -> tensor<16x1x2xi32>
#>   %2 = tt.broadcast %1 : tensor<16x1x2xi32> -> tensor<16x2x2xi32>
#>   %3 = arith.xori %0, %2 : tensor<16x2x2xi32>
#>   tt.return %0, %3 : tensor<16x2x2xi32>, tensor<16x2x2xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c1_c2_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c1(%arg0) : (tensor<64xi32>) -> (tensor<32x2x1xi32>, tensor<32x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpi sgt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xi32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xi32> -> tensor<64xi32>
#>   tt.return %22 : tensor<64xi32>
#> }
#> tt.func private @_merge_stage__i32S64_c3_cTrue_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S64_c4_c3_cTrue(%arg0) : (tensor<64xi32>) -> tensor<64xi32>
#>   %1 = tt.call @_compare_and_swap__i32S64_c2_c3_cTrue(%0) : (tensor<64xi32>) -> tensor<64xi32>
#>   %2 = tt.call @_compare_and_swap__i32S64_c1_c3_cTrue(%1) : (tensor<64xi32>) -> tensor<64xi32>
#>   tt.return %2 : tensor<64xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c4_c3_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c4(%arg0) : (tensor<64xi32>) -> (tensor<8x2x4xi32>, tensor<8x2x4xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<8x2x4xi32>
#>   %16 = tt.broadcast %14 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<8x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<8x2x4xi32>
#>   %20 = tt.broadcast %18 : tensor<8x2x1xi1> -> tensor<8x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<8x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<8x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<8x2x4xi1>, tensor<8x2x4xi32>
#>   %24 = tt.reshape %23 : tensor<8x2x4xi32> -> tensor<64xi32>
#>   tt.return %24 : tensor<64xi32>
#> }
#> tt.func private @_swap_neighbours__i32S64_c4(%arg0: tensor<64xi32>) -> (tensor<8x2x4xi32>, tensor<8x2x4xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<64xi32> -> tensor<8x2x4xi32>
#>   %1 = tt.call @xor_sum__i32S8S2S4_c1_cTrue(%0) : (tensor<8x2x4xi32>) -> tensor<8x1x4xi32>
#>   %2 = tt.broadcast %1 : tensor<8x1x4xi32> -> tensor<8x2x4xi32>
#>   %3 = arith.xori %0, %2 : tensor<8x2x4xi32>
#>   tt.return %0, %3 : tensor<8x2x4xi32>, tensor<8x2x4xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c2_c3_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c2(%arg0) : (tensor<64xi32>) -> (tensor<16x2x2xi32>, tensor<16x2x2xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<16x2x2xi32>
#>   %16 = tt.broadcast %14 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<16x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<16x2x2xi32>
#>   %20 = tt.broadcast %18 : tensor<16x2x1xi1> -> tensor<16x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<16x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<16x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<16x2x2xi1>, tensor<16x2x2xi32>
#>   %24 = tt.reshape %23 : tensor<16x2x2xi32> -> tensor<64xi32>
#>   tt.return %24 : tensor<64xi32>
#> }
#> tt.func private @_compare_and_swap__i32S64_c1_c3_cTrue(%arg0: tensor<64xi32>) -> tensor<64xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S64_c1(%arg0) : (tensor<64xi32>) -> (tensor<32x2x1xi32>, tensor<32x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<32x1xi32> -> tensor<32x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<32x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<32x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<32x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<32x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<32x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<32x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<32x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<32x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<32x1x1xi1> -> tensor<32x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<32x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %16 = arith.andi %14, %15 : tensor<32x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<32x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<32x2x1xi1>
#>   %18 = arith.cmpi sgt, %0#0, %0#1 : tensor<32x2x1xi32>
#>   %19 = arith.andi %17, %18 : tensor<32x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<32x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<32x2x1xi1>, tensor<32x2x1xi32>
#>   %22 = tt.reshape %21 : tensor<32x2x1xi32> -> tensor<64xi32>
#>   tt.return %22 : tensor<64xi32>
#> }
#> tt.func private @_maximum__i32_i32(%arg0: i32, %arg1: i32) -> i32 attributes {noinline = false} {
#>   %0 = arith.maxsi %arg0, %arg1 : i32
#>   tt.return %0 : i32
#> }
#> tt.func private @_merge_stage__i32S32_c3_cTrue_cTrue(%arg0: tensor<32xi32>) -> tensor<32xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S32_c4_c3_cTrue(%arg0) : (tensor<32xi32>) -> tensor<32xi32>
#>   %1 = tt.call @_compare_and_swap__i32S32_c2_c3_cTrue(%0) : (tensor<32xi32>) -> tensor<32xi32>
#>   %2 = tt.call @_compare_and_swap__i32S32_c1_c3_cTrue(%1) : (tensor<32xi32>) -> tensor<32xi32>
#>   tt.return %2 : tensor<32xi32>
#> }
#> tt.func private @_compare_and_swap__i32S32_c4_c3_cTrue(%arg0: tensor<32xi32>) -> tensor<32xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S32_c4(%arg0) : (tensor<32xi32>) -> (tensor<4x2x4xi32>, tensor<4x2x4xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<4x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<4x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<4x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<4x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<4x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<4x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<4x1x1xi1> -> tensor<4x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<4x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<4x2x4xi32>
#>   %16 = tt.broadcast %14 : tensor<4x2x1xi1> -> tensor<4x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<4x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<4x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<4x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<4x2x4xi32>
#>   %20 = tt.broadcast %18 : tensor<4x2x1xi1> -> tensor<4x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<4x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<4x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<4x2x4xi1>, tensor<4x2x4xi32>
#>   %24 = tt.reshape %23 : tensor<4x2x4xi32> -> tensor<32xi32>
#>   tt.return %24 : tensor<32xi32>
#> }
#> tt.func private @_swap_neighbours__i32S32_c4(%arg0: tensor<32xi32>) -> (tensor<4x2x4xi32>, tensor<4x2x4xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<32xi32> -> tensor<4x2x4xi32>
#>   %1 = tt.call @xor_sum__i32S4S2S4_c1_cTrue(%0) : (tensor<4x2x4xi32>) -> tensor<4x1x4xi32>
#>   %2 = tt.broadcast %1 : tensor<4x1x4xi32> -> tensor<4x2x4xi32>
#>   %3 = arith.xori %0, %2 : tensor<4x2x4xi32>
#>   tt.return %0, %3 : tensor<4x2x4xi32>, tensor<4x2x4xi32>
#> }
#> tt.func private @xor_sum__i32S4S2S4_c1_cTrue(%arg0: tensor<4x2x4xi32>) -> tensor<4x1x4xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<4x2x4xi32>) -> tensor<4x4xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4x4xi32> -> tensor<4x1x4xi32>
#>   tt.return %1 : tensor<4x1x4xi32>
#> }
#> tt.func private @_compare_and_swap__i32S32_c2_c3_cTrue(%arg0: tensor<32xi32>) -> tensor<32xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S32_c2(%arg0) : (tensor<32xi32>) -> (tensor<8x2x2xi32>, tensor<8x2x2xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<8x2x2xi32>
#>   %16 = tt.broadcast %14 : tensor<8x2x1xi1> -> tensor<8x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<8x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<8x2x2xi32>
#>   %20 = tt.broadcast %18 : tensor<8x2x1xi1> -> tensor<8x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<8x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<8x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<8x2x2xi1>, tensor<8x2x2xi32>
#>   %24 = tt.reshape %23 : tensor<8x2x2xi32> -> tensor<32xi32>
#>   tt.return %24 : tensor<32xi32>
#> }
#> tt.func private @_swap_neighbours__i32S32_c2(%arg0: tensor<32xi32>) -> (tensor<8x2x2xi32>, tensor<8x2x2xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<32xi32> -> tensor<8x2x2xi32>
#>   %1 = tt.call @xor_sum__i32S8S2S2_c1_cTrue(%0) : (tensor<8x2x2xi32>) -> tensor<8x1x2xi32>
#>   %2 = tt.broadcast %1 : tensor<8x1x2xi32> -> tensor<8x2x2xi32>
#>   %3 = arith.xori %0, %2 : tensor<8x2x2xi32>
#>   tt.return %0, %3 : tensor<8x2x2xi32>, tensor<8x2x2xi32>
#> }
#> tt.func private @xor_sum__i32S8S2S2_c1_cTrue(%arg0: tensor<8x2x2xi32>) -> tensor<8x1x2xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<8x2x2xi32>) -> tensor<8x2xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x2xi32> -> tensor<8x1x2xi32>
#>   tt.return %1 : tensor<8x1x2xi32>
#> }
#> tt.func private @_compare_and_swap__i32S32_c1_c3_cTrue(%arg0: tensor<32xi32>) -> tensor<32xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S32_c1(%arg0) : (tensor<32xi32>) -> (tensor<16x2x1xi32>, tensor<16x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<16x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<16x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<16x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<16x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<16x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<16x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<16x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<16x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<16x1x1xi1> -> tensor<16x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<16x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<16x2x1xi32>
#>   %16 = arith.andi %14, %15 : tensor<16x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<16x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<16x2x1xi1>
#>   %18 = arith.cmpi sgt, %0#0, %0#1 : tensor<16x2x1xi32>
#>   %19 = arith.andi %17, %18 : tensor<16x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<16x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<16x2x1xi1>, tensor<16x2x1xi32>
#>   %22 = tt.reshape %21 : tensor<16x2x1xi32> -> tensor<32xi32>
#>   tt.return %22 : tensor<32xi32>
#> }
#> tt.func private @_swap_neighbours__i32S32_c1(%arg0: tensor<32xi32>) -> (tensor<16x2x1xi32>, tensor<16x2x1xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<32xi32> -> tensor<16x2x1xi32>
#>   %1 = tt.call @xor_sum__i32S16S2S1_c1_cTrue(%0) : (tensor<16x2x1xi32>) -> tensor<16x1x1xi32>
#>   %2 = tt.broadcast %1 : tensor<16x1x1xi32> -> tensor<16x2x1xi32>
#>   %3 = arith.xori %0, %2 : tensor<16x2x1xi32>
#>   tt.return %0, %3 : tensor<16x2x1xi32>, tensor<16x2x1xi32>
#> }
#> tt.func private @xor_sum__i32S16S2S1_c1_cTrue(%arg0: tensor<16x2x1xi32>) -> tensor<16x1x1xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<16x2x1xi32>) -> tensor<16x1xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<16x1xi32> -> tensor<16x1x1xi32>
#>   tt.return %1 : tensor<16x1x1xi32>
#> }
#> tt.func private @_merge_stage__i32S16_c3_cTrue_cTrue(%arg0: tensor<16xi32>) -> tensor<16xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S16_c4_c3_cTrue(%arg0) : (tensor<16xi32>) -> tensor<16xi32>
#>   %1 = tt.call @_compare_and_swap__i32S16_c2_c3_cTrue(%0) : (tensor<16xi32>) -> tensor<16xi32>
#>   %2 = tt.call @_compare_and_swap__i32S16_c1_c3_cTrue(%1) : (tensor<16xi32>) -> tensor<16xi32>
#>   tt.return %2 : tensor<16xi32>
#> }
#> tt.func private @_compare_and_swap__i32S16_c4_c3_cTrue(%arg0: tensor<16xi32>) -> tensor<16xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S16_c4(%arg0) : (tensor<16xi32>) -> (tensor<2x2x4xi32>, tensor<2x2x4xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<2x1xi32> -> tensor<2x1x1xi32>
#>   %cst_0 = arith.constant dense<8> : tensor<2x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<2x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<2x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<2x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<2x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<2x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<2x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<2x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<2x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<2x1x1xi1> -> tensor<2x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<2x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<2x2x4xi32>
#>   %16 = tt.broadcast %14 : tensor<2x2x1xi1> -> tensor<2x2x4xi1>
#>   %17 = arith.andi %16, %15 : tensor<2x2x4xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<2x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<2x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<2x2x4xi32>
#>   %20 = tt.broadcast %18 : tensor<2x2x1xi1> -> tensor<2x2x4xi1>
#>   %21 = arith.andi %20, %19 : tensor<2x2x4xi1>
#>   %22 = arith.ori %17, %21 : tensor<2x2x4xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<2x2x4xi1>, tensor<2x2x4xi32>
#>   %24 = tt.reshape %23 : tensor<2x2x4xi32> -> tensor<16xi32>
#>   tt.return %24 : tensor<16xi32>
#> }
#> tt.func private @_swap_neighbours__i32S16_c4(%arg0: tensor<16xi32>) -> (tensor<2x2x4xi32>, tensor<2x2x4xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<16xi32> -> tensor<2x2x4xi32>
#>   %1 = tt.call @xor_sum__i32S2S2S4_c1_cTrue(%0) : (tensor<2x2x4xi32>) -> tensor<2x1x4xi32>
#>   %2 = tt.broadcast %1 : tensor<2x1x4xi32> -> tensor<2x2x4xi32>
#>   %3 = arith.xori %0, %2 : tensor<2x2x4xi32>
#>   tt.return %0, %3 : tensor<2x2x4xi32>, tensor<2x2x4xi32>
#> }
#> tt.func private @xor_sum__i32S2S2S4_c1_cTrue(%arg0: tensor<2x2x4xi32>) -> tensor<2x1x4xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<2x2x4xi32>) -> tensor<2x4xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<2x4xi32> -> tensor<2x1x4xi32>
#>   tt.return %1 : tensor<2x1x4xi32>
#> }
#> tt.func private @_compare_and_swap__i32S16_c2_c3_cTrue(%arg0: tensor<16xi32>) -> tensor<16xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S16_c2(%arg0) : (tensor<16xi32>) -> (tensor<4x2x2xi32>, tensor<4x2x2xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
#>   %cst_0 = arith.constant dense<4> : tensor<4x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<4x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<4x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<4x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<4x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<4x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<4x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<4x1x1xi1> -> tensor<4x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<4x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<4x2x2xi32>
#>   %16 = tt.broadcast %14 : tensor<4x2x1xi1> -> tensor<4x2x2xi1>
#>   %17 = arith.andi %16, %15 : tensor<4x2x2xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<4x2x1xi1>
#>   %18 = arith.xori %14, %cst_4 : tensor<4x2x1xi1>
#>   %19 = arith.cmpi sgt, %0#0, %0#1 : tensor<4x2x2xi32>
#>   %20 = tt.broadcast %18 : tensor<4x2x1xi1> -> tensor<4x2x2xi1>
#>   %21 = arith.andi %20, %19 : tensor<4x2x2xi1>
#>   %22 = arith.ori %17, %21 : tensor<4x2x2xi1>
#>   %23 = arith.select %22, %0#1, %0#0 : tensor<4x2x2xi1>, tensor<4x2x2xi32>
#>   %24 = tt.reshape %23 : tensor<4x2x2xi32> -> tensor<16xi32>
#>   tt.return %24 : tensor<16xi32>
#> }
#> tt.func private @_swap_neighbours__i32S16_c2(%arg0: tensor<16xi32>) -> (tensor<4x2x2xi32>, tensor<4x2x2xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<16xi32> -> tensor<4x2x2xi32>
#>   %1 = tt.call @xor_sum__i32S4S2S2_c1_cTrue(%0) : (tensor<4x2x2xi32>) -> tensor<4x1x2xi32>
#>   %2 = tt.broadcast %1 : tensor<4x1x2xi32> -> tensor<4x2x2xi32>
#>   %3 = arith.xori %0, %2 : tensor<4x2x2xi32>
#>   tt.return %0, %3 : tensor<4x2x2xi32>, tensor<4x2x2xi32>
#> }
#> tt.func private @xor_sum__i32S4S2S2_c1_cTrue(%arg0: tensor<4x2x2xi32>) -> tensor<4x1x2xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<4x2x2xi32>) -> tensor<4x2xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4x2xi32> -> tensor<4x1x2xi32>
#>   tt.return %1 : tensor<4x1x2xi32>
#> }
#> tt.func private @_compare_and_swap__i32S16_c1_c3_cTrue(%arg0: tensor<16xi32>) -> tensor<16xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S16_c1(%arg0) : (tensor<16xi32>) -> (tensor<8x2x1xi32>, tensor<8x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %5 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
#>   %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
#>   %7 = tt.expand_dims %6 {axis = 2 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   %cst_0 = arith.constant dense<2> : tensor<8x1x1xi32>
#>   %8 = arith.muli %7, %cst_0 : tensor<8x1x1xi32>
#>   %cst_1 = arith.constant dense<3> : tensor<8x1x1xi32>
#>   %9 = arith.shrsi %8, %cst_1 : tensor<8x1x1xi32>
#>   %cst_2 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %10 = arith.andi %9, %cst_2 : tensor<8x1x1xi32>
#>   %cst_3 = arith.constant dense<1> : tensor<8x1x1xi32>
#>   %11 = arith.cmpi ne, %10, %cst_3 : tensor<8x1x1xi32>
#>   %12 = tt.broadcast %4 : tensor<1x2x1xi1> -> tensor<8x2x1xi1>
#>   %13 = tt.broadcast %11 : tensor<8x1x1xi1> -> tensor<8x2x1xi1>
#>   %14 = arith.xori %12, %13 : tensor<8x2x1xi1>
#>   %15 = arith.cmpi slt, %0#0, %0#1 : tensor<8x2x1xi32>
#>   %16 = arith.andi %14, %15 : tensor<8x2x1xi1>
#>   %cst_4 = arith.constant dense<true> : tensor<8x2x1xi1>
#>   %17 = arith.xori %14, %cst_4 : tensor<8x2x1xi1>
#>   %18 = arith.cmpi sgt, %0#0, %0#1 : tensor<8x2x1xi32>
#>   %19 = arith.andi %17, %18 : tensor<8x2x1xi1>
#>   %20 = arith.ori %16, %19 : tensor<8x2x1xi1>
#>   %21 = arith.select %20, %0#1, %0#0 : tensor<8x2x1xi1>, tensor<8x2x1xi32>
#>   %22 = tt.reshape %21 : tensor<8x2x1xi32> -> tensor<16xi32>
#>   tt.return %22 : tensor<16xi32>
#> }
#> tt.func private @_swap_neighbours__i32S16_c1(%arg0: tensor<16xi32>) -> (tensor<8x2x1xi32>, tensor<8x2x1xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<16xi32> -> tensor<8x2x1xi32>
#>   %1 = tt.call @xor_sum__i32S8S2S1_c1_cTrue(%0) : (tensor<8x2x1xi32>) -> tensor<8x1x1xi32>
#>   %2 = tt.broadcast %1 : tensor<8x1x1xi32> -> tensor<8x2x1xi32>
#>   %3 = arith.xori %0, %2 : tensor<8x2x1xi32>
#>   tt.return %0, %3 : tensor<8x2x1xi32>, tensor<8x2x1xi32>
#> }
#> tt.func private @xor_sum__i32S8S2S1_c1_cTrue(%arg0: tensor<8x2x1xi32>) -> tensor<8x1x1xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<8x2x1xi32>) -> tensor<8x1xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x1xi32> -> tensor<8x1x1xi32>
#>   tt.return %1 : tensor<8x1x1xi32>
#> }
#> tt.func private @_merge_stage__i32S8_c3_cFalse_cTrue(%arg0: tensor<8xi32>) -> tensor<8xi32> attributes {noinline = false} {
#>   %0 = tt.call @_compare_and_swap__i32S8_c4_cNone_cTrue(%arg0) : (tensor<8xi32>) -> tensor<8xi32>
#>   %1 = tt.call @_compare_and_swap__i32S8_c2_cNone_cTrue(%0) : (tensor<8xi32>) -> tensor<8xi32>
#>   %2 = tt.call @_compare_and_swap__i32S8_c1_cNone_cTrue(%1) : (tensor<8xi32>) -> tensor<8xi32>
#>   tt.return %2 : tensor<8xi32>
#> }
#> tt.func private @_compare_and_swap__i32S8_c4_cNone_cTrue(%arg0: tensor<8xi32>) -> tensor<8xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S8_c4(%arg0) : (tensor<8xi32>) -> (tensor<1x2x4xi32>, tensor<1x2x4xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpi slt, %0#0, %0#1 : tensor<1x2x4xi32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<1x2x4xi1>
#>   %8 = arith.andi %7, %6 : tensor<1x2x4xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpi sgt, %0#0, %0#1 : tensor<1x2x4xi32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<1x2x4xi1>
#>   %12 = arith.andi %11, %10 : tensor<1x2x4xi1>
#>   %13 = arith.ori %8, %12 : tensor<1x2x4xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<1x2x4xi1>, tensor<1x2x4xi32>
#>   %15 = tt.reshape %14 : tensor<1x2x4xi32> -> tensor<8xi32>
#>   tt.return %15 : tensor<8xi32>
#> }
#> tt.func private @_swap_neighbours__i32S8_c4(%arg0: tensor<8xi32>) -> (tensor<1x2x4xi32>, tensor<1x2x4xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<8xi32> -> tensor<1x2x4xi32>
#>   %1 = tt.call @xor_sum__i32S1S2S4_c1_cTrue(%0) : (tensor<1x2x4xi32>) -> tensor<1x1x4xi32>
#>   %2 = tt.broadcast %1 : tensor<1x1x4xi32> -> tensor<1x2x4xi32>
#>   %3 = arith.xori %0, %2 : tensor<1x2x4xi32>
#>   tt.return %0, %3 : tensor<1x2x4xi32>, tensor<1x2x4xi32>
#> }
#> tt.func private @xor_sum__i32S1S2S4_c1_cTrue(%arg0: tensor<1x2x4xi32>) -> tensor<1x1x4xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<1x2x4xi32>) -> tensor<1x4xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<1x4xi32> -> tensor<1x1x4xi32>
#>   tt.return %1 : tensor<1x1x4xi32>
#> }
#> tt.func private @_compare_and_swap__i32S8_c2_cNone_cTrue(%arg0: tensor<8xi32>) -> tensor<8xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S8_c2(%arg0) : (tensor<8xi32>) -> (tensor<2x2x2xi32>, tensor<2x2x2xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpi slt, %0#0, %0#1 : tensor<2x2x2xi32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<2x2x2xi1>
#>   %8 = arith.andi %7, %6 : tensor<2x2x2xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpi sgt, %0#0, %0#1 : tensor<2x2x2xi32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<2x2x2xi1>
#>   %12 = arith.andi %11, %10 : tensor<2x2x2xi1>
#>   %13 = arith.ori %8, %12 : tensor<2x2x2xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<2x2x2xi1>, tensor<2x2x2xi32>
#>   %15 = tt.reshape %14 : tensor<2x2x2xi32> -> tensor<8xi32>
#>   tt.return %15 : tensor<8xi32>
#> }
#> tt.func private @_swap_neighbours__i32S8_c2(%arg0: tensor<8xi32>) -> (tensor<2x2x2xi32>, tensor<2x2x2xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<8xi32> -> tensor<2x2x2xi32>
#>   %1 = tt.call @xor_sum__i32S2S2S2_c1_cTrue(%0) : (tensor<2x2x2xi32>) -> tensor<2x1x2xi32>
#>   %2 = tt.broadcast %1 : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
#>   %3 = arith.xori %0, %2 : tensor<2x2x2xi32>
#>   tt.return %0, %3 : tensor<2x2x2xi32>, tensor<2x2x2xi32>
#> }
#> tt.func private @xor_sum__i32S2S2S2_c1_cTrue(%arg0: tensor<2x2x2xi32>) -> tensor<2x1x2xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
#>   tt.return %1 : tensor<2x1x2xi32>
#> }
#> tt.func private @_compare_and_swap__i32S8_c1_cNone_cTrue(%arg0: tensor<8xi32>) -> tensor<8xi32> attributes {noinline = false} {
#>   %0:2 = tt.call @_swap_neighbours__i32S8_c1(%arg0) : (tensor<8xi32>) -> (tensor<4x2x1xi32>, tensor<4x2x1xi32>)
#>   %1 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
#>   %cst = arith.constant dense<1> : tensor<2xi32>
#>   %2 = arith.cmpi eq, %1, %cst : tensor<2xi32>
#>   %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<2xi1> -> tensor<1x2xi1>
#>   %4 = tt.expand_dims %3 {axis = 2 : i32} : tensor<1x2xi1> -> tensor<1x2x1xi1>
#>   %cst_0 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %5 = arith.cmpi ne, %4, %cst_0 : tensor<1x2x1xi1>
#>   %6 = arith.cmpi slt, %0#0, %0#1 : tensor<4x2x1xi32>
#>   %7 = tt.broadcast %5 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %8 = arith.andi %7, %6 : tensor<4x2x1xi1>
#>   %cst_1 = arith.constant dense<true> : tensor<1x2x1xi1>
#>   %9 = arith.xori %5, %cst_1 : tensor<1x2x1xi1>
#>   %10 = arith.cmpi sgt, %0#0, %0#1 : tensor<4x2x1xi32>
#>   %11 = tt.broadcast %9 : tensor<1x2x1xi1> -> tensor<4x2x1xi1>
#>   %12 = arith.andi %11, %10 : tensor<4x2x1xi1>
#>   %13 = arith.ori %8, %12 : tensor<4x2x1xi1>
#>   %14 = arith.select %13, %0#1, %0#0 : tensor<4x2x1xi1>, tensor<4x2x1xi32>
#>   %15 = tt.reshape %14 : tensor<4x2x1xi32> -> tensor<8xi32>
#>   tt.return %15 : tensor<8xi32>
#> }
#> tt.func private @_swap_neighbours__i32S8_c1(%arg0: tensor<8xi32>) -> (tensor<4x2x1xi32>, tensor<4x2x1xi32>) attributes {noinline = false} {
#>   %0 = tt.reshape %arg0 : tensor<8xi32> -> tensor<4x2x1xi32>
#>   %1 = tt.call @xor_sum__i32S4S2S1_c1_cTrue(%0) : (tensor<4x2x1xi32>) -> tensor<4x1x1xi32>
#>   %2 = tt.broadcast %1 : tensor<4x1x1xi32> -> tensor<4x2x1xi32>
#>   %3 = arith.xori %0, %2 : tensor<4x2x1xi32>
#>   tt.return %0, %3 : tensor<4x2x1xi32>, tensor<4x2x1xi32>
#> }
#> tt.func private @xor_sum__i32S4S2S1_c1_cTrue(%arg0: tensor<4x2x1xi32>) -> tensor<4x1x1xi32> attributes {noinline = false} {
#>   %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
#>   ^bb0(%arg1: i32, %arg2: i32):
#>     %2 = tt.call @_exclusive_or__i32_i32(%arg1, %arg2) : (i32, i32) -> i32
#>     tt.reduce.return %2 : i32
#>   }) : (tensor<4x2x1xi32>) -> tensor<4x1xi32>
#>   %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
#>   tt.return %1 : tensor<4x1x1xi32>
#> }
#> tt.func private @argmin__fp32S64_c0_cTrue_cFalse(%arg0: tensor<64xf32>) -> i32 attributes {noinline = false} {
#>   %0:2 = tt.call @min__fp32S64_c0_cTrue_cTrue_cFalse(%arg0) : (tensor<64xf32>) -> (f32, i32)
#>   tt.return %0#1 : i32
#> }
#> tt.func private @min__fp32S64_c0_cTrue_cTrue_cFalse(%arg0: tensor<64xf32>) -> (f32, i32) attributes {noinline = false} {
#>   %0 = tt.call @_widen_bfloat16__fp32S64(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
#>   %2:2 = "tt.reduce"(%0, %1) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: i32, %arg3: f32, %arg4: i32):
#>     %3:2 = tt.call @_first_minimum__fp32_i32_fp32_i32(%arg1, %arg2, %arg3, %arg4) : (f32, i32, f32, i32) -> (f32, i32)
#>     tt.reduce.return %3#0, %3#1 : f32, i32
#>   }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
#>   tt.return %2#0, %2#1 : f32, i32
#> }
#> tt.func private @_first_minimum__fp32_i32_fp32_i32(%arg0: f32, %arg1: i32, %arg2: f32, %arg3: i32) -> (f32, i32) attributes {noinline = false} {
#>   %0 = arith.cmpf olt, %arg0, %arg2 : f32
#>   %1 = arith.cmpf oeq, %arg0, %arg2 : f32
#>   %2 = arith.cmpi slt, %arg1, %arg3 : i32
#>   %3 = arith.andi %1, %2 : i1
#>   %4 = arith.ori %0, %3 : i1
#>   %5 = arith.select %4, %arg0, %arg2 : f32
#>   %6 = arith.select %4, %arg1, %arg3 : i32
#>   tt.return %5, %6 : f32, i32
#> }
#> tt.func private @softmax__fp32S64_cNone_cFalse_cFalse(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = tt.call @max__fp32S64_c0_cFalse_cTrue_cFalse(%arg0) : (tensor<64xf32>) -> f32
#>   %1 = tt.splat %0 : f32 -> tensor<64xf32>
#>   %2 = arith.subf %arg0, %1 : tensor<64xf32>
#>   %3 = math.exp %2 : tensor<64xf32>
#>   %4 = tt.call @sum__fp32S64_c0_cFalse_cNone(%3) : (tensor<64xf32>) -> f32
#>   %5 = tt.splat %4 : f32 -> tensor<64xf32>
#>   %6 = arith.divf %3, %5 : tensor<64xf32>
#>   tt.return %6 : tensor<64xf32>
#> }
#> tt.func private @max__fp32S64_c0_cFalse_cTrue_cFalse(%arg0: tensor<64xf32>) -> f32 attributes {noinline = false} {
#>   %0 = tt.call @_widen_to_32_bits__fp32S64(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: f32):
#>     %2 = tt.call @_maximum__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
#>     tt.reduce.return %2 : f32
#>   }) : (tensor<64xf32>) -> f32
#>   tt.return %1 : f32
#> }
#> tt.func private @_widen_to_32_bits__fp32S64(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   tt.return %arg0 : tensor<64xf32>
#> }
#> tt.func private @_maximum__fp32_fp32(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = false} {
#>   %0 = arith.maxnumf %arg0, %arg1 : f32
#>   tt.return %0 : f32
#> }
#> tt.func private @sum__fp32S64_c0_cFalse_cNone(%arg0: tensor<64xf32>) -> f32 attributes {noinline = false} {
#>   %0 = tt.call @_accumulate_in__fp32S64_cNone(%arg0) : (tensor<64xf32>) -> tensor<64xf32>
#>   %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
#>   ^bb0(%arg1: f32, %arg2: f32):
#>     %2 = tt.call @_add__fp32_fp32(%arg1, %arg2) : (f32, f32) -> f32
#>     tt.reduce.return %2 : f32
#>   }) : (tensor<64xf32>) -> f32
#>   tt.return %1 : f32
#> }
#> tt.func private @sigmoid__fp32S64(%arg0: tensor<64xf32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %0 = arith.negf %arg0 : tensor<64xf32>
#>   %1 = math.exp %0 : tensor<64xf32>
#>   %cst = arith.constant dense<1.000000e+00> : tensor<64xf32>
#>   %2 = arith.addf %cst, %1 : tensor<64xf32>
#>   %cst_0 = arith.constant dense<1.000000e+00> : tensor<64xf32>
#>   %3 = arith.divf %cst_0, %2 : tensor<64xf32>
#>   tt.return %3 : tensor<64xf32>
#> }
#> tt.func private @randn4x__c42_i32S64_c10(%arg0: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) attributes {noinline = false} {
#>   %0:4 = tt.call @rand4x__c42_i32S64_c10(%arg0) : (tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
#>   %1:2 = tt.call @pair_uniform_to_normal__fp32S64_fp32S64(%0#0, %0#1) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
#>   %2:2 = tt.call @pair_uniform_to_normal__fp32S64_fp32S64(%0#2, %0#3) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
#>   tt.return %1#0, %1#1, %2#0, %2#1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
#> }
#> tt.func private @rand4x__c42_i32S64_c10(%arg0: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) attributes {noinline = false} {
#>   %0:4 = tt.call @randint4x__c42_i32S64_c10(%arg0) : (tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
#>   %1 = tt.call @uint_to_uniform_float__u32S64(%0#0) : (tensor<64xi32>) -> tensor<64xf32>
#>   %2 = tt.call @uint_to_uniform_float__u32S64(%0#1) : (tensor<64xi32>) -> tensor<64xf32>
#>   %3 = tt.call @uint_to_uniform_float__u32S64(%0#2) : (tensor<64xi32>) -> tensor<64xf32>
#>   %4 = tt.call @uint_to_uniform_float__u32S64(%0#3) : (tensor<64xi32>) -> tensor<64xf32>
#>   tt.return %1, %2, %3, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
#> }
#> tt.func private @randint4x__c42_i32S64_c10(%arg0: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) attributes {noinline = false} {
#>   %cst = arith.constant dense<0> : tensor<64xi32>
#>   %0 = arith.muli %arg0, %cst : tensor<64xi32>
#>   %1:4 = tt.call @philox__c42_u32S64_u32S64_u32S64_u32S64_c10(%arg0, %0, %0, %0) : (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
#>   tt.return %1#0, %1#1, %1#2, %1#3 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
#> }
#> tt.func private @philox__c42_u32S64_u32S64_u32S64_u32S64_c10(%arg0: tensor<64xi32>, %arg1: tensor<64xi32>, %arg2: tensor<64xi32>, %arg3: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) attributes {noinline = false} {
#>   %c42_i32 = arith.constant 42 : i32
#>   %0 = arith.extsi %c42_i32 : i32 to i64
#>   %c4294967295_i64 = arith.constant 4294967295 : i64
#>   %1 = arith.andi %0, %c4294967295_i64 : i64
#>   %2 = arith.trunci %1 : i64 to i32
#>   %c32_i64 = arith.constant 32 : i64
#>   %3 = arith.shrui %0, %c32_i64 : i64
#>   %4 = arith.trunci %3 : i64 to i32
#>   %5:4 = tt.call @philox_impl__u32S64_u32S64_u32S64_u32S64_u32_u32_c10(%arg0, %arg1, %arg2, %arg3, %2, %4) : (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, i32, i32) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
#>   tt.return %5#0, %5#1, %5#2, %5#3 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
#> }
#> tt.func private @philox_impl__u32S64_u32S64_u32S64_u32S64_u32_u32_c10(%arg0: tensor<64xi32>, %arg1: tensor<64xi32>, %arg2: tensor<64xi32>, %arg3: tensor<64xi32>, %arg4: i32, %arg5: i32) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) attributes {noinline = false} {
#>   %cst = arith.constant dense<-766435501> : tensor<64xi32>
#>   %0 = tt.mulhiui %cst, %arg0 : tensor<64xi32>
#>   %cst_0 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %1 = tt.mulhiui %cst_0, %arg2 : tensor<64xi32>
#>   %cst_1 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %2 = arith.muli %arg0, %cst_1 : tensor<64xi32>
#>   %cst_2 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %3 = arith.muli %arg2, %cst_2 : tensor<64xi32>
#>   %4 = arith.xori %1, %arg1 : tensor<64xi32>
#>   %5 = tt.splat %arg4 : i32 -> tensor<64xi32>
#>   %6 = arith.xori %4, %5 : tensor<64xi32>
#>   %7 = arith.xori %0, %arg3 : tensor<64xi32>
#>   %8 = tt.splat %arg5 : i32 -> tensor<64xi32>
#>   %9 = arith.xori %7, %8 : tensor<64xi32>
#>   %c-1640531527_i32 = arith.constant -1640531527 : i32
#>   %10 = arith.addi %arg4, %c-1640531527_i32 : i32
#>   %c-1150833019_i32 = arith.constant -1150833019 : i32
#>   %11 = arith.addi %arg5, %c-1150833019_i32 : i32
#>   %cst_3 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %12 = tt.mulhiui %cst_3, %6 : tensor<64xi32>
#>   %cst_4 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %13 = tt.mulhiui %cst_4, %9 : tensor<64xi32>
#>   %cst_5 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %14 = arith.muli %6, %cst_5 : tensor<64xi32>
#>   %cst_6 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %15 = arith.muli %9, %cst_6 : tensor<64xi32>
#>   %16 = arith.xori %13, %3 : tensor<64xi32>
#>   %17 = tt.splat %10 : i32 -> tensor<64xi32>
#>   %18 = arith.xori %16, %17 : tensor<64xi32>
#>   %19 = arith.xori %12, %2 : tensor<64xi32>
#>   %20 = tt.splat %11 : i32 -> tensor<64xi32>
#>   %21 = arith.xori %19, %20 : tensor<64xi32>
#>   %c-1640531527_i32_7 = arith.constant -1640531527 : i32
#>   %22 = arith.addi %10, %c-1640531527_i32_7 : i32
#>   %c-1150833019_i32_8 = arith.constant -1150833019 : i32
#>   %23 = arith.addi %11, %c-1150833019_i32_8 : i32
#>   %cst_9 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %24 = tt.mulhiui %cst_9, %18 : tensor<64xi32>
#>   %cst_10 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %25 = tt.mulhiui %cst_10, %21 : tensor<64xi32>
#>   %cst_11 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %26 = arith.muli %18, %cst_11 : tensor<64xi32>
#>   %cst_12 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %27 = arith.muli %21, %cst_12 : tensor<64xi32>
#>   %28 = arith.xori %25, %15 : tensor<64xi32>
#>   %29 = tt.splat %22 : i32 -> tensor<64xi32>
#>   %30 = arith.xori %28, %29 : tensor<64xi32>
#>   %31 = arith.xori %24, %14 : tensor<64xi32>
#>   %32 = tt.splat %23 : i32 -> tensor<64xi32>
#>   %33 = arith.xori %31, %32 : tensor<64xi32>
#>   %c-1640531527_i32_13 = arith.constant -1640531527 : i32
#>   %34 = arith.addi %22, %c-1640531527_i32_13 : i32
#>   %c-1150833019_i32_14 = arith.constant -1150833019 : i32
#>   %35 = arith.addi %23, %c-1150833019_i32_14 : i32
#>   %cst_15 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %36 = tt.mulhiui %cst_15, %30 : tensor<64xi32>
#>   %cst_16 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %37 = tt.mulhiui %cst_16, %33 : tensor<64xi32>
#>   %cst_17 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %38 = arith.muli %30, %cst_17 : tensor<64xi32>
#>   %cst_18 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %39 = arith.muli %33, %cst_18 : tensor<64xi32>
#>   %40 = arith.xori %37, %27 : tensor<64xi32>
#>   %41 = tt.splat %34 : i32 -> tensor<64xi32>
#>   %42 = arith.xori %40, %41 : tensor<64xi32>
#>   %43 = arith.xori %36, %26 : tensor<64xi32>
#>   %44 = tt.splat %35 : i32 -> tensor<64xi32>
#>   %45 = arith.xori %43, %44 : tensor<64xi32>
#>   %c-1640531527_i32_19 = arith.constant -1640531527 : i32
#>   %46 = arith.addi %34, %c-1640531527_i32_19 : i32
#>   %c-1150833019_i32_20 = arith.constant -1150833019 : i32
#>   %47 = arith.addi %35, %c-1150833019_i32_20 : i32
#>   %cst_21 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %48 = tt.mulhiui %cst_21, %42 : tensor<64xi32>
#>   %cst_22 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %49 = tt.mulhiui %cst_22, %45 : tensor<64xi32>
#>   %cst_23 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %50 = arith.muli %42, %cst_23 : tensor<64xi32>
#>   %cst_24 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %51 = arith.muli %45, %cst_24 : tensor<64xi32>
#>   %52 = arith.xori %49, %39 : tensor<64xi32>
#>   %53 = tt.splat %46 : i32 -> tensor<64xi32>
#>   %54 = arith.xori %52, %53 : tensor<64xi32>
#>   %55 = arith.xori %48, %38 : tensor<64xi32>
#>   %56 = tt.splat %47 : i32 -> tensor<64xi32>
#>   %57 = arith.xori %55, %56 : tensor<64xi32>
#>   %c-1640531527_i32_25 = arith.constant -1640531527 : i32
#>   %58 = arith.addi %46, %c-1640531527_i32_25 : i32
#>   %c-1150833019_i32_26 = arith.constant -1150833019 : i32
#>   %59 = arith.addi %47, %c-1150833019_i32_26 : i32
#>   %cst_27 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %60 = tt.mulhiui %cst_27, %54 : tensor<64xi32>
#>   %cst_28 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %61 = tt.mulhiui %cst_28, %57 : tensor<64xi32>
#>   %cst_29 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %62 = arith.muli %54, %cst_29 : tensor<64xi32>
#>   %cst_30 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %63 = arith.muli %57, %cst_30 : tensor<64xi32>
#>   %64 = arith.xori %61, %51 : tensor<64xi32>
#>   %65 = tt.splat %58 : i32 -> tensor<64xi32>
#>   %66 = arith.xori %64, %65 : tensor<64xi32>
#>   %67 = arith.xori %60, %50 : tensor<64xi32>
#>   %68 = tt.splat %59 : i32 -> tensor<64xi32>
#>   %69 = arith.xori %67, %68 : tensor<64xi32>
#>   %c-1640531527_i32_31 = arith.constant -1640531527 : i32
#>   %70 = arith.addi %58, %c-1640531527_i32_31 : i32
#>   %c-1150833019_i32_32 = arith.constant -1150833019 : i32
#>   %71 = arith.addi %59, %c-1150833019_i32_32 : i32
#>   %cst_33 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %72 = tt.mulhiui %cst_33, %66 : tensor<64xi32>
#>   %cst_34 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %73 = tt.mulhiui %cst_34, %69 : tensor<64xi32>
#>   %cst_35 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %74 = arith.muli %66, %cst_35 : tensor<64xi32>
#>   %cst_36 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %75 = arith.muli %69, %cst_36 : tensor<64xi32>
#>   %76 = arith.xori %73, %63 : tensor<64xi32>
#>   %77 = tt.splat %70 : i32 -> tensor<64xi32>
#>   %78 = arith.xori %76, %77 : tensor<64xi32>
#>   %79 = arith.xori %72, %62 : tensor<64xi32>
#>   %80 = tt.splat %71 : i32 -> tensor<64xi32>
#>   %81 = arith.xori %79, %80 : tensor<64xi32>
#>   %c-1640531527_i32_37 = arith.constant -1640531527 : i32
#>   %82 = arith.addi %70, %c-1640531527_i32_37 : i32
#>   %c-1150833019_i32_38 = arith.constant -1150833019 : i32
#>   %83 = arith.addi %71, %c-1150833019_i32_38 : i32
#>   %cst_39 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %84 = tt.mulhiui %cst_39, %78 : tensor<64xi32>
#>   %cst_40 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %85 = tt.mulhiui %cst_40, %81 : tensor<64xi32>
#>   %cst_41 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %86 = arith.muli %78, %cst_41 : tensor<64xi32>
#>   %cst_42 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %87 = arith.muli %81, %cst_42 : tensor<64xi32>
#>   %88 = arith.xori %85, %75 : tensor<64xi32>
#>   %89 = tt.splat %82 : i32 -> tensor<64xi32>
#>   %90 = arith.xori %88, %89 : tensor<64xi32>
#>   %91 = arith.xori %84, %74 : tensor<64xi32>
#>   %92 = tt.splat %83 : i32 -> tensor<64xi32>
#>   %93 = arith.xori %91, %92 : tensor<64xi32>
#>   %c-1640531527_i32_43 = arith.constant -1640531527 : i32
#>   %94 = arith.addi %82, %c-1640531527_i32_43 : i32
#>   %c-1150833019_i32_44 = arith.constant -1150833019 : i32
#>   %95 = arith.addi %83, %c-1150833019_i32_44 : i32
#>   %cst_45 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %96 = tt.mulhiui %cst_45, %90 : tensor<64xi32>
#>   %cst_46 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %97 = tt.mulhiui %cst_46, %93 : tensor<64xi32>
#>   %cst_47 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %98 = arith.muli %90, %cst_47 : tensor<64xi32>
#>   %cst_48 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %99 = arith.muli %93, %cst_48 : tensor<64xi32>
#>   %100 = arith.xori %97, %87 : tensor<64xi32>
#>   %101 = tt.splat %94 : i32 -> tensor<64xi32>
#>   %102 = arith.xori %100, %101 : tensor<64xi32>
#>   %103 = arith.xori %96, %86 : tensor<64xi32>
#>   %104 = tt.splat %95 : i32 -> tensor<64xi32>
#>   %105 = arith.xori %103, %104 : tensor<64xi32>
#>   %c-1640531527_i32_49 = arith.constant -1640531527 : i32
#>   %106 = arith.addi %94, %c-1640531527_i32_49 : i32
#>   %c-1150833019_i32_50 = arith.constant -1150833019 : i32
#>   %107 = arith.addi %95, %c-1150833019_i32_50 : i32
#>   %cst_51 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %108 = tt.mulhiui %cst_51, %102 : tensor<64xi32>
#>   %cst_52 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %109 = tt.mulhiui %cst_52, %105 : tensor<64xi32>
#>   %cst_53 = arith.constant dense<-766435501> : tensor<64xi32>
#>   %110 = arith.muli %102, %cst_53 : tensor<64xi32>
#>   %cst_54 = arith.constant dense<-845247145> : tensor<64xi32>
#>   %111 = arith.muli %105, %cst_54 : tensor<64xi32>
#>   %112 = arith.xori %109, %99 : tensor<64xi32>
#>   %113 = tt.splat %106 : i32 -> tensor<64xi32>
#>   %114 = arith.xori %112, %113 : tensor<64xi32>
#>   %115 = arith.xori %108, %98 : tensor<64xi32>
#>   %116 = tt.splat %107 : i32 -> tensor<64xi32>
#>   %117 = arith.xori %115, %116 : tensor<64xi32>
#>   %c-1640531527_i32_55 = arith.constant -1640531527 : i32
#>   %118 = arith.addi %106, %c-1640531527_i32_55 : i32
#>   %c-1150833019_i32_56 = arith.constant -1150833019 : i32
#>   %119 = arith.addi %107, %c-1150833019_i32_56 : i32
#>   tt.return %114, %111, %117, %110 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
#> }
#> tt.func private @uint_to_uniform_float__u32S64(%arg0: tensor<64xi32>) -> tensor<64xf32> attributes {noinline = false} {
#>   %cst = arith.constant dense<0> : tensor<64xi32>
#>   %0 = arith.cmpi slt, %arg0, %cst : tensor<64xi32>
#>   %cst_0 = arith.constant dense<0> : tensor<64xi32>
#>   %1 = arith.subi %cst_0, %arg0 : tensor<64xi32>
#>   %cst_1 = arith.constant dense<1> : tensor<64xi32>
#>   %2 = arith.subi %1, %cst_1 : tensor<64xi32>
#>   %3 = arith.select %0, %2, %arg0 : tensor<64xi1>, tensor<64xi32>
#>   %4 = arith.sitofp %3 : tensor<64xi32> to tensor<64xf32>
#>   %cst_2 = arith.constant dense<4.6566126E-10> : tensor<64xf32>
#>   %5 = arith.mulf %4, %cst_2 : tensor<64xf32>
#>   tt.return %5 : tensor<64xf32>
#> }
#> tt.func private @pair_uniform_to_normal__fp32S64_fp32S64(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {noinline = false} {
#>   %cst = arith.constant dense<1.000000e-07> : tensor<64xf32>
#>   %0 = arith.maxnumf %cst, %arg0 : tensor<64xf32>
#>   %1 = math.log %0 : tensor<64xf32>
#>   %cst_0 = arith.constant dense<-2.000000e+00> : tensor<64xf32>
#>   %2 = arith.mulf %cst_0, %1 : tensor<64xf32>
#>   %3 = math.sqrt %2 : tensor<64xf32>
#>   %cst_1 = arith.constant dense<6.28318548> : tensor<64xf32>
#>   %4 = arith.mulf %cst_1, %arg1 : tensor<64xf32>
#>   %5 = math.cos %4 : tensor<64xf32>
#>   %6 = arith.mulf %3, %5 : tensor<64xf32>
#>   %7 = math.sin %4 : tensor<64xf32>
#>   %8 = arith.mulf %3, %7 : tensor<64xf32>
#>   tt.return %6, %8 : tensor<64xf32>, tensor<64xf32>
#> }
