/* The constants and structures of ELF files that cudald reads, for systems without <elf.h>. Only what is used is here.
   Source: System V ABI, "Object Files" (gABI 4.3) and its supplements for the processors; LSB 5.0 Core, "Object
   Format"; for names with GNU in them, the GNU gABI extensions. */
#pragma once

#include <stdint.h>

#define ELFMAG "\177ELF"
#define SELFMAG 4
#define EI_NIDENT 16

enum { EI_CLASS = 4, EI_DATA, EI_VERSION, EI_OSABI, EI_ABIVERSION, EI_PAD };
enum { ELFCLASS32 = 1, ELFCLASS64 };
enum { ELFDATA2LSB = 1, ELFDATA2MSB };
enum { EV_CURRENT = 1 };
enum {
  ELFOSABI_SYSV = 0,
  ELFOSABI_HPUX = 1,
  ELFOSABI_NETBSD = 2,
  ELFOSABI_GNU = 3,
  ELFOSABI_SOLARIS = 6,
  ELFOSABI_AIX = 7,
  ELFOSABI_FREEBSD = 9,
  ELFOSABI_OPENBSD = 12
};
enum { ET_NONE = 0, ET_REL, ET_EXEC, ET_DYN, ET_CORE };

/* Macros where `#ifndef` may ask for them, or where a switch would compare different enumerations. */
#define EM_NONE 0
#define EM_SPARC 2
#define EM_386 3
#define EM_MIPS 8
#define EM_PPC 20
#define EM_PPC64 21
#define EM_S390 22
#define EM_ARM 40
#define EM_SPARCV9 43
#define EM_IA_64 50
#define EM_X86_64 62
#define EM_AARCH64 183
#define EM_CUDA 190
#define EM_RISCV 243
#define EM_ALPHA 0x9026

#define EF_ARM_EABIMASK 0xff000000
#define EF_ARM_EABI_VER5 0x05000000
#define EF_ARM_ABI_FLOAT_HARD 0x400

#define PT_LOAD 1
#define PT_DYNAMIC 2
#define PT_INTERP 3
#define PT_NOTE 4
#define PT_PHDR 6
#define PT_TLS 7
#define PT_GNU_EH_FRAME 0x6474e550
#define PT_GNU_STACK 0x6474e551
#define PF_X 1
#define PF_W 2
#define PF_R 4

#define SHN_UNDEF 0
#define SHN_ABS 0xfff1
#define SHN_XINDEX 0xffff
#define SHT_NULL 0
#define SHT_PROGBITS 1
#define SHT_STRTAB 3
#define SHT_DYNAMIC 6
#define SHT_NOBITS 8
#define SHT_DYNSYM 11
#define SHF_ALLOC 0x2
#define SHF_EXECINSTR 0x4
#define SHF_TLS 0x400

#define STB_LOCAL 0
#define STB_GLOBAL 1
#define STB_WEAK 2
#define STB_GNU_UNIQUE 10
#define STT_NOTYPE 0
#define STT_OBJECT 1
#define STT_FUNC 2
#define STT_COMMON 5
#define STT_TLS 6
#define STT_GNU_IFUNC 10
#define STV_DEFAULT 0
#define STV_INTERNAL 1
#define STV_HIDDEN 2
#define STV_PROTECTED 3

#define DT_NULL 0
#define DT_NEEDED 1
#define DT_PLTRELSZ 2
#define DT_HASH 4
#define DT_STRTAB 5
#define DT_SYMTAB 6
#define DT_RELA 7
#define DT_RELASZ 8
#define DT_STRSZ 10
#define DT_INIT 12
#define DT_SONAME 14
#define DT_RPATH 15
#define DT_SYMBOLIC 16
#define DT_REL 17
#define DT_RELSZ 18
#define DT_PLTREL 20
#define DT_TEXTREL 22
#define DT_JMPREL 23
#define DT_BIND_NOW 24
#define DT_INIT_ARRAY 25
#define DT_INIT_ARRAYSZ 27
#define DT_RUNPATH 29
#define DT_FLAGS 30
#define DT_RELR 36
#define DT_NUM 38
#define DT_GNU_HASH 0x6ffffef5
#define DT_CONFIG 0x6ffffefa
#define DT_DEPAUDIT 0x6ffffefb
#define DT_AUDIT 0x6ffffefc
#define DT_MIPS_RLD_MAP_REL 0x70000035
#define DT_VERSYM 0x6ffffff0
#define DT_RELACOUNT 0x6ffffff9
#define DT_RELCOUNT 0x6ffffffa
#define DT_FLAGS_1 0x6ffffffb
#define DT_VERDEF 0x6ffffffc
#define DT_VERNEED 0x6ffffffe
#define DT_VERNEEDNUM 0x6fffffff
#define DT_AUXILIARY 0x7ffffffd
#define DT_FILTER 0x7fffffff
#define DF_SYMBOLIC 0x2
#define DF_TEXTREL 0x4
#define DF_BIND_NOW 0x8
#define DF_STATIC_TLS 0x10
#define DF_1_NOW 0x1
#define DF_1_NODEFLIB 0x800
#define VER_FLG_BASE 0x1
#define VER_FLG_WEAK 0x2

#define NT_GNU_ABI_TAG 1
#define NT_GNU_BUILD_ID 3
#define NT_GNU_PROPERTY_TYPE_0 5
#define GNU_PROPERTY_X86_ISA_1_NEEDED 0xc0008002
#define GNU_PROPERTY_X86_ISA_1_BASELINE 1U

#define R_386_COPY 5
#define R_386_JMP_SLOT 7
#define R_386_TLS_TPOFF 14
#define R_386_TLS_DTPMOD32 35
#define R_386_TLS_DTPOFF32 36
#define R_386_TLS_TPOFF32 37
#define R_386_TLS_DESC 41
#define R_390_COPY 9
#define R_390_JMP_SLOT 11
#define R_AARCH64_COPY 1024
#define R_AARCH64_JUMP_SLOT 1026
#define R_AARCH64_TLS_DTPMOD 1028
#define R_AARCH64_TLS_TPREL 1030
#define R_AARCH64_TLSDESC 1031
#define R_ARM_COPY 20
#define R_ARM_JUMP_SLOT 22
#define R_PPC64_COPY 19
#define R_PPC64_JMP_SLOT 21
#define R_RISCV_COPY 4
#define R_RISCV_JUMP_SLOT 5
#define R_X86_64_64 1
#define R_X86_64_COPY 5
#define R_X86_64_GLOB_DAT 6
#define R_X86_64_JUMP_SLOT 7
#define R_X86_64_RELATIVE 8
#define R_X86_64_DTPMOD64 16
#define R_X86_64_TPOFF64 18
#define R_X86_64_TLSDESC 36

#define ELF64_R_SYM(info) ((info) >> 32)
#define ELF64_R_TYPE(info) ((info) & 0xffffffff)

typedef struct {
  unsigned char e_ident[EI_NIDENT];
  uint16_t e_type, e_machine;
  uint32_t e_version, e_entry, e_phoff, e_shoff, e_flags;
  uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf32_Ehdr;

typedef struct {
  unsigned char e_ident[EI_NIDENT];
  uint16_t e_type, e_machine;
  uint32_t e_version;
  uint64_t e_entry, e_phoff, e_shoff;
  uint32_t e_flags;
  uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct {
  uint32_t p_type, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_flags, p_align;
} Elf32_Phdr;

typedef struct {
  uint32_t p_type, p_flags;
  uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;

typedef struct {
  uint32_t sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link, sh_info, sh_addralign, sh_entsize;
} Elf32_Shdr;

typedef struct {
  uint32_t sh_name, sh_type;
  uint64_t sh_flags, sh_addr, sh_offset, sh_size;
  uint32_t sh_link, sh_info;
  uint64_t sh_addralign, sh_entsize;
} Elf64_Shdr;

typedef struct {
  uint32_t st_name, st_value, st_size;
  unsigned char st_info, st_other;
  uint16_t st_shndx;
} Elf32_Sym;

typedef struct {
  uint32_t st_name;
  unsigned char st_info, st_other;
  uint16_t st_shndx;
  uint64_t st_value, st_size;
} Elf64_Sym;

typedef struct {
  int32_t d_tag;
  uint32_t d_val;
} Elf32_Dyn;

typedef struct {
  int64_t d_tag;
  uint64_t d_val;
} Elf64_Dyn;

typedef struct {
  uint32_t r_offset, r_info;
} Elf32_Rel;

typedef struct {
  uint32_t r_offset, r_info;
  int32_t r_addend;
} Elf32_Rela;

typedef struct {
  uint64_t r_offset, r_info;
} Elf64_Rel;

typedef struct {
  uint64_t r_offset, r_info;
  int64_t r_addend;
} Elf64_Rela;

typedef struct {
  uint32_t n_namesz, n_descsz, n_type;
} Elf64_Nhdr;

typedef struct {
  uint16_t vd_version, vd_flags, vd_ndx, vd_cnt;
  uint32_t vd_hash, vd_aux, vd_next;
} Elf64_Verdef;

typedef struct {
  uint16_t vn_version, vn_cnt;
  uint32_t vn_file, vn_aux, vn_next;
} Elf64_Verneed;

typedef struct {
  uint32_t vna_hash;
  uint16_t vna_flags, vna_other;
  uint32_t vna_name, vna_next;
} Elf64_Vernaux;
