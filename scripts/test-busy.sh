#!/usr/bin/env bash
# Runs tests on a machine that is busy with other things, as those of the forge are: two loops for each processor, a writer
# on the disk, and now and then one of the tests' processes stands still for two seconds, as when its machine is not its turn.
# `scripts/test-busy.sh`, or with what `npm run test:run` takes: `scripts/test-busy.sh faults/ --name TEXT`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
others=()
end() {
  kill "${others[@]}" 2> /dev/null || true
  [ ! -e "$folder/still" ] || kill -CONT "$(cat "$folder/still")" 2> /dev/null || true
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
npm run -s test:run -- "$@" &
runner=$!

# The processes below the runner; whoever was started later has the higher number, but for the few after the last one.
below_runner() {
  ps -e -o pid=,ppid= | sort -n |
    awk -v top="$runner" 'BEGIN { of[top] = 1 } $2 in of { of[$1] = 1; print $1 }'
}
while sleep 1; do
  below_runner | shuf -n 1 > "$folder/still"
  kill -STOP "$(cat "$folder/still")" 2> /dev/null || continue
  sleep 2
  kill -CONT "$(cat "$folder/still")" 2> /dev/null || true
done &
others+=($!)
wait "$runner"
