#pragma once

// Versions, and a small computation that is compared with the processor's, of libraries that are loaded already.

void ask_cublas(const char* path, void* handle);
void ask_cudnn(const char* path, void* handle);
