#include "cli/output/output.h"

#include "os/console.h"

namespace cudald {

FdBuffer::int_type FdBuffer::overflow(int_type c) {
  write(paths_.next({pbase(), static_cast<std::size_t>(pptr() - pbase())}));
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

int FdBuffer::sync() {
  write(paths_.next({pbase(), static_cast<std::size_t>(pptr() - pbase())}));
  write(paths_.rest());
  return system_error_ == 0 ? 0 : -1;
}

void FdBuffer::write(std::string_view text) {
  if (system_error_ == 0) system_error_ = write_all(fd_, text);
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

}  // namespace cudald
