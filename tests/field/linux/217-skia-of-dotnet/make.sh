. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="11"\n'; mkdir -p root/app; printf MZ >root/app/SkiaSharp.dll
touch root/.dockerenv; ldconfig -r root
