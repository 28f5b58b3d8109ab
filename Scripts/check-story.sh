#!/usr/bin/env bash
# social-feed plays its story to the end.
set -euo pipefail
cd "$(dirname "$0")/.."

story="$(.build/optimised/release/social-feed)"
grep -qxF '  + Tea for Two, at 1' <<<"$story" || {
  printf 'social-feed did not tail the feed\n' >&2
  exit 1
}
wc -l <<<"$story"
