"""Starts workers the way libraries do: multiprocessing, a pool of processes.

verdicts: RE TLE
harm: file @FOLDER@/by_worker
options: --time-limit 6
"""

from concurrent.futures import ProcessPoolExecutor
import multiprocessing


def harm(_):
    open("@FOLDER@/by_worker", "w").close()


for method in ("fork", "spawn", "forkserver"):
    try:
        worker = multiprocessing.get_context(method).Process(target=harm, args=(0,))
        worker.start()
        worker.join(2)
    except BaseException:
        pass
try:
    list(ProcessPoolExecutor(2).map(harm, range(2)))
except BaseException:
    pass

raise RuntimeError("the attack is over")
