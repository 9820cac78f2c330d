# Directories behind TLS: whose certificates count, and which redirections are followed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
command -v openssl >/dev/null || skip "no openssl"
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/certificate" 2>/dev/null
cat "$work/key" >>"$work/certificate"
: >"$work/metrics"

# serve NAME [CERTIFICATE]: a server; `port_of NAME` is where.
serve() {
    python3 "$root/tests/endtoend/metrics_server.py" "$work/metrics" "$work/$1" ${2:+"$2"} &
    local end=$((SECONDS + 60))
    until [[ -e $work/$1 ]]; do
        ((SECONDS < end)) || { echo 'a server does not start'; exit 1; }
        sleep 0.1
    done
}
port_of() { printf '127.0.0.1:%s' "$(<"$work/$1")"; }
serve plain
serve encrypted "$work/certificate"
plain=http://$(port_of plain)
encrypted=https://$(port_of encrypted)

rejects 2 "$encrypted/empty: .*certificate" directory export "$encrypted/empty"
export SSL_CERT_FILE=$work/certificate
rejects 2 'no pair was measured' directory export "$encrypted/empty"

rejects 2 'no pair was measured' directory export "$plain/to/$plain/empty"
rejects 2 'no pair was measured' directory export "$plain/to/$encrypted/empty"
rejects 2 'no pair was measured' directory export "$encrypted/to/$encrypted/empty"
rejects 2 "$encrypted/to/.*: redirects to $plain/empty, which is not followed" \
    directory export "$encrypted/to/$plain/empty"
rejects 2 'redirects to ftp://127.0.0.1/, which is not followed' \
    directory export "$plain/to/ftp://127.0.0.1/"
rejects 2 'redirects to http://127.0.0.1/x, which is not followed' \
    directory export "$encrypted/to/http://user:secret@127.0.0.1/x"
finish
