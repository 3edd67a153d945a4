#!/usr/bin/env bash
# Draws the pictures of docs/guides/inside-a-kernel.md, docs/tour/*.png: views of pages that the build's tritonc exports,
# as Chromium shows them. Without Chromium the pictures stay as they are.
#
#   scripts/draw_tour.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
tritonc=${1:-build}/tools/tritonc/tritonc
if ! command -v chromium > /dev/null || [ ! -x "$tritonc" ]; then
  echo "docs/tour stays as it is: there is no chromium, or no $tritonc"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
signature="*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,256,64,8,None"
kernel=(examples/kernels/matmul.py:matmul_kernel --signature "$signature" --num-warps 8)
"$tritonc" compile "${kernel[@]}" --target cuda:80 --emit ptx -o "$folder" > /dev/null
mv "$folder/matmul_kernel.ptx" "$folder/ampere.ptx"
"$tritonc" explore "${kernel[@]}" --target cuda:90 --beside "$folder/ampere.ptx" --export "$folder/page.html"
mkdir -p docs/tour
for view in code layouts facts compare; do
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
    --window-size=1200,760 --virtual-time-budget=4000 --user-data-dir="$folder/profile" \
    --screenshot="$folder/$view.png" "file://$folder/page.html#$view" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  mv "$folder/$view.png" "docs/tour/$view.png"
done
