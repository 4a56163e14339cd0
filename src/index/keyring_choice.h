#pragma once

#include <memory>

#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/result.h>

#include "index/index_settings.h"
#include "index/keyring.h"

namespace cudald {

/// How the keyring is asked that pip or uv are told to ask; none if none is. Error{usage} if the setting has a value
/// that the program does not know.
Result<std::shared_ptr<KeyringSettings>> choose_keyring(const IndexSettings&, const Environment&, const FileSystem&);

}  // namespace cudald
