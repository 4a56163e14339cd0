<#
.SYNOPSIS
  Describes this machine for cudald, which can then judge for it on any other one:  cudald explain --host host.json ...

.DESCRIPTION
  Writes names only: of DLLs in System32, SysWOW64, the folders of PATH and Python's folder, known DLLs, PATH, the variables
  of CUDA, the version of Windows, Python and the display driver. Nothing is changed, and no DLL is opened but for the
  version of nvcuda.dll.

.EXAMPLE
  powershell -ExecutionPolicy Bypass -File capture-windows-host.ps1 -Output host.json
#>
param([string]$Output = "host.json", [string]$Python = "python")

$ErrorActionPreference = "Stop"
if ([Environment]::Is64BitOperatingSystem -and -not [Environment]::Is64BitProcess) {
  throw "run this in the 64-bit PowerShell: a 32-bit one sees SysWOW64 in the place of System32"
}

function Get-DllNames([string]$folder) {
  @(Get-ChildItem -LiteralPath $folder -File -Force -ErrorAction SilentlyContinue |
      Where-Object { $_.Extension -in ".dll", ".drv", ".pyd" } | ForEach-Object { $_.Name } | Sort-Object)
}

$windows = $env:SystemRoot
$path = @($env:Path -split ";" | ForEach-Object { [Environment]::ExpandEnvironmentVariables($_.Trim('"')).TrimEnd("\") } |
    Where-Object { $_ -match "^[A-Za-z]:\\" })

$version = $folder = $flavour = $null
try {
  $told = & $Python -c "import sys, os; print('%d.%d.%d' % sys.version_info[:3]); print(sys.base_prefix); print(os.path.isdir(os.path.join(sys.base_prefix, 'conda-meta')))" 2>$null
  $version, $folder, $conda = $told
  $flavour = if ($conda -eq "True") { "conda" } else { "python.org" }
} catch { }  # no Python

$folders = [ordered]@{}
$ofPython = @("", "\DLLs", "\Library\bin", "\Library\usr\bin", "\Library\mingw-w64\bin", "\Scripts", "\bin" |
    Where-Object { $folder } | ForEach-Object { "$folder$_" })
foreach ($each in @("$windows\System32", "$windows\SysWOW64", $windows) + $path + $ofPython) {
  if ($each -and -not $folders.Contains($each) -and (Test-Path -LiteralPath $each -PathType Container)) {
    $folders[$each] = @(Get-DllNames $each)
  }
}

$known = Get-Item "HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs"
$knownDlls = @($known.GetValueNames() | Where-Object { $_ -notmatch "^DllDirectory" } | ForEach-Object { $known.GetValue($_) })

$variables = [ordered]@{}
Get-ChildItem env: | Where-Object { $_.Name -match "^(CUDA_|CUDNN|NVTOOLSEXT|CONDA_|ProgramFiles$|ProgramData$)" } |
  ForEach-Object { $variables[$_.Name] = $_.Value }

# 31.0.15.3161 of nvcuda.dll is driver 531.61: its last five digits.
$driver = $null
$nvcuda = "$windows\System32\nvcuda.dll"
if (Test-Path -LiteralPath $nvcuda) {
  $digits = (Get-Item -LiteralPath $nvcuda).VersionInfo.FileVersion -replace "[^0-9]", ""
  if ($digits.Length -ge 5) { $driver = $digits.Substring($digits.Length - 5, 3) + "." + $digits.Substring($digits.Length - 2) }
}

$os = [Environment]::OSVersion.Version
$description = [ordered]@{
  schema = "cudald/host"
  schema_version = "1.0"
  platform = if ([Environment]::Is64BitOperatingSystem) { "windows-x86_64" } else { "windows-i386" }
  driver = $driver
  windows = [ordered]@{
    build = "$($os.Major).$($os.Minor).$($os.Build)"
    folder = $windows
    known_dlls = $knownDlls
    path = $path
    variables = $variables
    python = [ordered]@{ version = $version; flavour = $flavour; folder = $folder }
    folders = $folders
  }
}
$json = $description | ConvertTo-Json -Depth 6
$place = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Output)
[IO.File]::WriteAllText($place, $json + "`n", (New-Object Text.UTF8Encoding($false)))
Write-Host "$Output describes this machine"
