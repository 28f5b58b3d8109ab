#!/usr/bin/env bash
# The second oracle as a client of the optimised library, with memory that is checked and never zero.
set -euo pipefail
cd "$(dirname "$0")/.."

oracle=.build/optimised/release/oracle
if [[ "$(uname)" == Linux ]]; then
  # All of it is read: a pipe that is closed early would end the program before it.
  checker="$(ldconfig -p | awk '/libc_malloc_debug\.so\.0/ && !n++ { print $NF }')"
  [[ -n "$checker" ]] || {
    printf 'libc_malloc_debug.so.0 of the C library is not installed\n' >&2
    exit 1
  }
  export LD_PRELOAD="$checker" MALLOC_CHECK_=3 MALLOC_PERTURB_=165
fi
# Each finding is a line with its seed, which reduces it when it is run alone.
"$oracle" histories --keep-going --count "${LIVESTORE_ORACLE_HISTORIES:-500}"
"$oracle" histories --keep-going --large --seed 1000001 --count "${LIVESTORE_ORACLE_LARGE:-3}"
"$oracle" rounds --count "${LIVESTORE_ORACLE_ROUNDS:-5}"
