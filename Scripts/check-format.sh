#!/usr/bin/env bash
# Every Swift file of the repository has the format of .swift-format.
set -euo pipefail
cd "$(dirname "$0")/.."

# Symbolic links are files of another folder.
files=()
while IFS= read -r file; do
  [[ -L "$file" || ! -e "$file" ]] || files+=("$file")
done < <(git ls-files '*.swift' ':!Scripts/*.swift')
((${#files[@]} > 1000)) || {
  printf 'only %s files were found\n' "${#files[@]}" >&2
  exit 1
}
swift format lint --strict --parallel "${files[@]}"
printf '%s files\n' "${#files[@]}"
