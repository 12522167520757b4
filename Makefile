# For OpenBench, and for those who are used to make: `make EXE=name` builds the program for this CPU. Everything else is cargo's.
EXE ?= jamboree

.PHONY: all
all:
	cargo build --release --locked --package jamboree --target-dir target
	cp target/release/jamboree "$(EXE)"
