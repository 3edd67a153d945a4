# Compiler flags, and the one function with which every room of src/ declares its library.
find_program(CCACHE ccache)
if(CCACHE)
  # A precompiled header is only cacheable when ccache may ignore its time stamp.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -fdiagnostics-color=always)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
add_link_options(-fuse-ld=lld-22 -Wl,--as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()
# triton_fold_equal_functions(TARGET): of functions with equal code one stays, which takes a tenth of what is shipped away.
# Only functions: data keep addresses of their own, on which MLIR's type identities rest.
function(triton_fold_equal_functions target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${target} PRIVATE -Wl,--icf=all)
  endif()
endfunction()
if(TRITON_SANITIZE)
  # The distribution's LLVM is not instrumented, so container annotations would report its vectors falsely.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer -O1)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # The runtime as a shared library, which Python preloads for the extension module: a program with one of its own would
  # refuse to start as Python's child.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  add_link_options(-fsanitize=address,undefined -shared-libasan)
  list(APPEND CMAKE_BUILD_RPATH ${runtime})
  # Built here rather than as a target, which would have to be installed with the library.
  set(options ${CMAKE_BINARY_DIR}/SanitizerOptions.o)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -fPIC -c ${CMAKE_SOURCE_DIR}/cmake/SanitizerOptions.cpp -o ${options}
    COMMAND_ERROR_IS_FATAL ANY)
  add_link_options(${options})
endif()

# The headers that nearly every MLIR source includes, compiled once.
add_library(TritonPCH STATIC ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(TritonPCH PUBLIC TritonLLVM)
target_include_directories(TritonPCH PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_precompile_headers(TritonPCH PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)

# triton_add_library(NAME [MLIR] [LINK libs...]): every *.cpp of the folder. MLIR: uses the precompiled header and MLIR.
function(triton_add_library name)
  cmake_parse_arguments(arg "MLIR" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC
    ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC TritonLLVM ${arg_LINK})
  if(arg_MLIR)
    target_precompile_headers(${name} REUSE_FROM TritonPCH)
    if(TARGET TritonIRIncGen)
      add_dependencies(${name} TritonIRIncGen)
    endif()
  endif()
endfunction()
