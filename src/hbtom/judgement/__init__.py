"""What is surprising: posteriors become surprises, and these a plausibility."""

from hbtom.judgement.classifier import plausibility
from hbtom.judgement.judging import Judgement, judge, watch
from hbtom.judgement.prediction import predictive
from hbtom.judgement.surprises import Surprise, surprise

__all__ = ["Judgement", "Surprise", "judge", "plausibility", "predictive", "surprise", "watch"]
