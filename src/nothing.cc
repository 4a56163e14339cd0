// Compiled with a unit whose number of sources Meson miscounts: see src/meson.build.
