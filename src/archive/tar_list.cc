#include "archive/tar_list.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "archive/archive_library.h"

namespace cudald {
namespace {

constexpr std::size_t tar_block = 512;

/// Hands a tar to libarchive block by block, so that no more is read of it than its headers.
class TarReader {
 public:
  TarReader(const ArchiveLibrary& library, const File& file, const std::string& name)
      : library_(library), file_(file), name_(name), reader_(library.read_new()) {}
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader() { library_.read_free(reader_); }

  std::optional<Error> list(const std::function<void(TarMember&)>& visit) {
    library_.read_support_format_tar(reader_);
    library_.read_set_read_callback(reader_, supply);
    library_.read_set_skip_callback(reader_, skip);
    library_.read_set_callback_data(reader_, this);
    if (library_.read_open1(reader_) != ARCHIVE_OK) return fault("not a directory, nor a tar that can be read", 0);
    archive_entry* entry = nullptr;
    std::size_t members = 0, name_bytes = 0;
    for (;;) {
      const auto outcome = library_.read_next_header(reader_, &entry);
      if (outcome == ARCHIVE_EOF) return std::nullopt;
      // Warnings are about characters that another locale would not have.
      if (outcome != ARCHIVE_OK && outcome != ARCHIVE_WARN) return damage(members);
      auto member = describe(*entry);
      name_bytes += member.name.size() + member.link.size() + member.extents.size() * sizeof(SparseExtent);
      if (++members > most_tar_members || name_bytes > most_tar_name_bytes)
        return Error{ErrorCode::limit,
                     fmt::format("more than {} members, or {} bytes of names and sparse extents", most_tar_members,
                                 most_tar_name_bytes),
                     name_, member.header_offset, 0};
      const auto end = member.offset + member.stored_size();
      visit(member);
      if (const auto error = check_end(end, members)) return error;
    }
  }

 private:
  static la_ssize_t supply(archive*, void* self, const void** buffer) {
    auto& reader = *static_cast<TarReader*>(self);
    *buffer = reader.block_.data();
    const auto got = reader.file_.read(reader.position_, reader.block_);
    if (!got) {
      reader.error_ = got.error();
      return ARCHIVE_FATAL;
    }
    reader.position_ += *got;
    return static_cast<la_ssize_t>(*got);
  }

  static la_int64_t skip(archive*, void* self, la_int64_t length) {
    static_cast<TarReader*>(self)->position_ += static_cast<std::uint64_t>(length);
    return length;
  }

  /// libarchive takes a tar that ends within a member's bytes for one that ends behind it, if they are skipped.
  std::optional<Error> check_end(std::uint64_t end, std::size_t members) {
    std::byte last[1];
    if (end == 0) return std::nullopt;
    const auto got = file_.read(end - 1, last);
    if (!got) return got.error();
    if (*got == 0) return fault(fmt::format("cut short within member {}, which should end at {}", members, end), end);
    return std::nullopt;
  }

  TarMember describe(archive_entry& entry) const {
    TarMember member;
    const auto text = [](const char* words) { return std::string(words != nullptr ? words : ""); };
    member.name = text(library_.entry_pathname(&entry));
    member.mode = static_cast<std::uint16_t>(library_.entry_perm(&entry));
    member.header_offset = static_cast<std::uint64_t>(library_.read_header_position(reader_));
    member.offset = static_cast<std::uint64_t>(library_.filter_bytes(reader_, 0));
    if (library_.entry_hardlink(&entry) != nullptr) {
      member.kind = TarMember::Kind::hard_link;
      member.link = text(library_.entry_hardlink(&entry));
      return member;
    }
    switch (library_.entry_filetype(&entry)) {
      case AE_IFREG: break;
      case AE_IFDIR: member.kind = TarMember::Kind::folder; return member;
      case AE_IFLNK:
        member.kind = TarMember::Kind::symlink;
        member.link = text(library_.entry_symlink(&entry));
        return member;
      default: member.kind = TarMember::Kind::other; return member;
    }
    member.size = static_cast<std::uint64_t>(std::max<la_int64_t>(library_.entry_size(&entry), 0));
    la_int64_t offset = 0, length = 0;
    // Counting frees a list of one extent that is the whole file, and to begin at the first one counts as well: whoever
    // begins without having counted reads what is freed (libarchive 3.6, archive_entry_sparse.c).
    if (library_.entry_sparse_count(&entry) == 0) return member;
    library_.entry_sparse_reset(&entry);
    while (library_.entry_sparse_next(&entry, &offset, &length) == ARCHIVE_OK)
      if (offset >= 0 && length > 0)
        member.extents.push_back({static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)});
    // Nothing but a hole, which libarchive tells by one extent without bytes.
    if (member.extents.empty()) member.extents.push_back({0, 0});
    return member;
  }

  Error fault(std::string what, std::uint64_t offset) const {
    if (error_) return *error_;
    return {ErrorCode::malformed, std::move(what), name_, offset, 0};
  }

  Error damage(std::size_t members) const {
    const auto* words = library_.error_string(reader_);
    return fault(fmt::format("damaged or cut short behind {} members ({})", members,
                             words != nullptr ? words : "no reason given"),
                 static_cast<std::uint64_t>(library_.filter_bytes(reader_, 0)));
  }

  const ArchiveLibrary& library_;
  const File& file_;
  const std::string& name_;
  archive* reader_;
  std::array<std::byte, tar_block> block_{};
  std::uint64_t position_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::uint64_t TarMember::stored_size() const {
  if (extents.empty()) return size;
  std::uint64_t bytes = 0;
  for (const auto& extent : extents) bytes += extent.length;
  return bytes;
}

std::optional<Error> list_tar(const File& file, const std::string& name, const std::function<void(TarMember&)>& visit) {
  const auto& library = ArchiveLibrary::get();
  if (!library) return Error{ErrorCode::unreadable, library.error().message, name};
  return TarReader(*library, file, name).list(visit);
}

std::shared_ptr<const File> open_tar_member(std::shared_ptr<const File> tar, const TarMember& member,
                                            FileStatus status) {
  if (member.extents.empty()) return make_stored_file(std::move(tar), member.offset, status);
  return make_sparse_file(std::move(tar), member.offset, status, member.extents);
}

}  // namespace cudald
