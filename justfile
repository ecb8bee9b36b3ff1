# What is done often. `just` lists it; CONTRIBUTING.md says when to run what.

default:
    @just --list

# What must hold before every commit, in a minute: format, lints, structure, spelling.
check:
    cargo fmt --all --check
    cargo clippy --all-targets --locked -- -D warnings
    cargo test --test architecture
    typos

# The tests that always run.
test:
    cargo test --release

# One group of tests, e.g. `just group closed_forms joints::`.
group name filter="":
    cargo test --release --test {{ name }} {{ filter }}

# The tests that take minutes: long piles, fresh random scenes, tables.
test-slow:
    cargo test --release -- --ignored --skip on_the_device --skip two_million --skip piles_of_216

# Builds the package for Python into the environment that is active, and tests it.
python:
    pip install './python[test,tables,gym,notebooks,vtk]'
    ruff check python
    pytest -q python

# Kernels and steps on a graphics processor; fails without one.
test-gpu:
    REQUIRE_GPU=1 cargo test --release --test twins

# Writes the golden files again. Read the difference.
golden:
    UPDATE_GOLDEN=1 cargo test --release --test golden
    git diff --stat tests/golden

# Compares two builds bit for bit: all seed scenes, several models.
same-bits old new:
    scripts/same-bits {{ old }} {{ new }}

# Times of whole scenes, the flat step and linear algebra.
bench name="scenes":
    cargo bench --bench {{ name }}

# The program as one file, tried in an empty folder: out/binaries.
binary target="":
    scripts/binary {{ target }}

# The package for Python, tried where there is no Rust: out/wheels. `just wheel --native` is quicker.
wheel target="":
    scripts/wheel {{ target }}

# All crates, built from their packages alone.
crate:
    scripts/crate

# The API's documentation and the book.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps
    mdbook build docs

# The site as static files, with a gallery that plays: out/site. Needs mdbook and Chromium.
site:
    scripts/site

# Draws the pictures of the documents again, all or those named. Needs Chromium, pngquant, ImageMagick and ffmpeg.
pictures *names:
    scripts/pictures {{ names }}

# Licences, sources and known faults of dependencies.
deny:
    cargo deny check

# The oldest compiler that is promised.
msrv:
    cargo +1.90 check --locked

# Throws bytes at a parser for a while: scene, obj, stl, ply, dae, glb, model, checkpoint or fcp. Needs cargo-fuzz and a nightly compiler.
fuzz target seconds="60":
    cargo +nightly fuzz run {{ target }} -- -max_total_time={{ seconds }}

# All that continuous integration runs.
ci:
    .ci/run
