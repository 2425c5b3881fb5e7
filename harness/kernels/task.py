"""What `task.toml` and `arms/NAME.toml` may say: arguments, shapes, launch rule, tolerances, costs. Frozen, closed.

docs/kernels.md describes every key. Formulas are strings over the names of a shape (see `formula.py`).
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from harness.kernels.formula import FormulaError, evaluate
from harness.vocabulary.base import Value

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Symbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,199}$")]
Architecture = Annotated[str, StringConstraints(pattern=r"^sm_[0-9]{2,3}a?$")]
Formula = Annotated[str, StringConstraints(min_length=1, max_length=300)] | int
Dtype = Literal[
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"
]
Triple = Annotated[tuple[Formula, ...], Field(min_length=1, max_length=3)]


class Argument(Value):
    """One argument of the entry point, in the order of its signature."""

    name: Name = Field(description="its name; inputs.py and reference.py use the same")
    role: Literal["input", "output", "scratch", "scalar"] = Field(
        description="input: an array, kept; output: an array, checked; scratch: an array, any content; scalar: by value"
    )
    dtype: Dtype = Field(description="NumPy's name of the type")
    shape: tuple[Formula, ...] = Field(default=(), description="arrays: the extent of each axis, row-major")
    value: Formula | None = Field(default=None, description="scalar: its value as a formula")

    @model_validator(mode="after")
    def _fits_its_role(self) -> Self:
        if (self.role == "scalar") != (self.value is not None) or (self.role == "scalar") == bool(self.shape):
            raise ValueError("a scalar has a value and no shape, every other argument a shape and no value")
        return self


class Shape(Value):
    """One set of sizes."""

    name: Name = Field(description="how it is called in tables")
    sizes: dict[Name, int] = Field(
        description="what formulas may name; inputs.py and reference.py get the same", min_length=1
    )
    test: bool = Field(default=True, description="whether arms are proved right on it")
    time: bool = Field(default=True, description="whether arms are timed on it")


class Tolerance(Value):
    """How far an output may be from the reference, and why that far."""

    norm: float = Field(ge=0, description="largest ||output - reference|| / ||reference||, over each output")
    worst: float = Field(
        ge=0, description="largest |output - reference| of an element, in units of the reference's RMS"
    )
    reason: str = Field(min_length=10, description="why this much: accumulation length, type, quantisation step")


class Launch(Value):
    """How many threads a CUDA entry is started with; each a formula, x first."""

    grid: Triple = Field(description="blocks")
    block: Triple = Field(description="threads a block")
    shared: Formula = Field(default=0, description="bytes of dynamic shared memory")


class Cost(Value):
    """What one call must do at least: it sets the roofline that no honest kernel passes."""

    bytes: Formula = Field(description="bytes that must be read and written at least")
    operations: Formula = Field(description="multiplications and additions that must be done at least")
    unit: Literal["fp32", "fp16", "int8"] = Field(default="fp32", description="arithmetic whose peak is the ceiling")


class Timing(Value):
    """How long and how often; the defaults do for kernels of a few microseconds to some milliseconds."""

    smallest_effect_pct: float = Field(default=5, gt=0, le=500, description="smallest change of time that matters")
    blocks: int = Field(default=5, ge=2, le=100, description="blocks of baseline, placebo and arms; each arm a process")
    input_sets: int = Field(default=4, ge=2, le=64, description="input sets in rotation")
    seconds: float = Field(default=0.2, gt=0, le=30, description="time a shape is timed for in one process")


class Limits(Value):
    """What one process of an arm may use."""

    wall_s: float = Field(default=60, gt=0, le=3600, description="seconds until it is ended")
    threads: int = Field(default=1, ge=1, le=4096, description="c: threads an arm may use; the ceilings count as many")
    memory_mib: int = Field(default=4096, ge=64, description="address space it may take beside its buffers (host)")


class Task(Value):
    """One kernel task, `task.toml`."""

    schema_: Literal[1] = Field(alias="schema", description="always 1")
    title: str = Field(min_length=1, max_length=120, description="one line")
    language: Literal["c", "cuda"] = Field(description="what the arms are written in")
    entry: Symbol = Field(description='the function that is called, extern "C"')
    baseline: Name = Field(description="the arm that others are compared with")
    architectures: tuple[Architecture, ...] = Field(default=(), description="cuda: what every arm is compiled for")
    flags: tuple[str, ...] = Field(default=(), description="flags of gcc, or of NVRTC")
    argument: tuple[Argument, ...] = Field(min_length=1, description="the entry's arguments in order")
    shape: tuple[Shape, ...] = Field(min_length=1, description="sizes to test and to time")
    tolerance: Tolerance = Field(description="how near the reference is near enough")
    launch: Launch | None = Field(default=None, description="cuda: launch rule of arms that name none")
    cost: Cost = Field(description="least work of one call, as formulas")
    timing: Timing = Field(default=Timing(), description="how arms are timed")
    limits: Limits = Field(default=Limits(), description="what one process may use")

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if (self.language == "cuda") != bool(self.architectures):
            raise ValueError('architectures are named for language "cuda" and for no other')
        if self.language == "c" and self.launch is not None:
            raise ValueError('a launch rule belongs to language "cuda"')
        for kind, names in (("argument", [a.name for a in self.argument]), ("shape", [s.name for s in self.shape])):
            if len(set(names)) != len(names):
                raise ValueError(f"two {kind}s have one name")
        for role in ("input", "output"):
            if not any(argument.role == role for argument in self.argument):
                raise ValueError(f"no argument has the role {role!r}")
        for flag in ("test", "time"):
            if not any(getattr(shape, flag) for shape in self.shape):
                raise ValueError(f"no shape is marked {flag} = true")
        for shape in self.shape:
            self._evaluates(shape)
        return self

    def _evaluates(self, shape: Shape) -> None:
        try:
            for argument in self.argument:
                for extent in argument.shape:
                    if evaluate(extent, shape.sizes) < 1:
                        raise ValueError(f"shape {shape.name!r}: an extent of {argument.name!r} is below 1")
                if argument.value is not None:
                    evaluate(argument.value, shape.sizes)
            if evaluate(self.cost.bytes, shape.sizes) < 1 or evaluate(self.cost.operations, shape.sizes) < 1:
                raise ValueError(f"shape {shape.name!r}: a call costs at least 1 byte and 1 operation")
        except FormulaError as error:
            raise ValueError(f"shape {shape.name!r}: {error}") from error


class Scratch(Value):
    """An array that only this arm's steps share, such as quantised activations."""

    name: Name = Field(description="how steps name it")
    dtype: Dtype = Field(description="NumPy's name of the type")
    shape: tuple[Formula, ...] = Field(min_length=1, description="the extent of each axis")


class Step(Value):
    """One launch of an arm that needs several. `arguments` name the task's arguments and the arm's scratch arrays."""

    entry: Symbol | None = Field(default=None, description='the function, extern "C"; none for a library call')
    library: Literal["gemm_f16"] | None = Field(
        default=None,
        description="cuBLAS: arguments c, a, b, then m, n, k; c[m,n] = a[m,k] b[n,k]^T, fp16, fp32 sums, c fp16",
    )
    arguments: tuple[Name, ...] = Field(description="what it is called with, in order")
    launch: Launch | None = Field(default=None, description="cuda: its launch rule; the arm's or task's if none")
    side_stream: bool = Field(default=False, description="cuda: on a second stream that nobody waits for")
    overlaps: bool = Field(
        default=False,
        description="cuda, sm_90 on: may begin while the step before it runs, and waits itself (griddepcontrol.wait)",
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.entry is None) == (self.library is None):
            raise ValueError("a step names an entry or a library call")
        if self.overlaps and (self.library or self.side_stream):
            raise ValueError("overlaps is for an entry on the usual stream; remove it from this step")
        return self


class KernelArm(Value):
    """One way to do the task: `arms/NAME.c`, `arms/NAME.cu`, and beside it, where needed, `NAME.toml`."""

    summary: str = Field(default="", max_length=300, description="one line: what it does differently")
    source: str | None = Field(default=None, description="file beside it; NAME with the language's ending if none")
    family: str = Field(default="", max_length=20, description="kept apart in tables, such as dp4a and mma")
    entry: Symbol | None = Field(default=None, description="the task's if none")
    architectures: tuple[Architecture, ...] = Field(default=(), description="cuda: the task's if none")
    flags: tuple[str, ...] = Field(default=(), description="added to the task's")
    applies: Formula = Field(default=1, description="shapes it can do, as a comparison: m >= 8")
    launch: Launch | None = Field(default=None, description="cuda: the task's if none")
    large_shared: bool = Field(default=False, description="cuda: may ask for more than 48 KiB of shared memory a block")
    scratch: tuple[Scratch, ...] = Field(default=(), description="arrays of its own")
    step: tuple[Step, ...] = Field(default=(), description="several launches in order; one call of the entry if none")
    reason: str = Field(default="", description="arms in wrong/: the reason code that it must be caught with")

    @model_validator(mode="after")
    def _overlaps_its_own(self) -> Self:
        for at, step in enumerate(self.step):
            if step.overlaps and (at == 0 or self.step[at - 1].side_stream):
                raise ValueError(
                    f"step {at + 1} overlaps a step that is not directly before it on the usual stream: it "
                    "would overlap the call before, and be timed with it; remove its overlaps"
                )
        return self
