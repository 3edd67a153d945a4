# What `cmake --install` puts where, and the CMake package: find_package(Triton) gives the targets Triton::triton and
# Triton::tritonc and the function triton_add_kernels.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Triton)
install(TARGETS triton EXPORT TritonTargets COMPONENT library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tritonc EXPORT TritonTargets COMPONENT library RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/triton COMPONENT library DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT TritonTargets NAMESPACE Triton:: COMPONENT library DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/TritonConfig.cmake.in ${CMAKE_BINARY_DIR}/TritonConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/TritonConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TritonConfig.cmake ${CMAKE_BINARY_DIR}/TritonConfigVersion.cmake
  ${CMAKE_SOURCE_DIR}/cmake/TritonKernels.cmake COMPONENT library DESTINATION ${package_dir})

# For programs that are built without CMake, and for the shell.
configure_file(${CMAKE_SOURCE_DIR}/packaging/triton.pc.in ${CMAKE_BINARY_DIR}/triton.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/triton.pc COMPONENT library DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE COMPONENT library DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/nereid
  RENAME copyright) # the name that Debian gives it
install(FILES ${CMAKE_SOURCE_DIR}/packaging/tritonc.bash COMPONENT library
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tritonc)
if(TARGET triton-opt)
  install(TARGETS triton-opt COMPONENT library RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_SOURCE_DIR}/packaging/triton-opt.1 COMPONENT library DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
if(Python_EXECUTABLE)
  set(man_page ${CMAKE_BINARY_DIR}/tritonc.1)
  add_custom_command(OUTPUT ${man_page}
    COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/packaging/man_page.py $<TARGET_FILE:tritonc> ${man_page}
    DEPENDS ${CMAKE_SOURCE_DIR}/packaging/man_page.py tritonc COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(man-page ALL DEPENDS ${man_page})
  install(FILES ${man_page} COMPONENT library DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# `make package`: what stands above as a package for Debian.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nereid)
set(CPACK_PACKAGE_CONTACT "The Nereid authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler of Triton kernels: library, headers, tritonc")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/packaging/package_version.cmake)
set(CPACK_TRITON_VERSION_FILE ${CMAKE_BINARY_DIR}/version.txt)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME nereid)
set(CPACK_DEBIAN_LIBRARY_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libc6 (>= 2.36), libgcc-s1, libstdc++6 (>= 12), libzstd1, zlib1g, libcpp-httplib0.11")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "python3, gdb")
include(CPack)
