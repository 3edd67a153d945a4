set(work ${BUILD}/test/package/work)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${work}/build -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(example vector_add softmax matmul ahead_of_time)
  run(${work}/build/example_${example} --quick)
endforeach()
run(${work}/prefix/bin/tritonc --version)
file(REMOVE_RECURSE ${work})
