"""The closed list of reasons why a kernel arm, or a whole task, carries no number."""

from enum import StrEnum


class Reason(StrEnum):
    """In the order in which they are looked for; the first that holds is told."""

    # building
    HEADER_MISSING = "header_missing"  # an include does not lead to a file of the folder
    SIGNATURE_CHANGED = "signature_changed"  # a function has other parameters than it is called with
    INTRINSIC_MISSING = "intrinsic_missing"  # the compiler knows no such function for this architecture
    ENTRY_MISSING = "entry_missing"  # what was built has no function of the entry's name
    SHARED_OVER_48_KIB = "shared_over_48_kib"  # a block asks for more shared memory than every card gives
    COMPILE_ERROR = "compile_error"  # anything else the compiler refuses
    COMPILER_MISSING = "compiler_missing"  # this machine has not got the compiler
    # where it runs
    NO_ARCHITECTURE = "no_architecture"  # nothing was built for this card
    LOAD_FAILED = "load_failed"  # what was built cannot be loaded
    HUNG = "hung"  # no answer within the wall-clock limit
    OUT_OF_MEMORY = "out_of_memory"  # it took memory up to its limit
    CRASHED = "crashed"  # its process ended, or the card's context was lost
    # whether it is right
    FORGED_VERDICT = "forged_verdict"  # it printed a verdict, or answered in the runner's place
    OUT_OF_BOUNDS = "out_of_bounds"  # it wrote outside its buffers
    INPUT_CHANGED = "input_changed"  # it wrote to an input
    DEFERRED = "deferred"  # its output still changed after the call had returned
    NO_OP = "no_op"  # it wrote nothing
    INCOMPLETE = "incomplete"  # it left part of an output as it was
    STALE = "stale"  # it wrote once and never again
    MEMO_POINTER = "memo_pointer"  # new contents at known addresses give the old output
    MEMO_CONTENTS = "memo_contents"  # contents that look known give a remembered output, or are much faster
    NOT_FINITE = "not_finite"  # NaN or Inf where the reference has none, or the other way round
    WRONG_VALUES = "wrong_values"  # outside the tolerance
    ORDER_DEPENDENT = "order_dependent"  # right in one order of launches, not in another
    WRONG_AFTER_TIMING = "wrong_after_timing"  # right before it was timed, wrong after
    # whether the time can be true
    IMPOSSIBLE_SPEED = "impossible_speed"  # faster than memory or arithmetic of this machine allow
    CLOCK_DIFFERS = "clock_differs"  # the times it was given differ from the runner's own clock
    # not the arm's fault
    INPUT_WRONG = "input_wrong"  # the task cannot tell right from wrong; no arm of it is judged
    RUNNER_FAILED = "runner_failed"  # the runner itself ended without a result
