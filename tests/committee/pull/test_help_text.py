"""Names and defaults out of the help of three kinds of engines; what is not said stays empty."""

from committee.pull.help_text import flags_in

VLLM = """usage: vllm serve [model_tag] [options]

options:
  -h, --help            show this help message and exit
  --max-num-seqs MAX_NUM_SEQS
                        Maximum number of sequences to be processed in a single
                        iteration. (default: 256)
  --enable-prefix-caching, --no-enable-prefix-caching
                        Whether to enable prefix caching. (default: None)
  --dtype {auto,bfloat16,float16}
                        Data type for model weights. (default: auto)
  --port PORT           Port number.
"""
LLAMA = """----- common params -----

-c,    --ctx-size N                     size of the prompt context (default: 4096, 0 = loaded from model)
-fa,   --flash-attn [on|off|auto]       set Flash Attention use ('on', 'off', or 'auto', default: 'auto')
                                        (env: LLAMA_ARG_FLASH_ATTN)
--cache-type-k TYPE                     KV cache data type for K
                                        allowed values: f32, f16, q8_0
                                        (default: f16)
"""
CLAP = """Options:
      --max-concurrent-requests <N>
          The maximum amount of concurrent requests

          [default: 128]
"""


def test_vllm() -> None:
    assert flags_in(VLLM) == {
        "help": "",
        "max-num-seqs": "256",
        "enable-prefix-caching": "None",
        "no-enable-prefix-caching": "None",
        "dtype": "auto",
        "port": "",
    }


def test_llama_cpp() -> None:
    found = flags_in(LLAMA)
    assert (found["ctx-size"], found["cache-type-k"]) == ("4096", "f16")
    assert found["flash-attn"] == "auto"
    assert set(found) == {"ctx-size", "flash-attn", "cache-type-k"}


def test_clap() -> None:
    assert flags_in(CLAP) == {"max-concurrent-requests": "128"}


def test_prose_is_no_flag() -> None:
    assert flags_in("error: no such command --help\nuse  --x (default: 3) with care\n") == {}
