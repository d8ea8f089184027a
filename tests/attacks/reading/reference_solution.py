"""Opens the reference solution and the other known submissions.

verdicts: RE
harm: leak LEAKED
"""

import glob

for path in glob.glob("@CHECKOUT@/solution/*") + ["@CHECKOUT@/solution/tensor_parallel_mlp.py"]:
    try:
        print("LEAKED", open(path).read(100))
    except OSError:
        pass

raise RuntimeError("the attack is over")
