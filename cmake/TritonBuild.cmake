# Compiler flags, and the one function with which every room of src/ declares its library.
find_program(CCACHE ccache)
if(CCACHE)
  # A precompiled header is only cacheable when ccache may ignore its time stamp.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Several sources of a room are compiled as one: most of the time that a source takes goes into headers and into templates
# of theirs, which a batch needs once. Names of a file's own must therefore differ within a room. Linters read each source
# for itself (scripts/source_commands.py), and so find what it lacks.
option(TRITON_UNITY "Compile sources of a room in batches" ON)
set(CMAKE_UNITY_BUILD ${TRITON_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

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

if(TRITON_LIBRARIES_OF)
  return() # What follows is for libraries.
endif()

# The headers that nearly every MLIR source includes, compiled once.
add_library(TritonPCH STATIC ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(TritonPCH PUBLIC TritonLLVM)
target_include_directories(TritonPCH PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_precompile_headers(TritonPCH PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)
add_dependencies(TritonPCH TritonIRIncGen)

# triton_precompile_headers_of_program(TARGET): the precompiled header is made for libraries, with -fPIC in place of -fPIE.
function(triton_precompile_headers_of_program target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM TritonPCH)
endfunction()

# triton_batch(SOURCES...): compiles these in batches of their own. The batches follow from the list of names alone, so that
# everybody has the same.
function(triton_batch)
  set(count 0)
  foreach(source IN LISTS ARGN)
    math(EXPR batch "${count} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR count "${count} + 1")
    cmake_path(GET source STEM first)
    if(NOT DEFINED name_${batch})
      set(name_${batch} ${first})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP from_${name_${batch}})
  endforeach()
endfunction()

# triton_add_library(NAME [MLIR] [LINK libs...] [APART sources...] [ALONE sources...]): every *.cpp of the folder. MLIR: uses the precompiled
# header and MLIR. APART: sources that are compiled in batches of their own, because their names collide with others'.
# ALONE: sources that are compiled each for itself, for the same reason.
function(triton_add_library name)
  cmake_parse_arguments(arg "MLIR" "" "LINK;APART;ALONE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY TRITON_LIBRARIES ${name})
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  list(TRANSFORM arg_APART PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM arg_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_APART} ${arg_ALONE})
  triton_batch(${sources})
  triton_batch(${arg_APART})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
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

# triton_export_libraries(): the target triton-libraries, and TritonLibraries.cmake in the build folder, by which another
# build links these libraries (TRITON_LIBRARIES_OF). It has an LLVM of its own, TritonLLVM, and so gets only the name.
function(triton_export_libraries)
  get_property(libraries GLOBAL PROPERTY TRITON_LIBRARIES)
  add_custom_target(triton-libraries DEPENDS ${libraries})
  set(file ${CMAKE_BINARY_DIR}/TritonLibraries.cmake)
  file(REMOVE ${file})
  export(TARGETS ${libraries} APPEND FILE ${file}) # APPEND: although TritonLLVM is not exported
endfunction()

# triton_add_operations(FILE COUNT HEADERS headers... [OPTIONS options...]): TableGen's code of the operations of FILE.td,
# compiled in COUNT parts, since one source of all takes a minute. HEADERS declare them and what their assembly uses. Sets
# <FILE>_sources.
function(triton_add_operations file count)
  cmake_parse_arguments(arg "" "" "HEADERS;OPTIONS" ${ARGN})
  mlir_tablegen(${file}.h.inc -gen-op-decls -op-shard-count=${count} ${arg_OPTIONS})
  mlir_tablegen(${file}.cpp.inc -gen-op-defs -op-shard-count=${count} ${arg_OPTIONS})
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
  set(includes "")
  foreach(header IN LISTS arg_HEADERS)
    string(APPEND includes "#include \"${header}\"\n")
  endforeach()
  set(sources "")
  math(EXPR last "${count} - 1")
  foreach(part RANGE ${last})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${file}${part}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Written by triton_add_operations.\n${includes}
#define GET_OP_DEFS_${part}\n#include \"${CMAKE_CURRENT_BINARY_DIR}/${file}.cpp.inc\"\n" @ONLY)
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND sources ${source})
  endforeach()
  set(${file}_sources ${sources} PARENT_SCOPE)
endfunction()
