# Shared by the scripts here; source it, don't run it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
    g++ cmake ninja-build ccache
    libfmt-dev nlohmann-json3-dev libspdlog-dev libcli11-dev nettle-dev
    libcurl4-openssl-dev liblemon-dev libpugixml-dev libsqlite3-dev libsundials-dev
    libgtest-dev libgmock-dev librapidcheck-dev
    openmpi-bin libopenmpi-dev mpich libmpich-dev libsimgrid-dev
)
test_packages=(git python3 clang-format clang-tidy prometheus gfortran python3-mpi4py iproute2)

say() {
    printf '%s\n' "$*" >&2
}

# ensure_packages NAME...: installs the Debian packages that are missing, and says which.
ensure_packages() {
    local missing=() package
    for package in "$@"; do
        if [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            missing+=("$package")
        fi
    done
    if ((${#missing[@]} == 0)); then
        return
    fi
    say "Installing missing packages: ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
}

# build_preset PRESET: configures and builds build/PRESET.
build_preset() {
    (cd "$root" && cmake --preset "$1" --log-level=WARNING && cmake --build --preset "$1")
}
