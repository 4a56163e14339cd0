// What CMake would make of compiler_support.h.in: meson.build asks for C++14.
#ifndef LIEF_COMPILER_SUPPORT_H_
#define LIEF_COMPILER_SUPPORT_H_

#define LIEF_SUPPORT_CXX11 1
#define LIEF_SUPPORT_CXX14 1
#define LIEF_SUPPORT_CXX17 0

#endif
