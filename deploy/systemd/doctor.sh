#!/bin/sh
# The doctor in the environment of each process that runs, or of those that are named. Needs root, as keys do.
set -eu
cd "$(dirname "$0")/../.."
status=0
for process in ${*:-auth templates click docgen sign webhooks gateway}; do
  pid="$(systemctl show --property MainPID --value "assent@$process.service")"
  xargs -0 -a "/proc/$pid/environ" sh -c \
    'node="$1" process="$2"; shift 2; exec env -i "$@" "$node" --disable-warning=ExperimentalWarning dev/doctor.ts "$process"' \
    doctor "/proc/$pid/exe" "$process" || status=1
done
exit "$status"
