#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include <cudald/byte_order.h>
#include <cudald/format.h>
#include <cudald/linux_host_file.h>
#include <cudald/result.h>

namespace cudald {

/// What most files of a machine are made for, so that their rows need not say it.
struct HostMachine {
  std::uint16_t machine = 0;  ///< e_machine
  Format format = Format::elf64;
  ByteOrder order = ByteOrder::little;

  bool operator==(const HostMachine&) const = default;
};

/// Of "linux-x86_64".
HostMachine usual_machine(std::string_view platform);

/// The row of a file in a description of a machine. What is as in most files stands in no row.
nlohmann::ordered_json library_row(const HostLibrary&, const HostMachine&);
/// Error{usage} for a row without a path.
Result<HostLibrary> read_library_row(const nlohmann::json&, const HostMachine&);

// The parts of a row: what the file itself says, what is wrong with it, and its symbols.
void add_image(nlohmann::ordered_json& row, const Image&, const HostMachine&);
std::shared_ptr<const Image> read_image_row(const nlohmann::json&, const HostMachine&);
nlohmann::ordered_json defects_row(const std::vector<Defect>&);
std::vector<Defect> read_defects_row(const nlohmann::json&);
nlohmann::ordered_json symbols_row(const SymbolTable&);
std::shared_ptr<const SymbolTable> read_symbols_row(const nlohmann::json&, std::shared_ptr<const Image>);

}  // namespace cudald
