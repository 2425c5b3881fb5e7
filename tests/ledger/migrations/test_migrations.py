"""The schema is pinned, the tables' classes agree with it, and migrations are applied once."""

from pathlib import Path

from sqlalchemy import inspect
from sqlmodel import SQLModel

from ledger import migrations, sqlite
from ledger.canonical import digest
from ledger.projections import ROW_TYPES, table_of
from ledger.store import Ledger
from ledger.tables import BatchRow, BlobChunkRow, BlobRow, EntryRow, MigrationRow

PINNED = {
    1: "3f0074b1f9204751e42f48ecb5db4de9b0a3420ed174155a4a292d221ca6bba6",
    2: "2554ad95d16e580fd49bfa510d25ac3f0de288efc16a35dea229481ae3db5ce1",
    3: "bb530f8a24024032d7794e1e079ef12dd85d415b7a5a8e81024f14b158e28f7f",
    4: "75f2df5b0f82b3a8b23906e5981b6a1532a9b53b257f46595bff6ad8a615bf96",
    5: "10db45c217000d4b2b0623e6cdaf0db9cd7c91bf96ea4195f29765ed9cf8a230",
    6: "06f63c0ef723b4223c334f4e27d412fa26440007f3902b00b7a38d0d878125cd",
    7: "90c8ddc23e2c9352d2567c02fdcbd336c68e3d47c087cbcb4ee103478805a956",
    8: "060c48bf6d421bfac5143105939383a204d86f00e52e364cd868ba2f98df0f13",
    9: "bd87d609dc09bd5dad6212b11c0ffcb46a4b567292d923fe9a36355dc0d125e8",
    10: "28d9b689a29bf39fbf16078a8ab16ba6db9112d9663816779ab94c6f4eca96bd",
    11: "845f73eba2798e8214d60d8245eb7bd124ed44d8962665c2de861745e3edef94",
    12: "7bd0bb80363255ceccde910dd8d5834e513f7b200dbed25b584c385088fd6d1a",
    13: "196a32cd13350090c66d2582dd32fa3e85ef561f68bab87196f8f152de366151",
}
TRUTH: tuple[type[SQLModel], ...] = (EntryRow, BlobRow, BlobChunkRow, MigrationRow, BatchRow)


def test_what_each_migration_makes_never_changes() -> None:
    made = {}
    for one in migrations.MIGRATIONS:
        engine = sqlite.memory_engine()
        with sqlite.writing(engine) as connection:
            migrations.upgrade(connection, up_to=one.number)
            schema = sqlite.schema_of(connection)
        made[one.number] = digest(sorted([*key, sql] for key, sql in schema.items()))
    assert made == PINNED


def test_the_classes_agree_with_the_migrations() -> None:
    by_hand, by_class = sqlite.memory_engine(), sqlite.memory_engine()
    with sqlite.writing(by_hand) as connection:
        migrations.upgrade(connection)
        made = {key: sql for key, sql in sqlite.schema_of(connection).items() if key[0] not in ("trigger", "view")}
    with sqlite.writing(by_class) as connection:
        tables = [table_of(row_type) for row_type in (*TRUTH, *ROW_TYPES)]
        EntryRow.metadata.create_all(connection, tables=tables)
        assert sqlite.schema_of(connection) == made


def test_every_table_has_its_three_guards() -> None:
    engine = sqlite.memory_engine()
    with sqlite.writing(engine) as connection:
        migrations.upgrade(connection)
        tables = inspect(connection).get_table_names()
        triggers = {name for kind, name in sqlite.schema_of(connection) if kind == "trigger"}
    assert triggers == {f"{table}_no_{what}" for table in tables for what in ("update", "delete", "replace")}


def test_numbers_ascend_without_gaps() -> None:
    assert [one.number for one in migrations.MIGRATIONS] == list(range(1, len(migrations.MIGRATIONS) + 1))
    assert all(one.name.startswith(f"m{one.number:04}_") for one in migrations.MIGRATIONS)


def test_opening_again_applies_nothing(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    Ledger.open(path, actor="test", create=True).close()
    before = path.read_bytes()
    Ledger.open(path, actor="test", create=True).close()
    assert path.read_bytes() == before
    with sqlite.open_read_only(path).connect() as connection:
        assert migrations.applied(connection) == tuple((one.number, one.name) for one in migrations.MIGRATIONS)
