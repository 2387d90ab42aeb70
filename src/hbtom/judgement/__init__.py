"""What is surprising: posteriors become surprises, and surprises become a plausibility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hbtom.judgement.accounts import account as account
    from hbtom.judgement.classifier import Surprise as Surprise
    from hbtom.judgement.classifier import plausibility as plausibility
    from hbtom.judgement.judging import Judgement as Judgement
    from hbtom.judgement.judging import judge as judge
    from hbtom.judgement.judging import watch as watch
    from hbtom.judgement.prediction import predictive as predictive
    from hbtom.judgement.surprises import surprise as surprise

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


def __getattr__(name: str) -> Any:
    """Return a public name; what is not needed to judge a plain episode is loaded only then."""
    home: Any
    if name in ("Judgement", "judge", "watch"):
        from hbtom.judgement import judging

        home = judging
    elif name in ("Surprise", "plausibility"):
        from hbtom.judgement import classifier

        home = classifier
    elif name in ("account", "predictive", "surprise"):
        from hbtom.judgement import accounts, prediction, surprises

        home = {"account": accounts, "predictive": prediction, "surprise": surprises}[name]
    else:
        raise AttributeError(f"module 'hbtom.judgement' has no attribute {name!r}")
    return getattr(home, name)
