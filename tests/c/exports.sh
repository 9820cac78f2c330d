# exports.sh LIBRARY RECORDED HEADER: the library exports the functions that are recorded, which are
# those of the header. What programs were linked with may not go: a line that is missing from
# RECORDED's is a new major version.
library=$1 recorded=$2 header=$3
status=0
exported=$(nm --dynamic --defined-only "$library" | awk '$2 ~ /[TDBVWRu]/ { print $3 }' | grep -v '^ESPALIER_C_' | sort)
diff <(sort "$recorded") <(printf '%s\n' "$exported") || { echo "$library does not export what is recorded" >&2; status=1; }
declared=$(grep -v '^ \*\|^/\*' "$header" | grep -o 'espalier_[a-z_]*(' | tr -d '(' | sort -u)
diff <(sort "$recorded" | sed 's/@.*//') <(printf '%s\n' "$declared") || { echo "$header declares others" >&2; status=1; }
exit $status
