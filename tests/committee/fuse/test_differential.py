"""A finding told anew is the same finding; another one about the same metric is not."""

from itertools import combinations

from committee.fuse.differential import only_with_comments, perhaps_in_other_words
from ledger.entries import Hypothesis
from tests.committee.fuse.retold import CHINESE, ENGLISH, Told
from tests.committee.fuse.sample import make_hypothesis

FINDINGS = (
    (
        "With one slot, requests of four users wait in a queue, so the total rate is that of a single user.",
        "Four concurrent users share a single slot, hence they are queued and total throughput equals the rate of one.",
    ),
    (
        "Occupancy is limited by registers: 128 a thread allow only two blocks on a multiprocessor.",
        "Each thread takes 128 registers, which limits occupancy to two blocks per SM.",
    ),
    (
        "Prefill is split since max batched tokens is below the document's length; the weights are read once a piece.",
        "Long documents do not fit into the token budget of a batch: prefill happens in several chunks, and each of "
        "them streams all weights.",
    ),
    (
        "解碼核心每一步把權重區塊讀了兩次，因為分割迴圈沒有把它留在共享記憶體裡。",
        "由於共享記憶體沒有跨分割迭代重用，解碼核心會再次載入每個權重區塊。",
    ),
    (
        "只有一個槽位，四個使用者的請求要排隊，所以總速率就是單人的速率。",
        "因為槽位只有一個，四人同時使用時必須等候，總速率受限於排隊。",
    ),
)


def told(reviewer: str, mechanism: str) -> Hypothesis:
    """A hypothesis without an arm: only its words tell what it is."""
    return make_hypothesis(reviewer, 1, None, mechanism=mechanism)


def test_a_finding_in_other_words_is_not_flagged() -> None:
    for one, other in FINDINGS:
        assert only_with_comments([told("ada", one)], [told("ada", other)]) == frozenset(), one


def test_another_finding_is_flagged_and_so_is_what_only_somebody_else_says() -> None:
    for mine, theirs in combinations(FINDINGS, 2):
        for one, other in ((one, other) for one in mine for other in theirs):
            assert len(only_with_comments([told("ada", one)], [told("ada", other)])) == 1, (one, other)
    said = FINDINGS[0][0]
    assert len(only_with_comments([told("ada", said)], [told("bob", said)])) == 1


def known(one: str, other: str) -> bool:
    return not only_with_comments([told("ada", one)], [told("ada", other)])


def test_what_is_told_freely_is_seldom_known_again_by_its_words() -> None:
    """What docs/briefs.md says of a sample that the bound was not chosen on."""
    retold = [pair for said in (*ENGLISH, *CHINESE) for pair in combinations(said, 2)]
    assert (sum(known(*pair) for pair in retold), len(retold)) == (17, 72)

    def apart(findings: tuple[Told, ...]) -> list[tuple[str, str]]:
        return [(one, other) for mine, theirs in combinations(findings, 2) for one in mine for other in theirs]

    different = apart(ENGLISH) + apart(CHINESE)
    assert (sum(known(*pair) for pair in different), len(different)) == (1, 1332)


def test_a_change_asked_for_only_with_comments_is_flagged_however_its_reason_is_worded() -> None:
    said = "four slots decode together"
    arm = make_hypothesis("ada", 1, {"name": "a", "flags": {"n-parallel": 4}}, mechanism=said)
    assert arm.arm_fingerprint
    assert only_with_comments([arm], [told("ada", said)]) == {arm.hypothesis}
    assert only_with_comments([arm], [arm]) == frozenset()
    assert perhaps_in_other_words([arm], [told("ada", said)]) == frozenset()


def test_what_may_be_told_anew_is_only_perhaps_new() -> None:
    one, other = told("ada", ENGLISH[0][0]), told("ada", ENGLISH[0][1])
    assert perhaps_in_other_words([one], [other]) == {one.hypothesis}
    assert perhaps_in_other_words([one], []) == frozenset()
    assert perhaps_in_other_words([one], [told("bob", ENGLISH[0][1])]) == frozenset()
    down = one.prediction.model_copy(update={"direction": "down"})
    assert perhaps_in_other_words([one], [other.model_copy(update={"prediction": down})]) == frozenset()
