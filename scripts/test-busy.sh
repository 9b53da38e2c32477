#!/usr/bin/env bash
# Runs tests on a machine that is busy with other things, as those of the forge are: two loops for each processor and a writer
# on the disk. `scripts/test-busy.sh`, or with what `npm run test:run` takes: `scripts/test-busy.sh faults/ --name TEXT`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
others=()
end() {
  kill "${others[@]}" 2> /dev/null || true
  rm -rf "$folder"
}
trap end EXIT
for ((loop = 0; loop < 2 * $(nproc); loop++)); do
  while :; do :; done &
  others+=($!)
done
while :; do
  dd if=/dev/zero of="$folder/written" bs=1M count=512 conv=fsync 2> /dev/null
done &
others+=($!)
npm run -s test:run -- "$@"
