# Shared by the scripts here; source it, don't run it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

program_packages=(
    g++ cmake ninja-build
    libfmt-dev nlohmann-json3-dev libcli11-dev nettle-dev
    libcurl4-openssl-dev liblemon-dev libpugixml-dev libsqlite3-dev
)
openmpi_packages=(openmpi-bin libopenmpi-dev)
mpich_packages=(mpich libmpich-dev)
simgrid_packages=(libsimgrid-dev)
python_packages=(python3-dev python3-numpy pybind11-dev)
installed_packages=("${program_packages[@]}" "${python_packages[@]}" "${openmpi_packages[@]}" "${mpich_packages[@]}")
build_packages=("${installed_packages[@]}" "${simgrid_packages[@]}" ccache libgtest-dev libgmock-dev librapidcheck-dev)
test_packages=(git python3 clang-format clang-tidy prometheus gfortran python3-mpi4py python3-pytest python3-mypy
    python3-sphinx python3-myst-parser iproute2 zsh fish)

say() {
    printf '%s\n' "$*" >&2
}

# as_root COMMAND...: runs it as root, who need not be who runs this.
as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo "$@"
    fi
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
    as_root apt-get update -qq >&2
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
}

# build_preset PRESET: configures and builds build/PRESET, all of it.
build_preset() {
    (cd "$root" && cmake --preset "$1" --log-level=WARNING && cmake --build --preset "$1")
}

# build_targets TARGET...: configures build/release without tests, and builds these targets there; benchmarks are none of all.
build_targets() {
    (cd "$root" && cmake --preset release -DBUILD_TESTING=OFF --log-level=WARNING &&
        cmake --build --preset release --target "$@")
}

# make_debian SUITE FOLDER: a minimal Debian in that folder, fetched if it does not stand there. Needs root.
make_debian() {
    if [[ -e $2/complete ]]; then
        return
    fi
    ensure_packages debootstrap
    say "Fetching Debian $1 into $2"
    rm -rf "$2"
    debootstrap --variant=minbase "$1" "$2" http://deb.debian.org/debian >/dev/null
    # As the installer of Debian has it; Open MPI asks a name server, and waits 10 s, where there is none.
    printf '127.0.0.1 localhost\n' >"$2/etc/hosts"
    touch "$2/complete"
}

# enter_debian FOLDER COMMAND...: runs the command in the Debian there, with this clone in its place, to be read. What is
# mounted for it nobody else sees, and it goes with the command.
enter_debian() {
    mkdir -p "$1/$root"
    # shellcheck disable=SC2016
    unshare --mount --propagation private bash -ec '
        mount -t proc proc "$1/proc"
        mount -t sysfs sysfs "$1/sys"
        mount --rbind /dev "$1/dev"
        mount --bind -o ro "$2" "$1/$2"
        exec chroot "$1" "${@:3}"' enter "$1" "$root" "${@:2}"
}
