"""A proposal with one fetched kernel, a target that lets arms change it, and patches against it."""

from typing import Any

from committee.pull.manifest import MANIFEST, Manifest, as_toml
from harness.vocabulary.target import Target
from ledger.canonical import sha256_hex
from tests.committee.proposals.sample import TARGET

KERNEL = "kernel/scale.cu"
ON_HOST = "/srv/engine/csrc/scale.cu"
SOURCE = b"""// scales a row
extern "C" __global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] * 2.0f;
    }
}
"""
PATCH = """--- a/kernel/scale.cu
+++ b/kernel/scale.cu
@@ -3,5 +3,5 @@
     int i = blockIdx.x * blockDim.x + threadIdx.x;
     if (i < n) {
-        x[i] = x[i] * 2.0f;
+        x[i] += x[i];
     }
 }
"""
STYLED = PATCH.replace("+        x[i] += x[i];", "+        x[i]  +=  x[i];  // cheaper")
COMMENT = PATCH.replace("+        x[i] += x[i];", "+        x[i] = x[i]  * 2.0f; // twice")
BROKEN = PATCH.replace("+        x[i] += x[i];", "+        x[i] += y[i];")


def fetched(content: bytes = SOURCE) -> dict[str, bytes]:
    """The revision's files: the kernel and where it came from."""
    file = {"into": KERNEL, "path": ON_HOST, "sha256": sha256_hex(content), "bytes": len(content)}
    manifest = Manifest.model_validate({"schema": 1, "target": "sample-server", "file": [file]})
    return {KERNEL: content, MANIFEST: as_toml(manifest).encode(), "PROPOSAL.md": b"# One\n"}


def listing(**changes: Any) -> Target:
    """The sample target with the kernel as an overlay that arms may bring."""
    sources = {"compiled": [{"path": ON_HOST, "into": KERNEL}], **changes}
    overlay = {"path": ON_HOST, "sources": "/var/lib/arms"}
    return Target.model_validate({**TARGET, "allowed_overlays": [overlay], "sources": sources})


def arm(patch: str = PATCH, name: str = "add", **rest: Any) -> dict[str, Any]:
    """A patched arm as a reviewer writes it."""
    return {"name": name, "title": "", "flags": {}, "env": {}, "patch": patch, "witness": [], **rest}
