# LLVM and MLIR from the distribution, as static archives. The CMake targets that come with MLIR pull in the LLVM
# shared library, so the archives are named here and linked inside one group.
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_program(TRITON_LLVM_CONFIG llvm-config HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
execute_process(
  COMMAND ${TRITON_LLVM_CONFIG} --link-static --libfiles x86 nvptx amdgpu orcjit jitlink passes lto dtlto
          target irreader bitreader bitwriter linker option supportlsp
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives)
list(FILTER llvm_archives EXCLUDE REGEX "libPolly")
add_library(TritonLeftOutOfLLVM STATIC
  ${CMAKE_CURRENT_LIST_DIR}/LeftOutOfLLVM.cpp ${CMAKE_CURRENT_LIST_DIR}/MallocOfLLVM.cpp)
target_include_directories(TritonLeftOutOfLLVM SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX "MLIRCAPI|MLIRTest|MLIRExecutionEngine|_c_runner|MLIRPython")

# lld, which links the code objects of AMD's GPUs, comes in a package of its own.
find_library(TRITON_LLD_ELF lldELF HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
find_library(TRITON_LLD_COMMON lldCommon HINTS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)

set(compression z zstd)
if(TRITON_WHEEL)
  set(compression -l:libz.a -l:libzstd.a) # machines need not have them
endif()
add_library(TritonLLVM INTERFACE)
target_include_directories(TritonLLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_options(TritonLLVM INTERFACE -Wl,--wrap=malloc) # cmake/MallocOfLLVM.cpp
target_link_libraries(TritonLLVM INTERFACE
  -Wl,--start-group TritonLeftOutOfLLVM # first, since the linker takes what it finds first
  ${mlir_archives} ${llvm_archives} ${TRITON_LLD_ELF} ${TRITON_LLD_COMMON} -Wl,--end-group
  ${compression} dl pthread)
