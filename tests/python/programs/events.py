"""asyncio with tasks, queues, sockets, threads and child processes; subprocess with pipes."""

import asyncio
import subprocess
import sys


async def serve_and_ask():
    async def answer(reader, writer):
        while line := await reader.readline():
            writer.write(line[::-1])
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 20)
    port = server.sockets[0].getsockname()[1]

    async def ask(seed):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        for step in range(20):
            text = b"%d-%d;" % (seed, step) * (step * 40 + 1)
            writer.write(text + b"\n")
            assert await reader.readexactly(len(text) + 1) == b"\n" + text[::-1]
        writer.close()

    await asyncio.gather(*(ask(seed) for seed in range(40)))
    server.close()


async def relay():
    line = asyncio.Queue(10)

    async def put(seed):
        for step in range(200):
            await line.put([seed] * step)

    async def get():
        return sum([len(await line.get()) for _ in range(200)])

    results = await asyncio.gather(*(put(seed) for seed in range(20)), *(get() for _ in range(20)))
    assert sum(results[20:]) == 20 * sum(range(200))


async def start_children():
    async def child(seed):
        code = f"import sys; sys.stdout.write(str({seed}) * 50_000); sys.exit({seed})"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
        out, _ = await process.communicate()
        assert out.decode() == str(seed) * 50_000 and process.returncode == seed

    await asyncio.gather(*(child(seed) for seed in range(6)))


async def main():
    await serve_and_ask()
    await relay()
    await start_children()
    loop = asyncio.get_running_loop()
    results = await asyncio.gather(*(loop.run_in_executor(None, bytes, step * 100) for step in range(200)))
    assert [len(result) for result in results] == [step * 100 for step in range(200)]
    tasks = [asyncio.create_task(asyncio.sleep(3_600)) for _ in range(5_000)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*tasks, return_exceptions=True))


asyncio.run(main())

text = "".join(f"line {step}\n" for step in range(50_000))
assert subprocess.run(["cat"], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout == text
assert subprocess.run(["sh", "-c", "exit 3"], check=False).returncode == 3
for start in range(20):
    code = f"print(sum(range({start} * 1000)))"
    assert int(subprocess.check_output([sys.executable, "-c", code])) == sum(range(start * 1000))
print("right")
