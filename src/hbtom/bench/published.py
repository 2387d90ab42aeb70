"""Every published figure on the benchmark: pairwise accuracy in per cent.

Sources: HBToM, Zhi-Xuan et al. (2022), Table 1. BC-MLP, BC-RNN and Video-RNN, Gandhi, Stojnić,
Lake and Dillon (NeurIPS 2021), Table 1. VT, Hein and Diepold (2022), and IRENE, Bortoletto, Shi
and Bulling (AAAI 2024), both as given in Table 1 of the latter.
"""

from __future__ import annotations

MODELS = ("HBToM", "BC-MLP", "BC-RNN", "Video-RNN", "VT", "IRENE")

_FIGURES = {
    "preference": (99.7, 26.3, 48.3, 47.6, 80.8, 48.5),
    "multi_agent": (99.2, 48.7, 48.2, 50.3, 49.2, 74.9),
    "inaccessible_goal": (99.7, 76.9, 81.6, 74.0, 85.5, 85.8),
    "efficiency_path": (94.9, 94.0, 92.8, 99.2, 97.5, 98.1),
    "efficiency_time": (97.2, 99.1, 99.1, 99.9, 99.7, 100.0),
    "efficiency_irrational": (96.6, 73.8, 56.5, 50.1, 34.1, 85.7),
    "Efficiency": (96.0, 88.8, 82.5, 83.1, 77.1, 94.7),
    "instrumental_no_barrier": (98.8, 98.8, 98.8, 99.7, 97.9, 78.4),
    "instrumental_inconsequential_barrier": (97.0, 55.2, 78.2, 77.0, 91.9, 52.4),
    "instrumental_blocking_barrier": (99.7, 47.1, 56.8, 62.9, 64.2, 83.5),
    "Instrumental Actions": (98.5, 67.0, 77.9, 79.9, 84.7, 71.5),
}


def published(row: str) -> dict[str, float]:
    """Return the accuracy of each model in a task (its folder) or a group, as fractions."""
    figures = _FIGURES.get(row, ())
    return {name: round(figure / 100, 6) for name, figure in zip(MODELS, figures, strict=False)}
