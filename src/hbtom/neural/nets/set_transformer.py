"""The set transformer, which sees things instead of pixels and predicts a step towards one of them.

Things have no names. The network knows only which things look alike, so it must learn from the
context whether the agent ended at each of them. Trials of other agents do not count.
Agent, things, walls and barrier are tokens that attend to each other. The agent and every thing
then propose steps, each a density of actions. The prediction is the mixture of all. The error
of a step is the negative logarithm of its density, relative to the highest possible one.

Its inputs, after the axes of episodes and trials, are in shares of the world:

===========  ==================  ===============================================
there        [step]              whether the trial has this step
actions      [step, 2]           the mean displacement per frame, halved
agent        [step + 1, 2]       where the agent is
agent_look   []                  a number for its look
things       [step + 1, thing, 3]  where things are, and 1 where they are present
looks        [thing]             a number for each look; 0 is none
boxes        [box, 5]            centre, width, height, and 1 for parts of the barrier
standing     [step + 1, box]     whether each stands
===========  ==================  ===============================================
"""

from __future__ import annotations

import math

import numpy as np

from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import (
    Array,
    Backend,
    Weights,
    attention,
    dense_weights,
    layernorm,
    layernorm_weights,
    logsumexp,
    masked_mean,
    mlp,
    mlp_weights,
)

WIDE, HEADS, LAYERS, SUMMARY = 128, 4, 4, 16
FAR = 0.5  # a quarter of the world; beyond that, or if it is gone, a thing counts as not reached
STEPS = 4  # steps of the target per training example
PROPOSALS = 2  # per token: there may be two ways around a wall
NARROWEST = 0.03  # least scale of a proposal
FREEDOM = 3  # degrees of freedom of Student's t, whose heavy tails grade unexpected steps
DENSEST = -math.log(2 * math.pi * NARROWEST**2)  # the highest log density


def init(seed: int) -> dict[str, Array]:
    """Return initial weights."""
    rng = np.random.default_rng(seed)
    weights = mlp_weights(rng, "past", (1, 64, SUMMARY))
    for name, fields in (("agent", 2), ("thing", 6 + SUMMARY + 1), ("box", 7)):
        weights |= mlp_weights(rng, name, (fields, WIDE, WIDE))
    for i in range(LAYERS):
        weights |= dense_weights(rng, f"{i}/attention/in", WIDE, 3 * WIDE, gain=1.0)
        weights |= dense_weights(rng, f"{i}/attention/out", WIDE, WIDE, gain=1 / LAYERS)
        weights |= mlp_weights(rng, f"{i}/mlp", (WIDE, 2 * WIDE, WIDE))
        weights |= layernorm_weights(f"{i}/before", WIDE) | layernorm_weights(f"{i}/after", WIDE)
    return (
        weights
        | layernorm_weights("norm", WIDE)
        | mlp_weights(rng, "out", (WIDE, WIDE, 4 * PROPOSALS))
    )


def loss(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the mean error; in training, that of a few steps in a world turned at random.

    In training, some trials of the context are hidden, and sometimes all, so that the network also
    learns what to expect of an agent that it does not know.
    """
    if ops.training:
        n, trials = batch["agent_look"].shape
        batch = turned(ops, batch, ops.uniform("turn", (n, 3)) < 0.5)
        batch = hidden(ops, batch, ops.uniform("hide", (n, trials)) < ops.uniform("share", (n, 1)))
        luck = ops.uniform("steps", (n, STEPS)) * batch["there"][:, -1].sum(axis=-1)[:, None]
        steps = ops.xp.floor(luck).astype(int)
        return _errors(ops, weights, batch, steps).mean()
    return masked_mean(ops, errors(ops, weights, batch), batch["there"][:, -1], (0, 1))


def errors(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the error of each step of the last trial; 0 for missing steps."""
    found = _errors(ops, weights, batch, _all_steps(ops, batch))
    return ops.xp.where(batch["there"][:, -1], found, 0)


def predict(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the most likely of the proposed actions in each step of the last trial."""
    shares, actions, _ = propose(ops, weights, batch, _all_steps(ops, batch))
    best = shares.argmax(axis=-1)[..., None, None]
    return ops.xp.take_along_axis(actions, best, axis=2)[:, :, 0]


def _all_steps(ops: Backend, batch: Batch) -> Array:
    n, _, steps = batch["there"].shape
    return ops.xp.broadcast_to(ops.xp.arange(steps), (n, steps))


def _errors(ops: Backend, weights: Weights, batch: Batch, steps: Array) -> Array:
    shares, actions, spread = propose(ops, weights, batch, steps)
    taken = _at(ops, batch["actions"][:, -1], steps)[:, :, None].astype(ops.xp.float32)
    off = ((taken - actions) ** 2).sum(axis=-1) / (FREEDOM * spread**2)
    tails = (FREEDOM + 2) / 2 * ops.xp.log1p(off) + 2 * ops.xp.log(spread)
    return DENSEST + math.log(2 * math.pi) - logsumexp(ops, shares - tails)


def propose(
    ops: Backend, weights: Weights, batch: Batch, steps: Array
) -> tuple[Array, Array, Array]:
    """Return all proposals for these steps of the last trial: log shares, actions and scales."""
    xp = ops.xp
    x, there, speakers = tokens(ops, weights, batch, steps)
    for i in range(LAYERS):
        seen = layernorm(ops, weights, f"{i}/before", x)
        x = x + attention(ops, weights, f"{i}/attention", seen, there, HEADS)
        x = x + mlp(ops, weights, f"{i}/mlp", layernorm(ops, weights, f"{i}/after", x))
    spoken = layernorm(ops, weights, "norm", x[:, :speakers])
    said = mlp(ops, weights, "out", spoken).astype(xp.float32)
    said = said.reshape(*steps.shape, speakers * PROPOSALS, 4)
    heard = xp.repeat(there[:, :speakers], PROPOSALS, axis=1).reshape(said.shape[:-1])
    weight = xp.where(heard, said[..., 0], np.float32(-1e9))
    shares = weight - logsumexp(ops, weight)[..., None]
    spread = NARROWEST + xp.logaddexp(said[..., 3] - 1, np.float32(0))
    return shares, np.float32(1.2) * xp.tanh(said[..., 1:3]), spread


def tokens(ops: Backend, weights: Weights, batch: Batch, steps: Array) -> tuple[Array, Array, int]:
    """Return the tokens of these steps, which of them exist, and how many may propose.

    Tokens are the agent, the things and the boxes, each with its place as seen from the agent.
    """
    xp = ops.xp
    last = {name: values[:, -1] for name, values in batch.items()}
    agent = _centred(_at(ops, last["agent"], steps))[:, :, None]
    things = _at(ops, last["things"], steps).astype(xp.float32)
    at, here = _centred(things[..., :2]), things[..., 2:]
    away = (at - agent) * here
    known = summaries(ops, weights, batch)[:, None]
    known = xp.broadcast_to(known, (*things.shape[:3], known.shape[-1]))
    parts = [away, at * here, _length(ops, away), here, known]
    boxes = last["boxes"].astype(xp.float32)[:, None]
    boxes = xp.broadcast_to(boxes, (*steps.shape, *boxes.shape[2:]))
    middle = _centred(boxes[..., :2])
    seen = (
        mlp(ops.precise, weights, "agent", agent),
        mlp(ops.precise, weights, "thing", xp.concatenate(parts, axis=-1)),
        mlp(
            ops.precise,
            weights,
            "box",
            xp.concatenate([middle - agent, middle, boxes[..., 2:]], axis=-1),
        ),
    )
    standing = _at(ops, last["standing"], steps) > 0
    there = xp.concatenate([xp.ones_like(standing[..., :1]), here[..., 0] > 0, standing], axis=-1)
    flat = steps.shape[0] * steps.shape[1]
    x = xp.concatenate(seen, axis=2).astype(ops.dtype)
    return x.reshape(flat, *x.shape[2:]), there.reshape(flat, -1), 1 + things.shape[2]


def summaries(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return features of how near this agent has come to each thing of the last trial before.

    This is the mean over all things of the context that look like it, and their number.
    """
    xp = ops.xp
    things = batch["things"][:, :-1, -1].astype(xp.float32)  # in the end
    agent = _centred(batch["agent"][:, :-1, -1])[..., None, :]
    away = _length(ops, _centred(things[..., :2]) - agent)
    away = xp.where(things[..., 2:] > 0, xp.minimum(away, FAR), FAR)
    past = mlp(ops.precise, weights, "past", away)
    n, trials, count, wide = past.shape
    looks = hidden(ops, batch, batch["agent_look"] != batch["agent_look"][:, -1:])["looks"]
    before = looks[:, :-1].reshape(n, 1, trials * count)
    alike = ((looks[:, -1][..., None] == before) & (before > 0)).astype(past.dtype)
    many = alike.sum(axis=-1, keepdims=True)
    mean = alike @ past.reshape(n, trials * count, wide) / xp.maximum(many, 1)
    return xp.concatenate([mean, many / trials], axis=-1)


def hidden(ops: Backend, batch: Batch, which: Array) -> Batch:
    """Return episodes in which these trials of the context are hidden."""
    hide = which & (ops.xp.arange(which.shape[1]) < which.shape[1] - 1)
    return {**batch, "looks": ops.xp.where(hide[..., None], 0, batch["looks"])}


def turned(ops: Backend, batch: Batch, flips: Array) -> Batch:
    """Return episodes in a mirrored or turned world: flipped in x, in y, and with x for y."""
    found = dict(batch)
    for name, middle in (("agent", 0.5), ("things", 0.5), ("boxes", 0.5), ("actions", 0.0)):
        found[name] = _turned(ops, batch[name], flips, middle)
    return found


def _turned(ops: Backend, values: Array, flips: Array, middle: float) -> Array:
    xp = ops.xp
    across, down, swap = (flips[:, i].reshape(-1, *[1] * (values.ndim - 2)) for i in range(3))
    x, y = values[..., 0], values[..., 1]
    x, y = xp.where(across, 2 * middle - x, x), xp.where(down, 2 * middle - y, y)
    x, y = xp.where(swap, y, x), xp.where(swap, x, y)
    rest = values[..., 2:]
    if rest.shape[-1] == 3:  # boxes have a width and a height
        wide, high = rest[..., 0], rest[..., 1]
        sides = xp.where(swap, high, wide), xp.where(swap, wide, high)
        rest = xp.stack([*sides, rest[..., 2]], axis=-1)
    return xp.concatenate([xp.stack([x, y], axis=-1), rest], axis=-1)


def _at(ops: Backend, values: Array, steps: Array) -> Array:
    """Return the values of arrays [n, step, ...] at these steps [n, chosen]."""
    return ops.xp.take_along_axis(values, steps.reshape(*steps.shape, *[1] * (values.ndim - 2)), 1)


def _centred(places: Array) -> Array:
    """Return places between -1 and 1 instead of 0 and 1."""
    return 2 * places.astype(np.float32) - 1


def _length(ops: Backend, x: Array) -> Array:
    return ops.xp.sqrt((x**2).sum(axis=-1, keepdims=True) + np.float32(1e-6))
