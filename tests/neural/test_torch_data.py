"""Episodes for PyTorch, if it is installed."""

from importlib.util import find_spec

import numpy as np
import pytest

from hbtom.errors import BadInput
from hbtom.neural import Generated, batches
from hbtom.neural.torch_data import collate, torch_dataset

HAS_TORCH = find_spec("torch") is not None


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
def test_a_data_loader_yields_the_same_as_batches():
    from torch.utils.data import DataLoader

    source = [one for one in Generated(8).items() if one.task.letters == "bs"][:2]
    loader = DataLoader(torch_dataset(source, seed=5), batch_size=2, collate_fn=collate)
    (loaded,) = loader
    (batch,) = batches(source, size=2, seed=5)
    order = np.random.default_rng(5).permutation(2)
    assert loaded.keys() == batch._asdict().keys()
    for name, values in batch._asdict().items():
        np.testing.assert_array_equal(loaded[name].numpy()[order], values)


@pytest.mark.skipif(HAS_TORCH, reason="PyTorch is installed")
def test_without_torch_the_error_says_so():
    with pytest.raises(BadInput, match="needs the library torch"):
        torch_dataset(Generated(1))
