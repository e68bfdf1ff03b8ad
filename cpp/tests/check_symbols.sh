#!/bin/sh
# The core needs nothing but the memory functions that any compiler may call: no libm, no
# allocation, no exceptions, no printing. Fails and lists what else the library leaves undefined.
#
# Usage: check_symbols.sh <nm> <static library>
set -eu

# macOS writes an underscore before every C name. The lines after the first are what compilers put
# in by themselves: stack guards, 64-bit division on 32-bit machines, sanitizers.
allowed='^_?(memcpy|memmove|memset|memcmp|memchr|bzero'
allowed="$allowed|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__stack_chk_guard"
allowed="$allowed|__u?(div|mod)di3|__aeabi_[a-z0-9]+"
allowed="$allowed|__(asan|ubsan|sanitizer|sancov)_.*|_ZSt.*__glibcxx_assert_fail.*)\$"

# nm prints "U name" for what is undefined and "address kind name" for the rest.
others=$("$1" "$2" | awk '
    NF == 2 && $1 == "U" { undefined[$2] }
    NF == 3 { defined[$3]; seen = 1 }
    END {
        if (!seen) print "no symbols at all"
        for (name in undefined) if (!(name in defined)) print name
    }' | grep -Ev "$allowed" || true)

if [ -n "$others" ]; then
    echo "the core refers to symbols it must not need:" >&2
    echo "$others" >&2
    exit 1
fi
