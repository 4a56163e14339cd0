// What CMake would make of config.h.in: ELF and PE, nothing else.
#ifndef LIEF_CONFIG_H_
#define LIEF_CONFIG_H_

#define LIEF_ELF_SUPPORT 1
#define LIEF_PE_SUPPORT 1
#define LIEF_FROZEN_ENABLED 1

#ifdef __cplusplus

static constexpr bool lief_pe_support = true;
static constexpr bool lief_elf_support = true;
static constexpr bool lief_macho_support = false;

static constexpr bool lief_oat_support = false;
static constexpr bool lief_dex_support = false;
static constexpr bool lief_vdex_support = false;
static constexpr bool lief_art_support = false;

static constexpr bool lief_json_support = false;
static constexpr bool lief_logging_support = false;
static constexpr bool lief_logging_debug = false;
static constexpr bool lief_frozen_enabled = true;

#endif

#endif
