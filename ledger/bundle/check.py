"""Checks this bundle offline, with Python's standard library alone: `python3 -I check.py`. Exit 0 only if all holds.

It shows that the payload and blobs here are those of an entry that stands in a tree with the root below (RFC 6962), and
that the commits here, by their own ids, state that root. Compare a commit's id with a clone that you trust.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HEADER = ("actor", "kind", "payload_sha256", "previous", "seq", "time", "version")


def header_id(header: dict[str, Any]) -> str | None:
    """SHA-256 of the header in canonical JSON (RFC 8785), which for texts and integers is what `json` writes here."""
    plain = {key: header[key] for key in HEADER}
    if not all(type(value) is (int if key in ("seq", "version") else str) for key, value in plain.items()):
        return None
    return sha256(json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def canonical(payload: bytes) -> bool:
    """Whether each key stands once, in the order of RFC 8785 (its UTF-16), without a space; numbers as they stand."""

    def in_order(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return dict(sorted(pairs, key=lambda one: one[0].encode("utf-16-be")))

    value = json.loads(payload, parse_int=str, parse_float=str, object_pairs_hook=in_order)
    again = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return again.replace('"', "") == payload.decode().replace('"', "")


def root_of(entry_id: str, index: int, size: int, path: list[str]) -> str | None:
    """The root that a path of hashes leads to from a leaf (RFC 9162, 2.1.3.2); none if it has a wrong length."""
    at, last, node = index, size - 1, sha256(b"\x00" + bytes.fromhex(entry_id)).digest()
    for other in map(bytes.fromhex, path):
        if last == 0:
            return None
        if at & 1 or at == last:
            node = sha256(b"\x01" + other + node).digest()
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            node = sha256(b"\x01" + node + other).digest()
        at, last = at >> 1, last >> 1
    return node.hex() if last == 0 and 0 <= index < size else None


def checks(bundle: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """(sentence, whether it holds), one after the other."""
    header, proof = bundle["header"], bundle["proof"]
    seq = header["seq"]
    yield f"the header of entry #{seq} gives its id {bundle['id'][:12]}", header_id(header) == bundle["id"]
    if bundle["withheld"]:
        yield f"its payload is withheld: {bundle['withheld']}", not (HERE / "payload.json").exists()
    else:
        payload = (HERE / "payload.json").read_bytes()
        yield "payload.json is what the header names", sha256(payload).hexdigest() == header["payload_sha256"]
        yield "payload.json says each thing once, in canonical order", canonical(payload)
        for blob in bundle["blobs"]:
            named = blob["sha256"].encode() in payload
            if blob["withheld"]:
                yield f"blob {blob['sha256'][:12]} is named by the payload, and withheld: {blob['withheld']}", named
                continue
            content = (HERE / "blobs" / blob["sha256"]).read_bytes()
            whole = named and sha256(content).hexdigest() == blob["sha256"] and len(content) == blob["size"]
            yield f"blob {blob['sha256'][:12]} is what the payload names", whole
    place = f"the entry stands at place {seq} of the tree over {proof['size']} entries with root {proof['root'][:12]}"
    yield place, root_of(bundle["id"], seq - 1, proof["size"], proof["path"]) == proof["root"]
    for pin in bundle["pins"]:
        content = (HERE / "pins" / pin["object"]).read_bytes()
        named = b"%s %d\x00" % (pin["type"].encode(), len(content)) + content
        given = sha1(named).hexdigest()  # noqa: S324 - git names its objects so
        stated = f"Ledger-Root: {proof['size']} {proof['root']}" in content.decode(errors="replace").splitlines()
        yield f"{pin['said']} states that root", given == pin["object"] and stated


def main() -> int:
    """Exit status: 0 when all holds."""
    try:
        bundle = json.loads((HERE / "bundle.json").read_bytes())
        results = list(checks(bundle))
        good = bool(results) and all(holds for _sentence, holds in results)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        sys.stdout.write(f"NOT SHOWN: a file of this bundle is missing or cannot be read ({error})\n")
        return 1
    lines = [f"{'holds' if holds else 'FAILS'}: {sentence}" for sentence, holds in results]
    lines += [f"root {bundle['proof']['root']} over {bundle['proof']['size']} entries"]
    lines += [] if bundle["pins"] else ["no pin is in this bundle: compare the root with one kept outside the ledger"]
    lines += ["ALL HOLDS\n" if good else "NOT SHOWN\n"]
    sys.stdout.write("\n".join(lines).encode(errors="backslashreplace").decode())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
