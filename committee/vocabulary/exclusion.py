"""The closed list of reasons for leaving a review out whole. A reason, once in a ledger, keeps its meaning."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a reviewer's part is not in the brief."""

    COULD_NOT_START = "could_not_start"  # nothing went out: no program, no model here, or no key set
    NAME_NOT_FOUND = "name_not_found"  # nobody here knows a server of that name (DNS)
    CONNECTION_FAILED = "connection_failed"  # no connection, or it broke before the answer was whole
    TLS_FAILED = "tls_failed"  # the other side could not prove who it is
    UNAUTHORISED = "unauthorised"  # the server says that the key is missing, wrong or not allowed to use the model
    MODEL_NOT_FOUND = "model_not_found"  # the server does not know the address or the model
    BAD_REQUEST = "bad_request"  # the server refused the request itself
    RATE_LIMITED = "rate_limited"  # still refused for being too many when the time was used up
    UNAVAILABLE = "unavailable"  # still taking no requests (503) when the time was used up
    SERVER_ERROR = "server_error"  # failed on its own side, asked once more as an attempt of its own, and failed again
    NOT_A_COMPLETION = "not_a_completion"  # status 200, but the body is no chat completion
    ERROR_IN_BODY = "error_in_body"  # status 200, but the body says that it failed
    TIMED_OUT = "timed_out"  # the wall clock of the whole call ran out
    NO_FINISH = "no_finish"  # the answer does not say that it finished
    CUT_BY_LENGTH = "cut_by_length"  # the answer ran into its limit of tokens
    FILTERED = "filtered"  # refused, or held back by a content filter
    TOOL_CALLS = "tool_calls"  # a tool was called instead of giving an answer
    EMPTY = "empty"  # it finished and said nothing
    ANSWER_IN_REASONING = "answer_in_reasoning"  # the answer stands only where the thinking belongs
    THINKING_LEAKED = "thinking_leaked"  # thinking stands where the answer belongs
    INVALID_JSON = "invalid_json"  # the answer is not one JSON value
    DUPLICATE_KEYS = "duplicate_keys"  # the same key twice in one object: which one was meant is unknown
    WRONG_SHAPE = "wrong_shape"  # JSON, but not a review
    NONCE_MISSING = "nonce_missing"  # the answer does not repeat the nonce of this attempt
    COUNT_DIFFERS = "count_differs"  # the answer does not hold as many hypotheses as it says
    EXAMPLE_ECHOED = "example_echoed"  # it says nothing but the example of the prompt again
    OTHER_PROPOSAL = "other_proposal"  # the answer is about another proposal
    TOO_LONG = "too_long"  # more bytes than a review may have
    UNKNOWN_FILE_CITED = "unknown_file_cited"  # a citation names a file that is not in the revision
    FALSE_QUOTES = "false_quotes"  # most of its quotes stand nowhere in the files they cite
    OVER_BUDGET = "over_budget"  # the call could have cost more than is left of the budget; it was not sent
    OUTCOME_UNKNOWN = "outcome_unknown"  # twice in flight when the committee was stopped
    BAD_EXIT = "bad_exit"  # the command-line agent ended with an error after it had said something
