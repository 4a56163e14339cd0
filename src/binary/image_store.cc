#include "binary/image_store.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/parallel.h"
#include "base/path.h"
#include "base/refusals.h"
#include "binary/bytes/readers.h"
#include "binary/cached_facts.h"
#include "binary/constants/read_only_data.h"
#include "tree/buffered_file.h"

namespace cudald {
namespace {

/// Constants are a part of that.
std::uint64_t size_of_segments(const Image& image) {
  if (!image.is_elf()) return image.file_size;
  std::uint64_t size = 0;
  for (const auto& segment : image.elf.load_segments) size += std::min(segment.file_size, image.file_size);
  return size;
}

FileAccess access_of(const Result<std::unique_ptr<File>>& file) {
  return !file ? FileAccess::none : (*file)->is_stream() ? FileAccess::stream : FileAccess::any_order;
}

}  // namespace

ImageStore::ImageStore(const FileSystem& files) : ImageStore(files, std::make_unique<Own>()) {}

const OpenedFile& ImageStore::open(const std::string& absolute_path) {
  auto place = by_path_.find(absolute_path);
  if (place == by_path_.end()) {
    add(absolute_path, read(absolute_path, &recent_));
    place = by_path_.find(absolute_path);
  }
  auto& known = place->second;
  if (known.question == question_) return known.file;
  if (!budget_.add(known.cost)) return beyond(absolute_path);
  known.question = question_;
  return known.file;
}

const OpenedFile& ImageStore::beyond(const std::string& path) {
  auto& refused = beyond_[path];
  refused.error = budget_.error();
  refused.error->path = path;
  return refused;
}

void ImageStore::add(const std::string& path, Known known) {
  if (known.file.image) by_id_[known.file.status.id] = {known.file.image, known.cost};
  // Who asks for it by its real path, as most do later on, need not have it opened again.
  if (known.file.image && !known.file.real_path.empty() && known.file.real_path != path) {
    auto real = known;
    real.file.gpu.reset();
    by_path_.try_emplace(known.file.real_path, std::move(real));
  }
  by_path_.emplace(path, std::move(known));
}

std::shared_ptr<const GpuCode> ImageStore::gpu_code(const std::string& absolute_path) {
  const auto& opened = open(absolute_path);
  if (!opened.image) return nullptr;
  const auto [place, is_new] = gpu_code_.try_emplace(opened.status.id);
  if (!is_new) return place->second;
  GpuCode code;
  if (opened.gpu) {
    code = *opened.gpu;
  } else if (!opened.image->lacks_gpu_code) {
    const auto ahead = gpu_code_ahead_.extract(opened.status.id);
    auto reading = ahead ? std::move(ahead.mapped()) : std::nullopt;
    if (!reading)
      if (const auto file = files_.open(absolute_path)) reading = read_gpu_code_of(**file, *opened.image);
    if (reading) {
      code = std::move(reading->code);
      if (!budget_.add(reading->cost)) tell_limit(budget_, code.defects);
    }
  }
  if (!code.empty() || !code.defects.empty()) place->second = std::make_shared<const GpuCode>(std::move(code));
  return place->second;
}

GpuCodeReading ImageStore::read_gpu_code_of(const File& file, const Image& image) const {
  return kept_facts().gpu_code.read(file, image);
}

void ImageStore::prefetch_gpu_code(const std::vector<std::string>& paths) {
  struct Work {
    const std::string* path;
    const Image* image;
    std::optional<GpuCodeReading>* reading;
  };
  std::vector<Work> work;
  std::uint64_t size = 0;
  for (const auto& path : paths) {
    const auto* opened = known(path);
    if (opened == nullptr || !opened->image || opened->gpu || opened->image->lacks_gpu_code) continue;
    if (gpu_code_.contains(opened->status.id)) continue;
    const auto [place, is_new] = gpu_code_ahead_.try_emplace(opened->status.id);
    if (!is_new) continue;
    work.push_back({&path, opened->image.get(), &place->second});
    size += opened->image->file_size;
  }
  std::sort(work.begin(), work.end(),
            [](const Work& a, const Work& b) { return a.image->file_size > b.image->file_size; });
  constexpr std::uint64_t least_bytes = std::uint64_t{64} << 20;  // below, a thread costs more than it saves
  ThreadLimit alone(1);
  for_each_index(size < least_bytes ? alone : threads_, work.size(), [&](std::size_t index) {
    const auto& [path, image, reading] = work[index];
    const auto file = files_.open(*path);
    if (!file || (*file)->is_stream()) return;  // streams are read in the order of their archive
    *reading = read_gpu_code_of(**file, *image);
  });
}

FileAccess ImageStore::access(const std::string& absolute_path) {
  if (const auto known = by_path_.find(absolute_path); known != by_path_.end()) return known->second.access;
  constexpr std::size_t most_known = 100'000;
  if (access_.size() == most_known) access_.clear();
  const auto [place, is_new] = access_.try_emplace(absolute_path);
  if (is_new) place->second = access_of(files_.open(absolute_path));
  return place->second;
}

KeptFacts& ImageStore::kept_facts() const {
  static KeptFacts nothing("");
  return kept_ == nullptr ? nothing : *kept_;
}

std::optional<std::uint64_t> ImageStore::constant_text(const std::string& absolute_path, const Image& image,
                                                       const std::string& text) const {
  const auto file = files_.open(absolute_path);
  if (!file) return std::nullopt;
  const auto find = [&](const File& given) { return find_constant_text(given, image, text); };
  return kept_facts().constants.read(**file, find, text);
}

const LibraryTexts& ImageStore::library_texts(const std::string& absolute_path) {
  const auto known = library_texts_.find(open(absolute_path).status.id);
  if (known != library_texts_.end()) return known->second;
  prefetch_library_texts({absolute_path});
  return library_texts_.at(open(absolute_path).status.id);
}

void ImageStore::prefetch_library_texts(const std::vector<std::string>& paths) {
  struct Work {
    const std::string* path;
    const Image* image;
    LibraryTexts* texts;
  };
  std::vector<Work> work;
  for (const auto& path : paths) {
    const auto& opened = open(path);
    const auto [place, is_new] = library_texts_.try_emplace(opened.status.id);
    if (is_new && opened.image) work.push_back({&path, opened.image.get(), &place->second});
  }
  const auto read = [this](const Work& one) {
    std::unique_ptr<File> opened;
    const File* file = *one.path == recent_.path ? recent_.file.get() : nullptr;
    if (file == nullptr) {
      auto again = files_.open(*one.path);
      if (!again) return;
      file = (opened = buffered(std::move(*again))).get();
    }
    *one.texts = kept_facts().texts.read(*file, *one.image);
  };
  std::sort(work.begin(), work.end(),
            [](const Work& a, const Work& b) { return a.image->file_size > b.image->file_size; });
  constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;  // below, a thread costs more than it saves
  std::uint64_t size = 0;
  for (const auto& one : work) size += size_of_segments(*one.image);
  ThreadLimit alone(1);
  for_each_index(size < least_bytes ? alone : threads_, work.size(), [&](std::size_t index) { read(work[index]); });
}

const OpenedFile* ImageStore::known(const std::string& absolute_path) const {
  const auto found = by_path_.find(absolute_path);
  return found == by_path_.end() ? nullptr : &found->second.file;
}

void ImageStore::prefetch(std::vector<std::string> paths) {
  std::erase_if(paths, [this](const std::string& path) { return by_path_.contains(path); });
  const auto size_of = [this](const std::string& path) {
    const auto status = files_.status(path);
    return status ? status->size : 0;
  };
  std::sort(paths.begin(), paths.end(),
            [&](const std::string& a, const std::string& b) { return size_of(a) > size_of(b); });
  std::vector<Known> opened(paths.size());
  for_each_index(threads_, paths.size(), [&](std::size_t index) { opened[index] = read(paths[index]); });
  for (std::size_t i = 0; i < paths.size(); ++i) add(paths[i], std::move(opened[i]));
}

ImageStore::Known ImageStore::read(const std::string& path, Recent* recent) const {
  Known result;
  auto& opened = result.file;
  auto file = files_.open(path);
  result.access = access_of(file);
  if (!file) {
    opened.error = file.error();
    return result;
  }
  *file = buffered(std::move(*file));
  opened.status = (*file)->status();
  if (const auto known = by_id_.find(opened.status.id); known != by_id_.end()) {
    opened.image = known->second.image;
    result.cost = known->second.cost;
  } else {
    Budget budget(limits_of_one_file), gpu_budget(limits_of_one_file);
    // First of all: what is read of an image lies at the front and behind the fatbins.
    const auto fatbins = gpu_code_expected_ ? meet_fatbins(**file, gpu_budget) : MetFatbins();
    auto image = read_image(**file, budget);
    if (image && gpu_code_expected_ && (*file)->is_stream())
      opened.gpu = read_gpu_code(**file, **image, fatbins, gpu_budget);
    result.cost = budget.cost() + gpu_budget.cost();
    opened.error = image ? (*file)->verify() : image.error();
    if (opened.error) {
      opened.error->path = path;
      return result;
    }
    opened.image = std::move(*image);
  }
  if (opened.image->is_elf()) {
    const auto mount = (*file)->mount();
    opened.no_exec = mount.no_exec;
    opened.no_set_id = mount.no_set_id;
    if (opened.image->elf.interpreter) opened.capabilities = (*file)->capabilities();
  }
  const auto real = files_.real_path(path);
  note_if_refused(real);  // of a file that was opened there is one
  opened.real_path = real ? *real : path;
  if (recent != nullptr && (*file)->is_at_hand()) *recent = {path, std::move(*file)};
  return result;
}

const std::vector<std::string>& ImageStore::list(const std::string& absolute_path) {
  const auto known = lists_.find(absolute_path);
  if (known != lists_.end()) return known->second;
  auto names = files_.list(absolute_path);
  return lists_.emplace(absolute_path, names ? std::move(*names) : std::vector<std::string>()).first->second;
}

bool ImageStore::has_name(const std::string& absolute_path) {
  const auto listed = lists_.find(std::string(parent_path(absolute_path)));
  if (listed == lists_.end()) {
    // Many files ask for the same library that is nowhere.
    const auto [known, is_new] = has_name_.try_emplace(absolute_path);
    if (is_new) known->second = files_.has_name(absolute_path);
    return known->second;
  }
  return std::binary_search(listed->second.begin(), listed->second.end(), std::string(file_name(absolute_path)));
}

ImageStore::FolderState ImageStore::folder_state(const std::string& absolute_path) {
  const auto known = folders_.find(absolute_path);
  if (known != folders_.end()) return known->second;
  // Nothing lies below what is no folder: of a dozen folders for other processors most are below one that is not there.
  const auto above = folders_.find(std::string(parent_path(absolute_path)));
  const auto status = above == folders_.end() || above->second == FolderState::folder ? files_.status(absolute_path)
                                                                                      : Result<FileStatus>(Error{});
  const auto state = !status                            ? FolderState::absent
                     : status->kind == FileKind::folder ? FolderState::folder
                                                        : FolderState::not_a_folder;
  folders_.emplace(absolute_path, state);
  return state;
}

}  // namespace cudald
