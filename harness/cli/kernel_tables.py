"""Tables and lines of `harness kernel check`: what was built. Prints nothing itself."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from harness.kernels.building import BuiltArm, KernelFacts


def built_table(built: Sequence[BuiltArm]) -> Table:
    """One line for each arm, architecture and kernel."""
    table = Table("arm", "for", "kernel", "registers", "shared", "spills", "occupancy", "limited by", "state", box=None)
    for one in built:
        for made in one.built:
            if made.refused is not None:
                wanted = one.arm.arm.reason == made.refused.reason
                table.add_row(one.arm.name, made.architecture, f"{made.refused.reason}{' (as it must be)' * wanted}")
            for facts in made.kernels if made.refused is None else ():
                table.add_row(one.arm.name, made.architecture, *_facts(facts))
            if made.refused is None and not made.kernels:
                table.add_row(one.arm.name, made.architecture, "built")
    return table


def _facts(facts: KernelFacts) -> tuple[str, ...]:
    needs, fits = facts.resources, facts.occupancy
    shared = f"{needs.shared_bytes}" + (f" + {facts.dynamic_shared_bytes}" if facts.dynamic_shared_bytes else "")
    spills = f"{needs.spill_store_bytes}/{needs.spill_load_bytes}"
    share = f"{fits.warps}/{fits.of_warps} ({100 * fits.share:.0f} %)" if fits else "does not fit"
    state = f"{needs.state_bytes} B" if needs.state_bytes else ""
    return (facts.kernel, str(needs.registers), shared, spills, share, fits.limited_by if fits else "", state)


def built_words(one: BuiltArm) -> Iterator[str]:
    """The compiler's own words about arms that were not built."""
    for made in one.built:
        if made.refused is not None:
            yield f"{one.arm.name} ({made.architecture}): {made.refused.reason}: {made.refused.sentence}"
