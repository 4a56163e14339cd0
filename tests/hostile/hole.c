/* A hole in cudald, on purpose: what a fault in a reader of files could be used for. The sandbox's test lets cudald
 * load this in place of ISA-L, which it does when it first decompresses something; then it tries what no question
 * needs, and writes how each attempt ended to standard error. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char* attempt, long result) {
  dprintf(STDERR_FILENO, "hole: %s: %s\n", attempt, result >= 0 ? "done" : strerrorname_np(errno));
}

static const char* beside(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("HOLE_DIRECTORY"), name);
  return path;
}

static long start_program(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(errno);
  }
  waitpid(child, &status, 0);
  errno = WEXITSTATUS(status);
  return errno == 0 ? 0 : -1;
}

/* The oldest door beside the usual ones: another call that opens and connects. */
static long open_by_uring(void) {
  char parameters[120] = {0};
  return syscall(SYS_io_uring_setup, 1, parameters);
}

__attribute__((constructor)) static void attempt(void) {
  tell("socket", socket(AF_INET, SOCK_STREAM, 0));
  tell("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
  tell("new file", open(beside("new"), O_CREAT | O_WRONLY, 0600));
  tell("write", open(beside("old"), O_WRONLY));
  tell("truncate", truncate(beside("old"), 0));
  tell("new directory", mkdir(beside("directory"), 0700));
  tell("link", symlink("old", beside("link")));
  tell("remove", unlink(beside("old")));
  tell("program", start_program());
  tell("trace", ptrace(PTRACE_TRACEME, 0, 0, 0));
  tell("io_uring", open_by_uring());
  tell("home of another", open(getpwuid(getuid())->pw_dir, O_RDONLY | O_DIRECTORY));
  _exit(9);
}
