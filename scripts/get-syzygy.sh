# Source this file: it sets JAMBOREE_SYZYGY to a folder with the complete 3- and 4-man Syzygy tables, which are inside
# the source archive of the PyPI package `chess`. Where they can't be had it says so and leaves the variable unset; the
# tests that need them are ignored by `cargo test`, and CI, which runs them, fails.
if [ -z "${JAMBOREE_SYZYGY:-}" ]; then
    syzygy_folder="target/syzygy"
    if [ ! -e "$syzygy_folder/done" ]; then
        mkdir -p "$syzygy_folder"
        if pip download --quiet --no-deps --no-binary :all: --dest "$syzygy_folder" 'chess==1.11.2' &&
            tar -xzf "$syzygy_folder"/chess-*.tar.gz -C "$syzygy_folder" --strip-components=4 --wildcards '*/data/syzygy/regular/*'; then
            touch "$syzygy_folder/done"
        fi
    fi
    if [ -e "$syzygy_folder/done" ]; then
        JAMBOREE_SYZYGY="$PWD/$syzygy_folder"
        export JAMBOREE_SYZYGY
    else
        echo "the Syzygy tables can't be had: pip could not download the source archive of the package 'chess'"
    fi
    unset syzygy_folder
fi
