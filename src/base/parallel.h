#pragma once

#include <cstddef>
#include <functional>

#include <cudald/thread_limit.h>

namespace cudald {

/// Calls `work` with each number below `count`, in this thread and in as many others as the limit allows. Ends when all
/// have ended. What `work` throws is thrown here; of several exceptions that of the lowest number that was come to.
void for_each_index(ThreadLimit&, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace cudald
