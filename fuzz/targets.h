#pragma once

#include <string>

namespace cudald {

class ImageStore;  // binary/image_store.h
struct Report;     // cudald/report.h

// What one input of libFuzzer is given to: each target reads bytes as one kind of file, or answers one question. A
// fault is whatever the sanitizers report, and what is not as required: std::abort ends the run then.

// read_binaries.cc
void fuzz_library(const std::string& bytes);
void fuzz_rewrite(const std::string& bytes);

/// All that is read of a file that loaders map.
void read_library(ImageStore&, const std::string& path);

// read_archives.cc
void fuzz_wheel(const std::string& bytes);
void fuzz_conda(const std::string& bytes);
void fuzz_tar(const std::string& bytes);

// read_texts.cc
void fuzz_cache(const std::string& bytes);
void fuzz_conf(const std::string& bytes);
void fuzz_host(const std::string& bytes);
void fuzz_index(const std::string& bytes);
void fuzz_kept(const std::string& bytes);
void fuzz_knowledge(const std::string& bytes);
void fuzz_lock(const std::string& bytes);
void fuzz_message(const std::string& bytes);
void fuzz_metadata(const std::string& bytes);
void fuzz_toml(const std::string& bytes);

// read_python.cc
void fuzz_python(const std::string& bytes);
void fuzz_import(const std::string& bytes);

// read_trees.cc
void fuzz_environment(const std::string& bytes);
void fuzz_question(const std::string& bytes);
void fuzz_machine(const std::string& bytes);

// write_reports.cc
void fuzz_writers(const std::string& bytes);

/// Ends the run if a condition does not hold.
void require(bool condition);
/// Writes a report in every format, and requires that those that others parse are whole, and that no byte of a target
/// can move a cursor.
void write_all(const Report&);

}  // namespace cudald
