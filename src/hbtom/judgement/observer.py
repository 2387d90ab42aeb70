"""An observer that takes one frame at a time, for a camera, a robot or a game."""

from __future__ import annotations

from collections.abc import Sequence

from hbtom.errors import BadInput
from hbtom.judgement.judgement_warnings import odd_units
from hbtom.judgement.judging import Judgement
from hbtom.judgement.tracing import judge_posterior
from hbtom.mind import Beliefs, Planned, Posterior, plan_one
from hbtom.mind.live import (
    LiveSetting,
    LiveState,
    first_frame,
    next_frame,
    prepare_live,
    why_not_live,
)
from hbtom.mind.live_beliefs import CurrentBelief, current_belief, planned_so_far
from hbtom.mind.watching import learn_planned, planned_posterior
from hbtom.model import AnyModel, find_model
from hbtom.observe import Episode, Trial
from hbtom.observe.checks import check_once
from hbtom.observe.stream import Frame, checked_frame, recorded

ENOUGH = 30  # frames after which it is odd that an agent has hardly moved


class Observer:
    """Watches trials frame by frame, and says after each frame what it believes.

    ``scene`` is the first view of a trial; its later frames are ignored. Every frame takes the same
    time, however many came before, unless :attr:`recomputes` says why not.
    """

    def __init__(self, scene: Trial, model: AnyModel = "default") -> None:
        self.model = find_model(model)
        self._past: tuple[tuple[Trial, Planned, Beliefs], ...] = ()
        self._begin(scene)

    def _begin(self, scene: Trial) -> None:
        check_once(scene)
        if scene.changes or scene.company or scene.others:
            hint = "record the trial, and judge the recording with hbtom.judge"
            kind = "changing worlds" if scene.changes else "other agents and panels"
            raise BadInput(f"{kind} cannot be watched live", hint=hint)
        self._scene, self._frames = scene, list[Frame]()
        self._followed: tuple[LiveSetting, LiveState] | None = None
        self._now: CurrentBelief | None = None
        self._appeared = False  # whether the agent has appeared

    @property
    def beliefs(self) -> Beliefs:
        """What was learnt from the trials before this one."""
        return self._past[-1][2] if self._past else Beliefs()

    @property
    def recomputes(self) -> str:
        """Why every new frame goes through all frames again, or an empty string if it does not."""
        if self._followed is not None and self._followed[1].lost:
            return "a key was picked up after a barrier had gone"
        return why_not_live(self.model)

    @property
    def trial(self) -> Trial:
        """The trial so far, as if it had been recorded."""
        if not self._frames:
            raise BadInput("nothing has been observed yet", hint="call observe first")
        return recorded(self._scene, self._frames)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What suggests, after 30 frames, that positions are not in pixels."""
        return tuple(odd_units(self.trial)) if len(self._frames) >= ENOUGH else ()

    def observe(self, frame: Frame | Sequence[float] | None) -> Posterior:
        """Take in one more frame; return what is believed before the trial's first step, and now.

        A frame is a :class:`hbtom.Frame`, or the agent's centre in pixels, or None if the agent is
        not seen. The last row of every belief is what :func:`hbtom.infer` would return if the trial
        ended now. All steps so far are one row; :meth:`judgement` has a row for each step.
        """
        one = checked_frame(self._scene, frame, len(self._frames) + 1)
        appears = one.agent is not None and not self._appeared
        frames = [*self._frames, one] if appears else [one]
        followed = None if appears else self._followed
        if not self.recomputes:
            for each in frames:
                followed = self._next(followed, each, one)
        self._followed = followed or self._followed
        self._frames.append(one)
        self._appeared |= appears
        if followed is None or self.recomputes:
            return planned_posterior(self.model, self.beliefs, self._planned())
        self._now = current_belief(*followed, None if appears else self._now)
        return self._now.posterior

    def _next(
        self, followed: tuple[LiveSetting, LiveState] | None, frame: Frame, first: Frame
    ) -> tuple[LiveSetting, LiveState]:
        """Return the state after a frame; the agent appears in the frame ``first``."""
        if followed is not None:
            return followed[0], next_frame(*followed, frame)
        place = Frame(first.agent)._replace(barrier_left=frame.barrier_left)
        setting = prepare_live(self.model, self.beliefs, recorded(self._scene, [place]))
        return setting, first_frame(setting, frame)

    def _planned(self) -> Planned:
        if self._followed is not None and not self.recomputes:
            return planned_so_far(*self._followed, self.trial)
        known, earlier = self.beliefs, tuple(trial for trial, _, _ in self._past)
        return plan_one(self.model, self.trial, known.openings, known.memory, earlier=earlier)

    def judgement(self) -> Judgement:
        """Judge the trial so far, given the trials before it, as :func:`hbtom.judge` does.

        This takes longer than :meth:`observe`, and longer with every step.
        """
        planned = self._planned()
        test = planned_posterior(self.model, self.beliefs, planned)
        trials, known, learnt = zip(*self._past, (self.trial, planned, None), strict=True)
        judged = judge_posterior(self.model, test)
        return Judgement(self.model, *judged, test, Episode(trials, "live"), learnt[:-1], known)

    def next_trial(self, scene: Trial | None = None) -> Beliefs:
        """End the trial, return what is learnt, and begin the next one in ``scene`` or the same."""
        planned = self._planned()
        after = learn_planned(self.model, self.beliefs, planned)
        past = (*self._past, (self.trial, planned, after))
        self._begin(self._scene if scene is None else scene)
        self._past = past
        return after

    def __repr__(self) -> str:
        return f"<Observer in trial {len(self._past) + 1}, frame {len(self._frames)}>"
