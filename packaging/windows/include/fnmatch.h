/* fnmatch(3) for systems without it: src/os/fnmatch_windows.cc. */
#pragma once

#define FNM_NOMATCH 1
#define FNM_NOESCAPE 2
#define FNM_PERIOD 4
#define FNM_CASEFOLD 16

int fnmatch(const char* pattern, const char* text, int flags);
