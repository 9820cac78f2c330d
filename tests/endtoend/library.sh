# What is installed works from another place: the library for find_package and pkg-config, and the
# programs, which find each other.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a program of others would need the sanitizer, too"
[[ -e ${ESPALIER_BUILD:?}/libespalier.a ]] || skip "no library"
cd "$work" || exit 1

cmake --install "$ESPALIER_BUILD" --prefix "$work/first" >"$out" 2>"$err"
holds 'it installs' test $? = 0
mv first prefix  # nothing may remember where it was put

holds 'layers are no include folders of their own' test ! -e prefix/include/core
holds 'they are below ours' test -e prefix/include/espalier/core/error.hpp
for file in man/man1/espalier.1 man/man1/espalier-directory-add.1 man/man1/espalier-testbed-up.1 \
    bash-completion/completions/espalier zsh/site-functions/_espalier fish/vendor_completions.d/espalier.fish \
    doc/espalier/LICENSE doc/espalier/examples/table4/network.json; do
    holds "it installs $file" test -s "prefix/share/$file"
done

# What was installed last can be removed, and nothing else.
cmake --install "$ESPALIER_BUILD" --prefix "$work/second" >"$out" 2>"$err"
touch second/share/of-others
cmake -DBUILD="$ESPALIER_BUILD" -P "$root/cmake/uninstall.cmake" >"$out" 2>"$err"
holds 'nothing is left' test "$(find second -type f -o -type l)" = second/share/of-others
holds 'no folder of ours either' test -z "$(find second -type d -name 'espalier*')"
cmake -DBUILD="$ESPALIER_BUILD" -P "$root/cmake/uninstall.cmake" >"$out" 2>"$err"
holds 'twice is told' grep -q 'install_manifest.txt is missing' "$err"

cat >user.cpp <<'PROGRAM'
#include <espalier/espalier.hpp>

#include <cstdio>

int main(int, char** words) {
    const auto network = espalier::network::read_network(words[1]);
    const espalier::network::GridView view(*network.grid());
    const auto race = espalier::plan::race(
        espalier::plan::Job::everywhere(view),
        {.root = 0, .bytes = espalier::Bytes(65536), .algorithm = "ecef"});
    const auto& plan = race.best().by_cluster();
    const auto text = espalier::to_text(to_json(plan));
    const auto again = espalier::schedule::parse_schedule(text, "plan");
    const auto drawn = espalier::report::timeline_svg(plan);
    std::printf("%s %zu\n", espalier::network::fingerprint(network).substr(0, 7).c_str(),
                again.plan.schedule.transfers.size());
    return drawn.empty() ? 1 : 0;
}
PROGRAM
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(espalier REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE espalier::espalier)
PROJECT
{ cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build build; } >"$out" 2>"$err"
holds 'find_package finds the library' test $? = 0
./build/user "$networks/sites.json" >"$out" 2>"$err"
holds 'a program of others plans' grep -qx 'sha256: 2' "$out"

if command -v pkg-config >/dev/null; then
    pc=$(dirname "$(find prefix -name espalier.pc)")
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH=$pc g++ -std=c++20 user.cpp -o user \
        $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs espalier) >"$out" 2>"$err"
    holds 'pkg-config finds the library' test $? = 0
    holds 'by one include folder' \
        test "$(PKG_CONFIG_PATH=$pc pkg-config --cflags-only-I espalier | tr ' ' '\n' | grep -c pkgconfig/)" = 1
    ./user "$networks/sites.json" >"$out" 2>"$err"
    holds 'and what it links plans' grep -qx 'sha256: 2' "$out"
fi

if command -v pkg-config >/dev/null; then
    # The programs are those of the documentation.
    block() { awk -v which="$1" '/^```$/ { inside = 0 } inside && n == which; /^```c$/ { inside = 1; ++n }' "$root/docs/c.md"; }
    block 1 >program.c
    block 2 >asking.c
    lib=$(dirname "$(find prefix -name libespalier-c.so)")
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH=$lib/pkgconfig cc -std=c99 -Wall -Werror program.c -o program \
        $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs espalier-c) >"$out" 2>"$err"
    holds 'pkg-config finds the C interface' test $? = 0
    LD_LIBRARY_PATH=$lib ./program "$root/examples/gusto/network.json" >"$out" 2>"$err"
    holds 'and a program in C plans' test "$(grep -c '^[A-Z-]* to [A-Z-]*, over at' "$out")" -ge 4
    LD_LIBRARY_PATH=$lib ./program nowhere >"$out" 2>"$err"
    holds 'and says what is wrong' grep -q '^nowhere: ' "$err"
    if command -v mpicc.openmpi >/dev/null; then
        # shellcheck disable=SC2046
        mpicc.openmpi -Wall -Werror asking.c -o asking $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs espalier-c) 2>"$err"
        LD_LIBRARY_PATH=$lib ./asking >"$out" 2>"$err"
        holds 'a program that asks its run says where nothing is under it' grep -q 'no library of this version' "$err"
    fi
    : >"$err"
fi

cli=$work/prefix/bin/espalier
accepts --version
for mpi in openmpi mpich; do
    if [[ -e $(dirname "$ESPALIER_CLI")/libespalier-$mpi.so ]]; then
        # The launcher is told where the library is; `echo` stands for it here.
        mkdir -p path
        printf '#!/bin/sh\necho "$@"\n' >"path/mpirun.openmpi"
        cp path/mpirun.openmpi path/mpiexec.mpich
        chmod +x path/*
        PATH=$work/path:$PATH run run "--mpi=$mpi" -n 2 -- true
        holds "the installed program finds the library of $mpi" \
            grep -q "LD_PRELOAD[= ]$work/prefix/lib[^ ]*/libespalier-$mpi.so" "$out"
    fi
done
finish
