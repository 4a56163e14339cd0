/* refuse_call CALLS WHEN ERRNO PROGRAM ARGUMENT...
 *
 * Runs a program and lets one of its calls of the system fail: the one with the number WHEN (from 1) among those of
 * CALLS, such as "openat,read". With WHEN 0 none fails. Writes to descriptor 3, if it is open, how many there were.
 * Source: seccomp_unotify(2). Exit status: the program's, or 125 where the kernel cannot do this.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char* name;
  int number;
} known[] = {
#ifdef SYS_open
    {"open", SYS_open},
    {"stat", SYS_stat},
    {"lstat", SYS_lstat},
    {"readlink", SYS_readlink},
    {"rename", SYS_rename},
#endif
    {"openat", SYS_openat},
    {"openat2", 437},
    {"read", SYS_read},
    {"pread64", SYS_pread64},
    {"getdents64", SYS_getdents64},
    {"fstat", SYS_fstat},
    {"newfstatat", SYS_newfstatat},
    {"mmap", SYS_mmap},
    {"readlinkat", SYS_readlinkat},
    {"statx", SYS_statx},
    {"write", SYS_write},
    {"pwrite64", SYS_pwrite64},
    {"renameat", SYS_renameat},
    {"linkat", SYS_linkat},
};

static int number_of(const char* name, size_t length) {
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0) return known[i].number;
  fprintf(stderr, "refuse_call: unknown call %.*s\n", (int)length, name);
  exit(125);
}

/* All calls of these numbers are asked about; the descriptor on which. */
static int ask_about(const char* calls) {
  struct sock_filter filter[80];
  unsigned short size = 0;
  filter[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (const char* at = calls; *at != 0;) {
    size_t length = strcspn(at, ",");
    filter[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number_of(at, length), 0, 1);
    filter[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    at += length + (at[length] == ',');
  }
  filter[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {size, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void send_descriptor(int to, int descriptor) {
  char byte = 0;
  struct iovec part = {&byte, 1};
  char room[CMSG_SPACE(sizeof(int))] = {0};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  if (sendmsg(to, &message, 0) != 1) _exit(125);
}

static int receive_descriptor(int from) {
  char byte = 0;
  struct iovec part = {&byte, 1};
  char room[CMSG_SPACE(sizeof(int))] = {0};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  int descriptor = -1;
  if (head != NULL && head->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

static void start_program(const char* calls, int to, char** program) {
  /* The socket is not among what is asked about: sendmsg, close and execve are none of the calls. */
  const int listener = ask_about(calls);
  if (listener < 0) {
    perror("refuse_call: seccomp");
    _exit(125);
  }
  send_descriptor(to, listener);
  close(listener);
  close(to);
  execv(program[0], program);
  _exit(127);
}

int main(int argc, char** argv) {
  if (argc < 5) return 125;
  const long when = atol(argv[2]);
  const int error = atoi(argv[3]);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return 125;
  const pid_t child = fork();
  if (child == 0) {
    close(3);
    start_program(argv[1], pair[1], argv + 4);
  }
  close(pair[1]);
  const int listener = receive_descriptor(pair[0]);
  long count = 0;
  struct pollfd waiting = {listener, POLLIN, 0};
  while (listener >= 0 && poll(&waiting, 1, -1) > 0 && (waiting.revents & POLLIN) != 0) {
    struct seccomp_notif asked = {0};
    struct seccomp_notif_resp answer = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;
    answer.id = asked.id;
    if (++count == when)
      answer.error = -error;
    else
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
  int status = 0;
  waitpid(child, &status, 0);
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld\n", count);
  if (write(3, text, (size_t)length) < 0) count = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
