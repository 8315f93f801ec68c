"""Serves a GGUF file as an OpenAI-compatible service until its standard input ends, so that it outlives nobody.

python tests/smollm2/server.py FILE.gguf     # prints its address
"""

import sys

import xllamacpp

CONTEXT = 8192


def parameters(path: str) -> xllamacpp.CommonParams:
    """One thread: two that wait for each other on a busy machine are ten times slower."""
    given = xllamacpp.CommonParams()
    given.model.path = path
    given.n_ctx, given.n_parallel, given.kv_unified = CONTEXT, 2, True
    given.n_batch = given.n_ubatch = 64
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    given.cache_ram_mib = 256
    given.warmup = False
    given.verbosity = -1
    return given


if __name__ == "__main__":
    server = xllamacpp.Server(parameters(sys.argv[1]))
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
