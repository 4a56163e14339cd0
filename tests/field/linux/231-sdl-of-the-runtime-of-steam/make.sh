. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Arch Linux"\nID=arch\n'; S=root/home/f/.local/share/Steam
lib root/usr/lib64/libSDL2-2.0.so.0 '' -nostdlib <<<'int SDL_Init(void) { return 0; }'
R=$S/ubuntu12_32/steam-runtime/usr/lib/x86_64-linux-gnu
lib $R/libSDL2-2.0.so.0 '' -nostdlib \
  <<<'int SDL_Init(void) { return 0; } int SDL_GL_ResetAttributes(void) { return 0; }'
lib $S/steamapps/common/Half-Life/hw.so '' -nostdlib $R/libSDL2-2.0.so.0 \
  <<<'int SDL_GL_ResetAttributes(void); int f(void) { return SDL_GL_ResetAttributes(); }'; ldconfig -r root
