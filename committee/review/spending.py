"""What was used of a budget and what is left of it, as `committee costs` says it. Pure."""

from committee.review.budget import Allowance, Use


def spending_line(allowance: Allowance, used: Use) -> str:
    """One sentence; calls on their way or of unknown outcome are in it at their worst."""
    money = f"{used.money:.4g}" if allowance.money is None else f"{used.money:.4g} of {allowance.money:g}"
    tokens = f"{used.tokens:.0f}" if allowance.tokens is None else f"{used.tokens:.0f} of {allowance.tokens:.0f}"
    limited = allowance.money is not None or allowance.tokens is not None
    rest = "" if limited else " (no limit is set)"
    rest += f"; the cost of {used.unpriced} calls without a price is unknown and not in it" if used.unpriced else ""
    return f"{allowance.whose} budget: {money} used, {tokens} tokens{rest}"
