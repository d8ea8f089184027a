# verdict: RV
# rule: stays-traced
# np.asarray wants the values of a traced array.
import numpy as np


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (np.asarray(a, dtype=np.float32) for a in (x, w1, b1, w2, b2))  # <- here
    hidden = np.maximum(x @ w1 + b1, 0)
    return {"out": hidden @ w2 + b2, "hidden": hidden}
