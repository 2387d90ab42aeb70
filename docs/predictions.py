"""Three predictions that the paper leaves to future work, as numbers and as figures.

    python docs/predictions.py          writes docs/figures/prediction-*.png

Each function returns the numbers that it shows, so tests can check them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hbtom
from hbtom.bench.synth import encode, episode_pair
from hbtom.judgement import Judgement

FIGURES = Path(__file__).parent / "figures"
SEED = 5


def judged(task: str, member: str, seed: int = SEED) -> Judgement:
    """Judge one episode of a synthetic pair with the default model."""
    pair = episode_pair(task, np.random.default_rng(seed))
    episode = hbtom.read(encode(pair["eu".index(member)]), f"{task} {member}")
    return hbtom.judge(episode)


def new_agent() -> dict[str, np.ndarray]:
    """The goal prior reverts when a new agent appears: P(goal) before the test trial."""
    priors = {}
    for judgement in (judged("multi_agent", "e"), judged("multi_agent", "u")):
        seen = any(p.agent == judgement.test.agent for p in judgement.posteriors[:-1])
        name = "the familiar agent" if seen else "an agent never seen before"
        priors[name] = judgement.test.goal[0]
    return dict(sorted(priors.items(), reverse=True))


def habituation() -> dict[str, np.ndarray]:
    """The observer habituates to inefficiency: E[efficiency] before and after each trial."""
    means = {}
    for name, member in (("inefficient all along", "e"), ("efficient all along", "u")):
        seen = judged("efficiency_irrational", member).posteriors[:-1]
        beliefs = [seen[0].efficiency[0], *(posterior.efficiency[-1] for posterior in seen)]
        means[name] = np.array(beliefs) @ seen[0].efficiencies
    return means


def one_reachable_goal() -> dict[str, np.ndarray]:
    """The preference stays put when only one goal is reachable: E[theta] during the test trial."""
    return {
        "the preferred one is walled in": judged("inaccessible_goal", "e").test.preference,
        "both are reachable": judged("inaccessible_goal", "u").test.preference,
    }


def draw() -> None:
    """Draw all three figures."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    blue, orange = "#0072B2", "#E69F00"  # safe for colour-blind readers

    figure, axes = plt.subplots(figsize=(5, 2.6), layout="constrained")
    for number, (name, prior) in enumerate(new_agent().items()):
        places = np.arange(len(prior)) + 0.38 * (number - 0.5)
        axes.bar(places, np.sort(prior)[::-1], 0.36, label=name, color=(blue, orange)[number])
    axes.set(xticks=[0, 1], xticklabels=["preferred so far", "other object"], ylim=(0, 1))
    axes.set_ylabel("P(goal) before the test")
    axes.legend(frameon=False)
    figure.savefig(FIGURES / "prediction-new-agent.png", dpi=150)

    figure, axes = plt.subplots(figsize=(5, 2.6), layout="constrained")
    for colour, (name, mean) in zip((orange, blue), habituation().items(), strict=True):
        axes.plot(mean, "o-", label=name, color=colour)
    axes.set(xlabel="familiarization trials seen", ylabel="E[efficiency]", ylim=(0, None))
    axes.legend(frameon=False)
    figure.savefig(FIGURES / "prediction-habituation.png", dpi=150)

    figure, axes = plt.subplots(figsize=(5, 2.6), layout="constrained")
    for colour, (name, mean) in zip((orange, blue), one_reachable_goal().items(), strict=True):
        axes.plot(mean[:, mean[0].argmax()], "o-", label=name, color=colour)
    axes.set(xlabel="step of the test trial", ylabel="E[θ] of the preferred object", ylim=(0, 1))
    axes.legend(frameon=False)
    figure.savefig(FIGURES / "prediction-one-goal.png", dpi=150)
    plt.close("all")


if __name__ == "__main__":
    draw()
    for shown in (new_agent, habituation, one_reachable_goal):
        print(f"{shown.__doc__}")
        for name, values in shown().items():
            ends = values if values.ndim == 1 else np.stack([values[0], values[-1]])
            print(f"  {name}: {np.round(ends, 3).tolist()}")
