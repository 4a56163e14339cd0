// Landlock's and seccomp's own calls, without a library: the rights are a dozen numbers that never change
// (include/uapi/linux/landlock.h), the filter is a list of calls, and a library would be loaded at each start. Headers
// of old systems lack Landlock, so its numbers are here.
#include "os/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace cudald {
namespace {

// Landlock. The numbers of its calls are the same on all machines.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr std::uint32_t ask_version = 1, rule_path_beneath = 1;

constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3,
                        remove_dir = 1 << 4, remove_file = 1 << 5, make_char = 1 << 6, make_dir = 1 << 7,
                        make_reg = 1 << 8, make_sock = 1 << 9, make_fifo = 1 << 10, make_block = 1 << 11,
                        make_sym = 1 << 12, refer = 1 << 13, truncate = 1 << 14, use_device = 1 << 15;
constexpr std::uint64_t naming = make_reg | remove_file | refer;
constexpr std::uint64_t changing = write_file | remove_dir | remove_file | make_char | make_dir | make_reg | make_sock |
                                   make_fifo | make_block | make_sym | refer | truncate | use_device;
constexpr std::uint64_t reading = read_file | read_dir;

/// The first of the structure's fields; what a kernel adds behind it is not asked for.
struct RulesetAttributes {
  std::uint64_t files;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t directory;
};

/// Those of `rights` that this version knows.
std::uint64_t known_rights(std::uint64_t rights, long version) {
  if (version < 2) rights &= ~refer;
  if (version < 3) rights &= ~truncate;
  if (version < 5) rights &= ~use_device;
  return rights;
}

std::vector<std::string>& hidden_directories() {
  static std::vector<std::string> directories;
  return directories;
}

bool lies_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

class Landlock {
 public:
  /// Takes these rights away everywhere, but where rules leave them.
  explicit Landlock(std::uint64_t rights)
      : version_(::syscall(create_ruleset, nullptr, 0, ask_version)), handled_(known_rights(rights, version_)) {
    if (version_ < 1) return;
    const RulesetAttributes attributes{handled_};
    rules_ = static_cast<int>(::syscall(create_ruleset, &attributes, sizeof attributes, 0));
  }
  ~Landlock() {
    if (rules_ >= 0) ::close(rules_);
  }
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  /// A directory that is not there has nothing to allow.
  void allow(const std::string& directory, std::uint64_t rights) const {
    const int fd = rules_ < 0 ? -1 : ::open(directory.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return;
    const PathRule rule{rights & handled_, fd};
    if (rule.allowed != 0) ::syscall(add_rule, rules_, rule_path_beneath, &rule, 0);
    ::close(fd);
  }

  /// Rules only add rights: all is allowed but what is hidden, directory by directory.
  void allow_reading_but(const std::string& directory, const std::vector<std::string>& hidden) const {
    const auto is_below = [&directory](const std::string& other) { return lies_below(other, directory); };
    if (std::find(hidden.begin(), hidden.end(), directory) != hidden.end()) return;
    if (std::none_of(hidden.begin(), hidden.end(), is_below)) return allow(directory, reading);
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
    if (listing == nullptr) return;
    while (const dirent* entry = ::readdir(listing.get())) {
      const std::string name = entry->d_name;
      const auto path = directory == "/" ? "/" + name : directory + "/" + name;
      if (name == "." || name == "..") continue;
      if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) {
        allow_reading_but(path, hidden);
      } else if (entry->d_type != DT_LNK) {
        allow(path, read_file);
      }
    }
  }

  bool enforce() const { return rules_ >= 0 && ::syscall(restrict_self, rules_, 0) == 0; }

 private:
  long version_;
  std::uint64_t handled_;
  int rules_ = -1;
};

bool restrict_files(const Sandbox& sandbox) {
  const Landlock landlock(changing | (sandbox.programs ? 0 : execute));
  for (const auto& directory : sandbox.writable) landlock.allow(directory, changing);
  for (const auto& directory : sandbox.nameable) landlock.allow(directory, naming);
  for (const auto& directory : sandbox.scratch) landlock.allow(directory, write_file);
  return landlock.enforce();
}

// seccomp.
#if defined(__x86_64__)
constexpr std::uint32_t this_machine = AUDIT_ARCH_X86_64;
constexpr std::uint32_t first_of_other_abi = 0x40000000;  // x32: the same calls by other numbers
#elif defined(__aarch64__)
constexpr std::uint32_t this_machine = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t first_of_other_abi = 0xffffffff;
#else
constexpr std::uint32_t this_machine = 0;
constexpr std::uint32_t first_of_other_abi = 0xffffffff;
#endif

/// Calls by which a process gets at other processes or at the kernel's larger machinery, or does what else is refused
/// by another door (io_uring). No question needs one.
constexpr long never[] = {
    SYS_add_key,           SYS_bpf,    SYS_chroot,      SYS_delete_module,   SYS_finit_module, SYS_init_module,
    SYS_io_uring_setup,    SYS_keyctl, SYS_mount,       SYS_perf_event_open, SYS_pivot_root,   SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_ptrace, SYS_request_key, SYS_setns,           SYS_umount2,      SYS_unshare,
    SYS_userfaultfd,
};
constexpr long for_network[] = {SYS_accept, SYS_accept4, SYS_bind, SYS_connect, SYS_listen, SYS_socket};
constexpr long for_programs[] = {SYS_execve, SYS_execveat};

constexpr sock_filter statement(std::uint16_t code, std::uint32_t value) { return {code, 0, 0, value}; }
constexpr sock_filter jump(std::uint16_t code, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_K | code), yes, no, value};
}

bool restrict_calls(const Sandbox& sandbox) {
  if (this_machine == 0) return false;
  std::vector<long> refused(std::begin(never), std::end(never));
  if (!sandbox.network) refused.insert(refused.end(), std::begin(for_network), std::end(for_network));
  if (!sandbox.programs) refused.insert(refused.end(), std::begin(for_programs), std::end(for_programs));

  constexpr std::uint16_t load = BPF_LD | BPF_W | BPF_ABS, give = BPF_RET | BPF_K;
  constexpr auto refuse = statement(give, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter{
      statement(load, offsetof(seccomp_data, arch)), jump(BPF_JEQ, this_machine, 1, 0),       refuse,
      statement(load, offsetof(seccomp_data, nr)),   jump(BPF_JGE, first_of_other_abi, 0, 1), refuse,
  };
  for (const long call : refused) {
    filter.push_back(jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(refuse);
  }
  filter.push_back(statement(give, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // Older kernels would else slow the whole process down (Speculative Store Bypass); cudald runs no code of others.
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

/// No user may ask for a sandbox without it: a set-ID program that is started later would run in it, and be misled.
bool give_up_privileges() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

}  // namespace

SandboxState enter_sandbox(const Sandbox& sandbox) {
  if (!give_up_privileges()) return {};
  // Files first: the filter might refuse the calls of Landlock one day.
  const bool files = restrict_files(sandbox);
  return {files, restrict_calls(sandbox)};
}

bool hide_directories(const std::vector<std::string>& directories) {
  if (!give_up_privileges()) return false;
  const Landlock landlock(reading);
  landlock.allow_reading_but("/", directories);
  if (!landlock.enforce()) return false;
  hidden_directories().insert(hidden_directories().end(), directories.begin(), directories.end());
  return true;
}

bool is_hidden_by_sandbox(std::string_view path) {
  const auto& hidden = hidden_directories();
  if (hidden.empty()) return false;
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(std::string(path).c_str(), nullptr), std::free);
  const std::string_view place = real != nullptr ? std::string_view(real.get()) : path;
  return std::any_of(hidden.begin(), hidden.end(),
                     [place](const std::string& directory) { return lies_below(place, directory); });
}

}  // namespace cudald
