#include "image/image_store.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <cudald/image.h>

#include "image/library_texts.h"

namespace cudald {
namespace {

/// Calls `work` with each number below `count`, on as many threads as there are processors.
template <typename Work>
void for_each_index(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  const auto most = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  for (std::size_t i = 0; i < most; ++i)
    threads.emplace_back([&] {
      for (auto index = next++; index < count; index = next++) work(index);
    });
}

}  // namespace

const OpenedFile& ImageStore::open(const std::string& absolute_path) {
  const auto known = by_path_.find(absolute_path);
  if (known != by_path_.end()) return known->second;
  return by_path_.emplace(absolute_path, open_uncached(absolute_path)).first->second;
}

std::shared_ptr<const GpuCode> ImageStore::gpu_code(const std::string& absolute_path) {
  const auto& opened = open(absolute_path);
  if (!opened.image) return nullptr;
  const auto [place, is_new] = gpu_code_.try_emplace(opened.status.id);
  if (!is_new) return place->second;
  GpuCode code;
  if (opened.gpu) {
    code = *opened.gpu;
  } else if (const auto file = files_.open(absolute_path)) {
    code = read_gpu_code(**file, *opened.image);
  }
  if (!code.empty() || !code.defects.empty()) place->second = std::make_shared<const GpuCode>(std::move(code));
  return place->second;
}

const LibraryTexts& ImageStore::library_texts(const std::string& absolute_path) {
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
    if (const auto file = files_.open(*one.path)) *one.texts = read_library_texts(**file, *one.image);
  };
  std::sort(work.begin(), work.end(),
            [](const Work& a, const Work& b) { return a.image->file_size > b.image->file_size; });
  if (work.size() == 1) return read(work.front());
  for_each_index(work.size(), [&](std::size_t index) { read(work[index]); });
}

const OpenedFile* ImageStore::known(const std::string& absolute_path) const {
  const auto found = by_path_.find(absolute_path);
  return found == by_path_.end() ? nullptr : &found->second;
}

void ImageStore::prefetch(std::vector<std::string> paths) {
  std::erase_if(paths, [this](const std::string& path) { return by_path_.contains(path); });
  const auto size_of = [this](const std::string& path) {
    const auto status = files_.status(path);
    return status ? status->size : 0;
  };
  std::sort(paths.begin(), paths.end(),
            [&](const std::string& a, const std::string& b) { return size_of(a) > size_of(b); });
  std::vector<OpenedFile> opened(paths.size());
  for_each_index(paths.size(), [&](std::size_t index) { opened[index] = read(paths[index]); });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (opened[i].image) by_id_[opened[i].status.id] = opened[i].image;
    by_path_.emplace(paths[i], std::move(opened[i]));
  }
}

OpenedFile ImageStore::open_uncached(const std::string& path) {
  auto opened = read(path);
  if (opened.image) by_id_[opened.status.id] = opened.image;
  return opened;
}

OpenedFile ImageStore::read(const std::string& path) const {
  OpenedFile opened;
  const auto file = files_.open(path);
  if (!file) {
    opened.error = file.error();
    return opened;
  }
  opened.status = (*file)->status();
  if (const auto known = by_id_.find(opened.status.id); known != by_id_.end()) {
    opened.image = known->second;
  } else {
    // First of all: what is read of an image lies at the front and behind the fatbins.
    const auto fatbins = gpu_code_expected_ ? meet_fatbins(**file) : MetFatbins();
    auto image = read_image(**file);
    if (image && gpu_code_expected_ && (*file)->is_stream()) opened.gpu = read_gpu_code(**file, **image, fatbins);
    opened.error = image ? (*file)->verify() : image.error();
    if (opened.error) {
      opened.error->path = path;
      return opened;
    }
    opened.image = std::move(*image);
  }
  const auto real = files_.real_path(path);
  opened.real_path = real ? *real : path;
  return opened;
}

const std::vector<std::string>& ImageStore::list(const std::string& absolute_path) {
  const auto known = lists_.find(absolute_path);
  if (known != lists_.end()) return known->second;
  auto names = files_.list(absolute_path);
  return lists_.emplace(absolute_path, names ? std::move(*names) : std::vector<std::string>()).first->second;
}

ImageStore::FolderState ImageStore::folder_state(const std::string& absolute_path) {
  const auto known = folders_.find(absolute_path);
  if (known != folders_.end()) return known->second;
  const auto status = files_.status(absolute_path);
  const auto state = !status                            ? FolderState::absent
                     : status->kind == FileKind::folder ? FolderState::folder
                                                        : FolderState::not_a_folder;
  folders_.emplace(absolute_path, state);
  return state;
}

}  // namespace cudald
