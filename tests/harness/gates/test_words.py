"""The engine's own words, picked from real logs."""

from harness.gates.words import MAX_WORDS, engine_words, last_words

# A real refusal: value cache in q8_0 without flash attention.
REFUSAL = """\
0.00.004.144 I srv    load_model: loading model '/models/gemma.gguf'
0.00.586.136 E llama_init_from_model: quantized V cache requires flash_attn to be enabled
0.01.050.425 W load: control-looking token:    212 '</s>' was not control-type; this is probably a bug in the model.
0.01.209.633 E llama_init_from_model: quantized V cache requires flash_attn to be enabled
0.01.209.653 E cmn  common_init_: failed to create context with model '/models/gemma.gguf'
0.01.210.253 E srv          init: exiting due to model loading error
"""
OUT_OF_MEMORY = """\
INFO 11-29 14:32:01 [core.py:70] Initializing a V1 LLM engine
(EngineCore) ERROR 11-29 14:32:09 [core.py:700] EngineCore failed to start.
Traceback (most recent call last):
ValueError: Free memory on device cuda:3 (17.32/31.73 GiB) on startup is less than desired GPU memory utilization
"""


def test_a_llamacpp_refusal_is_told_once_and_without_time_stamps() -> None:
    assert engine_words(REFUSAL) == (
        "llama_init_from_model: quantized V cache requires flash_attn to be enabled | cmn common_init_: failed to "
        "create context with model '/models/gemma.gguf' | srv init: exiting due to model loading error"
    )


def test_a_vllm_refusal_shows_the_exception() -> None:
    assert "Free memory on device cuda:3" in engine_words(OUT_OF_MEMORY)


def test_without_an_error_line_the_last_line_speaks() -> None:
    assert engine_words("one\ntwo\n\n") == "two"
    assert engine_words("") == "the log is empty"
    assert last_words(" \n") == "the log is empty"


def test_last_words_come_from_the_end() -> None:
    log = "\n".join(f"ERROR number {index}" for index in range(20))
    assert last_words(log).endswith("ERROR number 19") and "number 2 " not in last_words(log)
    assert engine_words(log).startswith("ERROR number 0")


def test_words_are_bounded() -> None:
    assert len(engine_words("ERROR " + "x" * 5000)) == MAX_WORDS
