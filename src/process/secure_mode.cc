#include "process/secure_mode.h"

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/path.h"

namespace cudald {
namespace {

// linux/capability.h, in the order of their bits.
constexpr std::array capability_names = {"chown",
                                         "dac_override",
                                         "dac_read_search",
                                         "fowner",
                                         "fsetid",
                                         "kill",
                                         "setgid",
                                         "setuid",
                                         "setpcap",
                                         "linux_immutable",
                                         "net_bind_service",
                                         "net_broadcast",
                                         "net_admin",
                                         "net_raw",
                                         "ipc_lock",
                                         "ipc_owner",
                                         "sys_module",
                                         "sys_rawio",
                                         "sys_chroot",
                                         "sys_ptrace",
                                         "sys_pacct",
                                         "sys_admin",
                                         "sys_boot",
                                         "sys_nice",
                                         "sys_resource",
                                         "sys_time",
                                         "sys_tty_config",
                                         "mknod",
                                         "lease",
                                         "audit_write",
                                         "audit_control",
                                         "setfcap",
                                         "mac_override",
                                         "mac_admin",
                                         "syslog",
                                         "wake_alarm",
                                         "block_suspend",
                                         "audit_read",
                                         "perfmon",
                                         "bpf",
                                         "checkpoint_restore"};

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

FileCapabilities read_file_capabilities(const std::string& bytes) {
  constexpr std::uint32_t revision_mask = 0xff000000, first = 0x01000000, second = 0x02000000, third = 0x03000000;
  const ByteReader reader(std::as_bytes(std::span(bytes)), ByteOrder::little);
  const auto magic = reader.number<std::uint32_t>(0), low = reader.number<std::uint32_t>(4);
  if (!magic || !low) return {};
  const auto revision = *magic & revision_mask;
  if (revision != first && revision != second && revision != third) return {};
  const std::uint64_t high = revision == first ? 0 : reader.number<std::uint32_t>(12).value_or(0);
  return {high << 32 | *low, (*magic & 1) != 0};
}

std::string setcap_text(const FileCapabilities& capabilities) {
  std::string names;
  for (std::size_t bit = 0; bit < capability_names.size(); ++bit)
    if ((capabilities.permitted >> bit & 1) != 0)
      names += (names.empty() ? "cap_" : ",cap_") + std::string(capability_names[bit]);
  return names.empty() ? "" : names + (capabilities.effective ? "+ep" : "+p");
}

std::string why_secure(const OpenedFile& program, UserId user) {
  if (program.no_set_id) return "";
  const auto& status = program.status;
  if (status.set_user_id && status.owner != user.uid)
    return fmt::format("it has the set-user-ID bit of user {}, and user {} starts it", status.owner, user.uid);
  if (status.set_group_id && status.group != user.gid)
    return fmt::format("it has the set-group-ID bit of group {}, and a user of group {} starts it", status.group,
                       user.gid);
  if (user.uid == 0) return "";
  const auto capabilities = read_file_capabilities(program.capabilities);
  if (!capabilities.any()) return "";
  return fmt::format("it has file capabilities ({}), and user {}, who is not root, starts it",
                     setcap_text(capabilities), user.uid);
}

Result<UserId> user_of(const Environment& environment, const FileSystem& files) {
  const auto& wanted = environment.user_name;
  if (wanted.empty()) return environment.user;
  const auto colon = wanted.find(':');
  if (const auto uid = number_in(std::string_view(wanted).substr(0, colon))) {
    const auto gid = colon == std::string::npos ? uid : number_in(std::string_view(wanted).substr(colon + 1));
    if (gid) return UserId{*uid, *gid};
  }
  constexpr std::uint64_t most_text = 1 << 20;
  const auto text = read_file(files, "/etc/passwd", most_text);
  if (text)
    for (const auto line : split(*text, "\n")) {
      const auto fields = split(line, ":");  // passwd(5): name, password, UID, GID
      if (fields.size() < 4 || fields[0] != wanted) continue;
      const auto uid = number_in(fields[2]), gid = number_in(fields[3]);
      if (uid && gid) return UserId{*uid, *gid};
    }
  return Error{ErrorCode::usage, "--user: there is no user " + wanted + " in /etc/passwd"};
}

}  // namespace cudald
