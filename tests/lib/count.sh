# shellcheck shell=bash
# Counts the tests of one suite from what its runner printed: cargo, nextest
# and node each end with a line of their own. Sourced by tests/run.sh.

# Prints "passed failed" for the output in file $1 and the exit code $2. A
# runner that prints no count is one test; one that failed without a failed
# test (it did not build, it was killed) has one failure.
count_of() {
  local passed failed
  passed=$(sum_of "$1" passed)
  failed=$(sum_of "$1" failed)
  if [ $((passed + failed)) -eq 0 ] && [ "$2" -eq 0 ]; then passed=1; fi
  if [ "$failed" -eq 0 ] && [ "$2" -ne 0 ]; then failed=1; fi
  echo "$passed $failed"
}

# Prints the sum over all count lines in file $1 for `passed` or `failed`.
sum_of() {
  local node=pass
  [ "$2" = failed ] && node=fail
  # shellcheck disable=SC2016 # the dollar signs are awk's
  sed 's/\x1b\[[0-9;]*m//g' "$1" | awk -v word="$2" -v node="$node" '
    /^test result: |^ *Summary \[/ {
      for (i = 2; i <= NF; i++) if (index($i, word) == 1) total += $(i - 1)
    }
    ($1 == "ℹ" || $1 == "#") && $2 == node { total += $3 }
    / passed, [0-9]+ failed$/ && !/^test result/ && !/Summary/ {
      for (i = 2; i <= NF; i++) if (index($i, word) == 1) total += $(i - 1)
    }
    END { print total + 0 }'
}
