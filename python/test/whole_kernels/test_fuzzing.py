"""The fuzzer of programs (python/test/fuzzing): its programs are right, and what is wrong is found and made small."""

import os
import time
import types

import pytest
from fuzzing import __main__ as fuzzer
from fuzzing import elements, targets, trial
from fuzzing.elementwise import number_for
from fuzzing.program import Program


def run(*options):
    return fuzzer.main(["--jobs", "2", "--seconds", "100", "--seed", "3200", *options])


def test_programs_are_right(capfd):
    assert run("--target", "cpu,sim:cuda:90", "--count", "8") == 0
    counts = capfd.readouterr().out.splitlines()[-2:]
    right = "8 right, 0 refused, 0 wrong, 0 failed, 0 crashed, 0 hung"
    assert sorted(counts) == [f"cpu: {right}", f"sim:cuda:90: {right}"]


def test_a_wrong_result_is_found_and_reduced(monkeypatch, tmp_path):
    load = targets.load
    monkeypatch.setattr(targets, "load", lambda folder, name, text: load(folder, name, text.replace(" ^ ", " | ")))
    outcomes = [trial.attempt(targets.Target("cpu"), seed, tmp_path, "control") for seed in range(3000, 3008)]
    texts = [text for outcome, text in outcomes if outcome == "wrong"]
    assert texts and all(" ^ " in text and text.count("tl.store(") == 1 for text in texts)
    assert {outcome for outcome, _ in outcomes} == {"right", "wrong"}


@pytest.mark.parametrize("dtype", elements.LARGEST)
def test_numbers_are_within_their_type(dtype):
    """Beyond it, targets differ."""
    program = Program(0)
    assert all(abs(number_for(program, dtype)) <= elements.LARGEST[dtype] for _ in range(100))


def ends(pipe, *_):
    pipe.send(("ready", ""))
    pipe.recv()
    os._exit(3)


def never_answers(pipe, *_):
    pipe.send(("ready", ""))
    time.sleep(1000)


@pytest.mark.parametrize(("work", "words"), [(ends, "1 crashed, 0 hung"), (never_answers, "0 crashed, 1 hung")])
def test_a_process_that_ends_or_hangs_is_a_find(monkeypatch, capfd, work, words):
    monkeypatch.setattr(fuzzer, "work", work)
    assert run("--target", "cpu", "--count", "1", "--jobs", "1", "--patience", "2") == 1
    assert capfd.readouterr().out.splitlines()[-1].endswith(words)


def answers_once(pipe, *_):
    pipe.send(("ready", ""))
    if pipe.recv() is not None:
        pipe.send(("right", ""))


@pytest.mark.parametrize("programs", [1, 1500])
def test_no_seed_is_lost_between_processes(monkeypatch, capfd, programs):
    """Where a process has run its number of programs, or ends by itself as after an error on a GPU."""
    monkeypatch.setattr(fuzzer, "work", answers_once)
    monkeypatch.setattr(fuzzer, "PROGRAMS_OF_A_PROCESS", programs)
    assert run("--target", "cpu", "--count", "2", "--jobs", "1") == 0
    assert capfd.readouterr().out.splitlines()[-1].startswith("cpu: 2 right")


def ends_when_started_again(pipe, _, folder, settings):
    mark = os.path.join(folder, "started")
    if os.path.exists(mark):
        os._exit(4)
    open(mark, "w").close()
    answers_once(pipe)


def test_a_process_that_does_not_start_again_is_a_find(monkeypatch, capfd):
    monkeypatch.setattr(fuzzer, "work", ends_when_started_again)
    monkeypatch.setattr(fuzzer, "PROGRAMS_OF_A_PROCESS", 1)
    assert run("--target", "cpu", "--count", "2", "--jobs", "1") == 1
    assert "1 right, 0 refused, 0 wrong, 0 failed, 1 crashed" in capfd.readouterr().out


def test_a_mistake_that_is_accepted_is_a_find(monkeypatch, tmp_path):
    monkeypatch.setattr(trial, "launch", lambda *_: {})
    target = types.SimpleNamespace(name="cpu", knows=lambda dtype: True)
    outcome, text = trial.attempt(target, 3000, tmp_path, "mistakes")
    assert outcome == "failed" and "is not refused" in text
