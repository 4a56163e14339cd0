#pragma once

namespace cudald {

enum class ByteOrder { little, big };

}  // namespace cudald
