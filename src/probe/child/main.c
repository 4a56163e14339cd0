// The only process in which code of a target runs: it opens what it is told to open, tells its parent what is mapped,
// and asks the CUDA libraries among it. It needs nothing but the C library, so that nothing of its own mixes with what
// it loads; it reaches CUDA by dlsym on the handles of the files that it was told.
//
//     cudald-probe-child DESCRIPTOR open FLAGS PATH... [runtime PATH | cublas PATH | cudnn PATH]...
//
// FLAGS are letters: n for RTLD_NOW, g for RTLD_GLOBAL, d for RTLD_DEEPBIND, - for none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cuda_libraries.h"
#include "cuda_runtime.h"
#include "record.h"

static int flags_of(const char* letters) {
  int flags = strchr(letters, 'n') != NULL ? RTLD_NOW : RTLD_LAZY;
  if (strchr(letters, 'g') != NULL) flags |= RTLD_GLOBAL;
#ifdef RTLD_DEEPBIND
  if (strchr(letters, 'd') != NULL) flags |= RTLD_DEEPBIND;
#endif
  return flags;
}

static void record_object(const char* kind, const char* name) {
  char device[32], inode[32], real[PATH_MAX];
  struct stat status;
  if (stat(name, &status) != 0) {
    record(kind, "", "", name, "", NULL);  // the vDSO, or a file that is gone
    return;
  }
  snprintf(device, sizeof device, "%llu", (unsigned long long)status.st_dev);
  snprintf(inode, sizeof inode, "%llu", (unsigned long long)status.st_ino);
  record(kind, device, inode, name, realpath(name, real) != NULL ? real : name, NULL);
}

// Everything that is mapped, in the loader's own order. The program goes first; to glibc it has no name, and to musl
// the vDSO has none.
static void record_objects(const char* kind) {
  const struct link_map* first = NULL;
  void* const self = dlopen(NULL, RTLD_LAZY);
  if (self == NULL || dlinfo(self, RTLD_DI_LINKMAP, &first) != 0) return;
  for (const struct link_map* map = first; map != NULL; map = map->l_next)
    record_object(kind, map == first && map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name);
}

static void open_target(const char* letters, const char* path) {
  record_step("loading %s", path);
  dlerror();
  if (dlopen(path, flags_of(letters)) != NULL) {
    record("opened", path, NULL);
    return;
  }
  const char* const error = dlerror();
  record("refused", path, error != NULL ? error : "dlopen gives no reason", NULL);
}

// A handle of a file that is loaded already.
static void* handle_of(const char* path) {
  void* const handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) record_check(path, "loaded", result_not_run, "it is not among the objects that were loaded");
  return handle;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "cudald-probe-child: started by `cudald probe`, not by hand\n");
    return 2;
  }
  record_to(atoi(argv[1]));
  int i = 2;
  for (; i + 2 < argc && strcmp(argv[i], "open") == 0; i += 3) open_target(argv[i + 1], argv[i + 2]);
  record_objects("object");
  record("mapped", NULL);
  for (int role = i; role + 1 < argc; role += 2)
    if (strcmp(argv[role], "runtime") == 0) ask_runtime(argv[role + 1], handle_of(argv[role + 1]));
  share_memory();
  for (; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "cublas") == 0) ask_cublas(argv[i + 1], handle_of(argv[i + 1]));
    if (strcmp(argv[i], "cudnn") == 0) ask_cudnn(argv[i + 1], handle_of(argv[i + 1]));
  }
  record_objects("late");
  record_step("ending the process");
  record("done", NULL);
  return 0;
}
