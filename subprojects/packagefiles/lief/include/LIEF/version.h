// What CMake would make of version.h.in.
#ifndef LIEF_VERSION_H_
#define LIEF_VERSION_H_

#define LIEF_NAME "LIEF"
#define LIEF_VERSION "0.12.3"
#define LIEF_TAGGED 1
#define LIEF_TAG "0.12.3"

#endif
