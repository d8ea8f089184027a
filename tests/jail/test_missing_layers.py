"""Where the kernel or a container forbids a layer, the others stand in, and what is missing is named."""

from __future__ import annotations

import errno

import pytest

from grader.tracer.jail import LAYERS, REFUSED_STATUS, layers
from tests.jail.conftest import Probe

NAMESPACES = {layers.USER, layers.PID, layers.NETWORK, layers.IPC, layers.UTS, layers.MOUNT}
LANDLOCK = {layers.LANDLOCK_FILES, layers.LANDLOCK_NETWORK, layers.LANDLOCK_SCOPES}
CONTAINER = {"forbidden": [["unshare"], errno.EPERM], "require": []}
OLD_KERNEL = {"forbidden": [["landlock_create_ruleset", "mount_setattr"], errno.ENOSYS], "require": []}
NO_FILTER = {"forbidden": [["seccomp"], errno.EINVAL], "require": []}


def test_a_container_that_forbids_namespaces(probe: Probe) -> None:
    outcome = probe("numerical_work", layers=LAYERS, readable=["/tmp"], **CONTAINER)
    assert set(outcome.missing) - {layers.PRIVILEGES} == NAMESPACES
    assert "Operation not permitted" in outcome.missing[layers.PID]
    assert outcome.error is not None, "a file was written outside"
    assert probe("threads", 8, layers=LAYERS, **CONTAINER).done == 8


@pytest.mark.parametrize("attack", ["fork", "execute", "bind_tcp", "leave_a_daemon"])
def test_in_a_container_the_other_layers_hold(probe: Probe, attack: str) -> None:
    assert probe(attack, layers=LAYERS, **CONTAINER).stopped


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", layers.__file__])
def test_in_a_container_files_stay_closed(probe: Probe, path: str) -> None:
    assert probe("read", path, layers=LAYERS, **CONTAINER).stopped


def test_an_older_kernel(probe: Probe) -> None:
    outcome = probe("threads", 8, layers=LAYERS, **OLD_KERNEL)
    assert set(outcome.missing) - {layers.PRIVILEGES} == LANDLOCK | {layers.MOUNT}
    assert "Landlock" in outcome.missing[layers.LANDLOCK_FILES]
    assert outcome.done == 8


def test_no_filter(probe: Probe) -> None:
    outcome = probe("numerical_work", layers=LAYERS, **NO_FILTER)
    assert set(outcome.missing) == {layers.SECCOMP}
    assert outcome.done


def test_what_is_required_and_forbidden_is_refused(probe: Probe) -> None:
    outcome = probe("nothing", layers=LAYERS, forbidden=CONTAINER["forbidden"], require=[layers.MOUNT])
    assert outcome.status == REFUSED_STATUS << 8
