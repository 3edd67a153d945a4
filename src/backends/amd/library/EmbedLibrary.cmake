# cmake -DINPUT=library.bc -DOUTPUT=library.inc -P EmbedLibrary.cmake: a file's bytes as the elements of an array.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
