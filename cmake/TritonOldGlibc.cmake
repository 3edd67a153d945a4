# triton_link_for_old_glibc(TARGET): links for machines with glibc 2.28 (the platform manylinux_2_28) and nothing else, on a
# machine with a newer one. packaging/old_glibc.py makes the libraries to link against; what they lack is in
# packaging/glibc_2_28.c; the C++ library and the compression libraries become part of the result.
function(triton_link_for_old_glibc target)
  set(folder ${CMAKE_BINARY_DIR}/old-glibc)
  set(script ${CMAKE_SOURCE_DIR}/packaging/old_glibc.py)
  add_custom_command(OUTPUT ${folder}/libc.so
    COMMAND ${Python_EXECUTABLE} ${script} 2.28 ${folder}
    DEPENDS ${script} COMMENT "Making the libraries of glibc 2.28" VERBATIM)
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/packaging/glibc_2_28.c ${folder}/libc.so)
  target_link_options(${target} PRIVATE -L${folder} -static-libstdc++)
  target_link_libraries(${target} PRIVATE gcc) # the archive, before libgcc_s, of which old machines have an old one
endfunction()
