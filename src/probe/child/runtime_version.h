#pragma once

// The version that a CUDA runtime has in its code: 11070. For those that do not answer cudaRuntimeGetVersion without a
// driver, as CUDA 11 does not. 0 if it is not found.
int version_in_code(int (*function_of_the_runtime)(int*));
