# The Python that the extension is built for: that of the virtual environment which the set-up makes, unless another is
# named. Its packages may hold the assembler and the library of NVIDIA (python/requirements-cuda.txt).
set(default_python ${CMAKE_SOURCE_DIR}/.venv/bin/python)
if(NOT Python_EXECUTABLE AND EXISTS ${default_python})
  set(Python_EXECUTABLE ${default_python} CACHE FILEPATH "The Python that the extension is built for")
endif()
set(TRITON_PYTHON_PACKAGES "")
if(Python_EXECUTABLE)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
    OUTPUT_VARIABLE TRITON_PYTHON_PACKAGES COMMAND_ERROR_IS_FATAL ANY)
endif()
