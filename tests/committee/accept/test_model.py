"""What a ticket says of model files, from what was measured and what lies there now."""

from dataclasses import replace

from committee.accept.model import changed_since, content_words, read_whole
from harness.hosts.models import ModelSeen
from tests.ledger.examples import A, B, C, model

MEASURED = model(arm=A)
(FILE,) = MEASURED.files
NOW = ModelSeen(FILE.path, FILE.bytes, FILE.written, FILE.stamp, FILE.sample_sha256, C)


def test_a_file_read_whole_is_stated_once_more_with_its_hash() -> None:
    stated = read_whole(MEASURED, [NOW])
    assert stated == model(arm=A, sha256=C)
    assert read_whole(stated, [NOW]) is None
    assert read_whole(MEASURED, [replace(NOW, sample_sha256=A)]) is None, "another file is not what was measured"
    assert read_whole(None, [NOW]) is None


def test_every_way_of_not_being_the_measured_file_is_said() -> None:
    whole = model(arm=A, sha256=B)
    assert changed_since(MEASURED, [replace(NOW, written="later", stamp="9:9")]) == ()
    assert changed_since(None, [NOW]) == ()
    said = f"model file {FILE.path} is not the one that was measured: was {FILE.bytes} bytes, sample bbbbbbbbbbbb, is "
    assert changed_since(MEASURED, [replace(NOW, bytes=3)]) == (
        f"{said}3 bytes, sample bbbbbbbbbbbb, whole cccccccccccc",
    )
    assert changed_since(MEASURED, []) == (f"{said}not there",)
    (sentence,) = changed_since(whole, [NOW])  # the same sample and another whole
    assert "whole bbbbbbbbbbbb, is " in sentence and sentence.endswith("whole cccccccccccc")


def test_a_ticket_binds_a_file_by_its_content_and_a_folder_by_names_and_sizes() -> None:
    assert content_words(FILE.path, [], [NOW]) == f"{FILE.path} {C}"
    assert content_words("/gone.gguf", [], [NOW]) == "/gone.gguf is not there"
    assert content_words("/m", [{"name": "a", "bytes": 1}], []).endswith("(names and sizes of 1 files)")
