"""How a ledger is laid out on PostgreSQL beyond its migrations: head row, appending role, rights; and what is there."""

from collections.abc import Iterator
from functools import cache

from sqlalchemy import Connection, inspect
from sqlalchemy.engine.interfaces import ReflectedColumn
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from ledger import migrations, sqlite
from ledger.chain import GENESIS
from ledger.errors import LedgerError
from ledger.migrations.building import REFUSE_BODY, guards_of

ROLE = "committee_append"
HEAD = "head"
FORWARD_BODY = (
    "BEGIN IF NEW.seq <= OLD.seq THEN RAISE EXCEPTION USING MESSAGE = 'table head is append-only, it goes forward'; "
    "END IF; RETURN NEW; END"
)
HEAD_GUARDS = {
    "head_forward": "BEFORE UPDATE ON head FOR EACH ROW EXECUTE FUNCTION ledger_forward()",
    "head_no_delete": "BEFORE DELETE ON head FOR EACH ROW EXECUTE FUNCTION ledger_refuse()",
    "head_no_truncate": "BEFORE TRUNCATE ON head FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()",
}
ADVICE = {
    "42501": f"refuses that right; let its owner say: GRANT {ROLE} TO your_user",
    "P0001": "refuses that change, because nothing recorded is changed or removed",
    "55P03": "is held by another writer for too long; end that program and try again",
    "28P01": "refuses the password; name a file with it: ?password_file=PATH",
    "28000": "refuses this user; check the user's name and the server's pg_hba.conf",
    "3D000": "has no such database; make it with createdb",
    "53100": "cannot grow, because the disk is full; make room and try again",
    "22021": "cannot hold a NUL character in a name; give the actor another one",
    "OSError": "cannot be reached; check that the server runs and listens there",
}
TYPES = {  # SQLite's words and PostgreSQL's narrower ones, as one
    "INTEGER": "BIGINT",
    "BLOB": "BYTEA",
    "FLOAT": "DOUBLE PRECISION",
    "TEXT": "VARCHAR",
}
Described = dict[tuple[str, str], str]


def has_head(connection: Connection) -> bool:
    """Whether the head row's table is there."""
    return inspect(connection).has_table(HEAD)


def settle(connection: Connection) -> None:
    """Make the head row when it is missing, and give the appending role what it needs and nothing else."""
    if not has_head(connection):
        connection.exec_driver_sql(
            "CREATE TABLE head (one BOOLEAN PRIMARY KEY CHECK (one), seq BIGINT NOT NULL, id VARCHAR NOT NULL)"
        )
        last = connection.exec_driver_sql("SELECT seq, id FROM entry ORDER BY seq DESC LIMIT 1").one_or_none()
        connection.exec_driver_sql("INSERT INTO head VALUES (TRUE, %s, %s)", tuple(last or (0, GENESIS)))
        connection.exec_driver_sql(
            f"CREATE FUNCTION ledger_forward() RETURNS trigger LANGUAGE plpgsql AS $${FORWARD_BODY}$$"
        )
        for name, words in HEAD_GUARDS.items():
            connection.exec_driver_sql(f"CREATE TRIGGER {name} {words}")
            connection.exec_driver_sql(f"ALTER TABLE head ENABLE ALWAYS TRIGGER {name}")
    _make_role(connection)
    for table in inspect(connection).get_table_names():
        connection.exec_driver_sql(f'REVOKE ALL ON "{table}" FROM PUBLIC')
        connection.exec_driver_sql(f'REVOKE ALL ON "{table}" FROM {ROLE}')
        connection.exec_driver_sql(f'GRANT {_rights(table).replace(" ", ", ")} ON "{table}" TO {ROLE}')


def _make_role(connection: Connection) -> None:
    known = connection.exec_driver_sql("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).first()
    try:
        if known is None:
            connection.exec_driver_sql(f"CREATE ROLE {ROLE} NOLOGIN")
        connection.exec_driver_sql(f"GRANT {ROLE} TO CURRENT_USER")
        connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA public TO {ROLE}")
    except ProgrammingError as error:
        said = f"role {ROLE!r} cannot be made or granted by this user; let an administrator say: CREATE ROLE {ROLE}; "
        raise LedgerError(f"{said}GRANT {ROLE} TO your_user WITH ADMIN OPTION") from error


def _rights(table: str) -> str:
    return {HEAD: "SELECT UPDATE", migrations.REGISTRY_TABLE.name: "SELECT"}.get(table, "INSERT SELECT")


def words_of(error: DBAPIError | OSError) -> tuple[str, str]:
    """The server's code for an error, or what kind of error it is, and its own words."""
    if isinstance(error, OSError):
        return "OSError", str(error)
    said = error.orig.args[0] if error.orig is not None and error.orig.args else str(error.orig)
    if isinstance(said, dict):
        return str(said.get("C", "")), str(said.get("M", said))
    return ("OSError" if isinstance(error, OperationalError) or "connection" in str(said) else ""), str(said)


def found(connection: Connection) -> Described:
    """What is there."""
    described = _tables(connection)
    triggers = connection.exec_driver_sql(
        "SELECT t.tgname, pg_get_triggerdef(t.oid), t.tgenabled FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
        "WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace"
    )
    for name, definition, enabled in triggers:
        described["trigger", name] = f"{definition.replace('public.', '')} {_plain(enabled)}"
    functions = connection.exec_driver_sql(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    )
    described |= {("function", name): " ".join(source.split()) for name, source in functions}
    rights = connection.exec_driver_sql(
        "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type) "
        "FROM information_schema.role_table_grants WHERE table_schema = 'public' AND grantee IN (%s, 'PUBLIC') "
        "GROUP BY table_name",
        (ROLE,),
    )
    return described | {("rights", table): words for table, words in rights}


@cache
def expected(number: int) -> Described:
    """What is there after the migrations up to a number, told from the tables that they make in memory."""
    engine = sqlite.memory_engine()
    with sqlite.writing(engine) as connection:
        migrations.upgrade(connection, up_to=number)
        described = _tables(connection)
        tables = inspect(connection).get_table_names()
    described["table", HEAD] = "id VARCHAR NOT NULL, one BOOLEAN NOT NULL, seq BIGINT NOT NULL; key one"
    for name, words in HEAD_GUARDS.items():
        described["trigger", name] = f"CREATE TRIGGER {name} {words} A"
    for table in tables:
        described |= {("trigger", name): f"CREATE TRIGGER {name} {words} A" for name, words in guards_of(table).items()}
    described |= {("function", "ledger_refuse"): REFUSE_BODY, ("function", "ledger_forward"): FORWARD_BODY}
    return described | {("rights", table): _rights(table) for table in (*tables, HEAD)}


def _tables(connection: Connection) -> Described:
    look = inspect(connection)
    keys, indexes = look.get_multi_pk_constraint(), look.get_multi_indexes()
    described: Described = {}
    for key, columns in look.get_multi_columns().items():
        table = key[1]
        described["table", table] = (
            f"{', '.join(sorted(_columns(columns)))}; key {' '.join(keys[key]['constrained_columns'])}"
        )
        for index in indexes.get(key, []):
            if not index.get("duplicates_constraint"):
                names = " ".join(str(one) for one in index["column_names"])
                described["index", str(index["name"])] = f"{table} {names}"
    return described


def _columns(columns: list[ReflectedColumn]) -> Iterator[str]:
    for column in columns:
        kind, empty = str(column["type"]), "" if column["nullable"] else " NOT NULL"
        yield f"{column['name']} {TYPES.get(kind, kind)}{empty}"


def _plain(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
