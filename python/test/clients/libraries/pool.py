"""Runs functions in forked processes with a limit of processor time: a crash or a hang is a result like others."""

import json
import os
import resource
import signal
import tempfile
import time
import traceback


class Pool:
    def __init__(self, jobs, seconds):
        self.jobs, self.seconds = jobs, seconds

    def run(self, tasks, work):
        """Yields (task, lines that `work(task, report)` reported, "ok" | "crash N" | "timeout") as they end."""
        running, tasks = {}, iter(tasks)
        with tempfile.TemporaryDirectory() as folder:
            number, exhausted = 0, False
            while True:
                while len(running) < self.jobs and not exhausted:
                    task = next(tasks, None)
                    if task is None:
                        exhausted = True
                        break
                    number += 1
                    path = os.path.join(folder, str(number))
                    running[self.start(task, work, path)] = [task, path]
                if not running:
                    return
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    time.sleep(0.02)
                    continue
                task, path = running.pop(pid)
                code = os.waitstatus_to_exitcode(status)
                late = code in (-signal.SIGXCPU, -signal.SIGALRM)
                yield task, self.lines(path), "timeout" if late else "ok" if code == 0 else self.crash(code, path)

    @staticmethod
    def lines(path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    @staticmethod
    def crash(code, path):
        with open(path + ".err", encoding="utf-8", errors="replace") as file:
            text = file.read()
        if "Traceback" in text:
            return f"crash {code}: {text[-1500:]}"
        lines = [line for line in text.splitlines() if "Assert" in line or "ERROR" in line or "rror:" in line]
        return f"crash {code}: {(lines or text.splitlines()[-1:] or [''])[0][:300]}"

    def start(self, task, work, path):
        open(path, "w").close()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            error = os.open(path + ".err", os.O_WRONLY | os.O_CREAT)
            os.dup2(error, 1)
            os.dup2(error, 2)
            # Time of a busy machine does not count, except if a process waits for something that never comes.
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
            signal.alarm(10 * self.seconds)
            with open(path, "w", encoding="utf-8") as file:

                def report(value):
                    file.write(json.dumps(value) + "\n")
                    file.flush()

                work(task, report)
            code = 0
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)
