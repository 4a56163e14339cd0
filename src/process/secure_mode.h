#pragma once

#include <cstdint>
#include <string>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "binary/image_store.h"

namespace cudald {

/// The capabilities that a file gives to a process that starts it.
/// Source: linux/capability.h, struct vfs_cap_data; capabilities(7), "File capabilities".
struct FileCapabilities {
  std::uint64_t permitted = 0;
  bool effective = false;

  bool any() const { return permitted != 0 || effective; }
};

/// Those in the bytes of the extended attribute security.capability; none if the bytes are not such.
FileCapabilities read_file_capabilities(const std::string& bytes);
/// "cap_net_raw+ep", as setcap(8) takes it.
std::string setcap_text(const FileCapabilities&);

/// Why a program that a user starts is a secure process (AT_SECURE): its set-user-ID or set-group-ID bit changes who it
/// is, or it has capabilities and the user is not root. Empty: it is not one.
/// Source: Linux security/commoncap.c, cap_bprm_creds_from_file; ld.so(8), "Secure-execution mode".
std::string why_secure(const OpenedFile& program, UserId user);

/// Who starts the program: the user of --user, by its number or as the tree's /etc/passwd says; else who asks. Error:
/// there is no such user.
Result<UserId> user_of(const Environment&, const FileSystem&);

}  // namespace cudald
