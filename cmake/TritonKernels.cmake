# Kernels that a program is built with, for projects that use find_package(Triton) and for this one.
#
# triton_add_kernels(TARGET FILE[:KERNEL]
#   SIGNATURE signature...       one item for each parameter, as `tritonc compile --signature` takes them
#   GRID "x, y, z"               three expressions of C over the parameters
#   [TARGETS target...]          such as cpu:x86-64-v3 cuda:80 cuda:90 hip:gfx942; by default cpu, this machine's processor
#   [NUM_WARPS n] [NUM_STAGES n]
#   [NAMESPACE name]             of C++, by default `kernels`
#   [NAME name]                  of the function and of the header, by default that of the kernel
#   [DEPENDS file...])           files that the kernel's file imports
#
# TARGET gets the source that holds the kernel, and can include <NAME>.h. Both are written when the program is built, and
# again after the kernel's file has changed.
function(triton_add_kernels target kernel)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "GRID;NUM_WARPS;NUM_STAGES;NAMESPACE;NAME" "SIGNATURE;TARGETS;DEPENDS")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "triton_add_kernels: there is no target `${target}`")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "triton_add_kernels: `${arg_UNPARSED_ARGUMENTS}` belongs to no keyword")
  endif()
  foreach(keyword SIGNATURE GRID)
    if(NOT arg_${keyword})
      message(FATAL_ERROR "triton_add_kernels: ${keyword} is missing")
    endif()
  endforeach()
  if(NOT kernel MATCHES "^(.+):([^:/]+)$")
    message(FATAL_ERROR "triton_add_kernels: `${kernel}` is no <file>:<kernel>, such as kernels.py:add")
  endif()
  set(name ${CMAKE_MATCH_2})
  cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE file)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "triton_add_kernels: there is no file `${file}`")
  endif()

  set(options "")
  foreach(signature IN LISTS arg_SIGNATURE)
    list(APPEND options --signature=${signature})
  endforeach()
  foreach(device IN LISTS arg_TARGETS)
    list(APPEND options --target=${device})
  endforeach()
  foreach(pair NUM_WARPS=num-warps NUM_STAGES=num-stages NAMESPACE=namespace)
    string(REGEX MATCH "^(.*)=(.*)$" pair ${pair})
    if(arg_${CMAKE_MATCH_1})
      list(APPEND options --${CMAKE_MATCH_2}=${arg_${CMAKE_MATCH_1}})
    endif()
  endforeach()
  if(NOT arg_NAME)
    set(arg_NAME ${name})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  set(files ${folder}/${arg_NAME}.h ${folder}/${arg_NAME}.cpp)
  get_target_property(sources ${target} SOURCES)
  if("${folder}/${arg_NAME}.h" IN_LIST sources)
    message(FATAL_ERROR "triton_add_kernels: `${target}` has kernels named `${arg_NAME}`; give these another NAME, or all "
      "signatures in one call")
  endif()
  add_custom_command(OUTPUT ${files}
    COMMAND Triton::tritonc compile ${file}:${name} --emit=cpp --out-name=${arg_NAME} "--grid=${arg_GRID}" ${options}
            -o ${folder}
    DEPENDS ${file} ${arg_DEPENDS} Triton::tritonc
    COMMENT "Compiling kernel ${name}" VERBATIM)
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # their local names are the same
  target_sources(${target} PRIVATE ${files})
  target_include_directories(${target} PRIVATE ${folder})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_libraries(${target} PRIVATE m ${CMAKE_DL_LIBS})
endfunction()
