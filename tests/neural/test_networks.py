"""Networks: the same with numpy and JAX, and what must not change their errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hbtom.neural import Generated, batches
from hbtom.neural.inputs import see_pictures, see_steps, see_things
from hbtom.neural.nets import NETWORKS, bc_mlp, encoder, set_transformer
from hbtom.neural.operations import conv, conv_weights, lstm, lstm_weights
from hbtom.neural.operations_jax import Jax
from hbtom.neural.operations_numpy import Numpy

NUMPY = Numpy()


@pytest.fixture(scope="module")
def given():
    """The input of each kind of network: two episodes, each with three short trials."""
    (seen,) = batches(Generated(14).items()[1::7], size=2, seed=3, pictures=False)
    short = seen._replace(
        things=seen.things[:, :3],
        places=seen.places[:, :3, :4],
        actions=seen.actions[:, :3, :3],
        steps=np.minimum(seen.steps[:, :3], 3),
    )
    states = np.random.default_rng(0).normal(size=(2, 3, 3, encoder.STATE)).astype(np.float32)
    return {
        "pictures": see_pictures(short),
        "things": see_things(short),
        "states": {**see_steps(short), "states": states},
    }


def weights_of(network):
    """Return random weights, even where training starts from zeros."""
    rng = np.random.default_rng(1)
    drawn = network.init(1)
    return {n: one + rng.normal(0, 0.02, one.shape).astype("f4") for n, one in drawn.items()}


@pytest.mark.parametrize("name", NETWORKS)
def test_both_backends_agree(name, given):
    network = NETWORKS[name]
    weights, batch = weights_of(network), given[network.sees]
    theirs = jax.jit(lambda weights, batch: network.errors(Jax(), weights, batch))(weights, batch)
    ours = network.errors(NUMPY, weights, batch)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_are_finite_and_all_weights_matter(name, given):
    network = NETWORKS[name]
    batch, ops = given[network.sees], Jax(key=jax.random.key(0, impl="rbg"))
    used = {n: one for n, one in weights_of(network).items() if not n.startswith("encoder/")}
    loss, found = jax.jit(jax.value_and_grad(lambda w: network.loss(ops, w, batch)))(used)
    assert np.isfinite(loss)
    for key, gradient in found.items():
        assert np.isfinite(gradient).all(), key
        assert np.any(gradient != 0), key


@pytest.mark.parametrize("name", NETWORKS)
def test_missing_steps_change_nothing(name, given):
    network = NETWORKS[name]
    weights, batch = weights_of(network), dict(given[network.sees])
    errors = network.errors(NUMPY, weights, batch)
    assert (errors[batch["there"][:, -1]] > 0).all()
    assert (errors[~batch["there"][:, -1]] == 0).all()
    for key, more in batch.items():
        if key not in ("boxes", "looks", "agent_look"):
            edge = [(0, 0), (0, 0), (0, 2)] + [(0, 0)] * (more.ndim - 3)
            mode = "constant" if key in ("there", "actions", "states") else "edge"
            batch[key] = np.pad(more, edge, mode=mode)
    np.testing.assert_allclose(
        network.errors(NUMPY, weights, batch)[:, :3], errors, rtol=1e-4, atol=1e-6
    )


def test_an_lstm_matches_a_loop_over_its_equations():
    rng = np.random.default_rng(0)
    x, there = rng.normal(size=(3, 5, 4)).astype("f4"), np.ones((3, 5), bool)
    there[1, 3:] = False
    weights = lstm_weights(rng, "one", 4, 6)
    outputs, last = lstm(NUMPY, weights, "one", x, there)
    backwards, _ = lstm(NUMPY, weights, "one", x[:, ::-1], there[:, ::-1], backwards=True)
    for n in range(3):
        h, c = np.zeros(6), np.zeros(6)
        for t in np.flatnonzero(there[n]):
            z = x[n, t] @ weights["one/weight"] + h @ weights["one/hidden"] + weights["one/bias"]
            i, f, o = (1 / (1 + np.exp(-z[k : k + 6])) for k in (0, 6, 18))
            c = f * c + i * np.tanh(z[12:18])
            h = o * np.tanh(c)
            np.testing.assert_allclose(outputs[n, t], h, atol=1e-6)
        np.testing.assert_allclose(last[n], h, atol=1e-6)
    np.testing.assert_allclose(backwards[:, ::-1], outputs, atol=1e-6)


@pytest.mark.parametrize("stride", [1, 2])
def test_a_convolution_matches_a_sum_over_a_window(stride):
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(1, 7, 6, 2)).astype("f4"), conv_weights(rng, "one", 2, 3)
    found = conv(NUMPY, weights, "one", x, stride, pad=1)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for row in range(found.shape[1]):
        for column in range(found.shape[2]):
            at = padded[0, stride * row :, stride * column :][:3, :3]
            sums = np.einsum("ijc,ijcd->d", at, weights["one/weight"])
            np.testing.assert_allclose(found[0, row, column], sums, atol=1e-5)
    assert found.shape[1:3] == (-(-7 // stride), -(-6 // stride))


def test_bc_mlp_looks_at_thirty_pairs_in_training():
    there = np.random.default_rng(0).random((4, 8, 12)) < 0.6
    ops = Jax(key=jax.random.key(0, impl="rbg"))
    chosen = np.asarray(bc_mlp._looked_at(ops, jnp.asarray(there)))
    assert (chosen.sum(axis=(1, 2)) == bc_mlp.PAIRS).all()
    assert not (chosen & ~there).any()
    assert bc_mlp._looked_at(NUMPY, there) is there


# The set transformer


def errors(batch):
    return NETWORKS["set-transformer"].errors(NUMPY, weights_of(NETWORKS["set-transformer"]), batch)


def test_the_order_of_things_and_boxes_does_not_matter(given):
    batch = dict(given["things"])
    expected = errors(batch)
    for name, axis in {"things": -2, "looks": -1, "boxes": -2, "standing": -1}.items():
        batch[name] = np.roll(batch[name], 2, axis=axis)
    np.testing.assert_allclose(errors(batch), expected, rtol=1e-4)


def test_only_whether_things_look_the_same_matters(given):
    batch = dict(given["things"])
    other = {**batch, "looks": np.where(batch["looks"] > 0, 7 * batch["looks"] + 1, 0)}
    np.testing.assert_allclose(errors(other), errors(batch), rtol=1e-6)
    looks = batch["looks"].copy()
    looks[:, -1] = np.where(looks[:, -1] > 0, looks[:, -1] + 1, 0)  # never seen before
    assert not np.allclose(errors({**batch, "looks": looks}), errors(batch))


def test_another_agents_actions_say_nothing(given):
    batch = dict(given["things"])
    looks = batch["agent_look"].copy()
    looks[:, -1] += 1  # never seen before
    blind = set_transformer.hidden(NUMPY, batch, np.ones(looks.shape, bool))
    assert not (blind["looks"][:, :-1]).any()
    assert np.array_equal(blind["looks"][:, -1], batch["looks"][:, -1])
    np.testing.assert_allclose(errors({**batch, "agent_look": looks}), errors(blind), rtol=1e-6)
    assert not np.allclose(errors(blind), errors(batch))


def test_turning_a_world_is_consistent_and_reversible(given):
    batch = given["things"]
    flips = np.array([[1, 0, 1], [0, 1, 1]], dtype=bool)
    turned = set_transformer.turned(NUMPY, batch, flips)
    moved = np.diff(turned["agent"].astype("f8"), axis=2)  # in shares of the world
    now = batch["there"][..., None]
    towards = np.sign(np.where(now & (abs(moved) > 0.01), moved, 0))
    assert (towards * turned["actions"] >= 0).all()
    assert abs(towards).sum() > 10
    for name in ("boxes", "agent", "things"):
        assert not np.allclose(turned[name], batch[name])
    back = set_transformer.turned(NUMPY, turned, flips[:, [1, 0, 2]])
    for name, values in back.items():
        np.testing.assert_allclose(values, batch[name], atol=2e-3)
