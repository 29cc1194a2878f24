"""Does what a sealed program may do; prints `fine` if all of it works."""

import concurrent.futures
import hashlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading


def square(number):
    return number * number


if __name__ == "__main__":
    results = []
    threads = [threading.Thread(target=lambda: results.append(1)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(4)) == [0, 1, 4, 9]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, [3])) == [9]
    queue = multiprocessing.Queue()
    queue.put("word")
    assert queue.get() == "word"
    assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\n"
    assert subprocess.check_output("echo a b | tr a-z A-Z | rev", shell=True) == b"B A\n"
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"text")
    with open(os.path.join(sys.argv[1], "file")) as file:
        hashlib.sha256(file.read().encode())
    with open("/dev/null", "w") as file:
        file.write("x")
    assert os.urandom(4)
    if os.environ["LEVEL"] == "workspace":
        for name in ("file", "src/new"):
            with open(os.path.join(sys.argv[1], name), "w") as file:
                file.write("written")
    print("fine")
