"""What is surprising: posteriors become surprises, and surprises become a plausibility."""

import hbtom.mind  # noqa: F401, the room before
from hbtom.judgement.accounts import account
from hbtom.judgement.classifier import plausibility
from hbtom.judgement.judging import Judgement, judge, watch
from hbtom.judgement.prediction import predictive
from hbtom.judgement.surprises import Surprise, surprise

__all__ = [
    "Judgement",
    "Surprise",
    "account",
    "judge",
    "plausibility",
    "predictive",
    "surprise",
    "watch",
]
