"""What is surprising: posteriors become three surprises, and these a plausibility."""

from hbtom.judgement.judge import Judgement, judge, watch
from hbtom.judgement.plausibility import plausibility
from hbtom.judgement.predictive import predictive
from hbtom.judgement.surprise import Triple, surprise

__all__ = ["Judgement", "Triple", "judge", "plausibility", "predictive", "surprise", "watch"]
