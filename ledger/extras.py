"""How an optional part is installed: never by this project's name, which no index has and a stranger could take."""


def install(extra: str) -> str:
    """What to do where a library of this extra is missing."""
    wheel = f"pip install './committee-VERSION-py3-none-any.whl[{extra}]'"
    return f"install the extra '{extra}': `make .venv/.installed` in a checkout, elsewhere {wheel} with a wheel's file"
