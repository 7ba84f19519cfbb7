"""An asyncio server whose clients are tasks, threads and another process, over TCP and over a Unix socket."""

import asyncio
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

REQUESTS = 60


def request(seed, step):
    return b"%d:%d;" % (seed, step) * (step * (seed % 7 + 1) * 8 + 1)


def answer_of(text):
    return text.upper()[::-1]


async def ask(seed, connection):
    reader, writer = await connection
    for step in range(REQUESTS):
        text = request(seed, step)
        writer.write(struct.pack("!I", len(text)) + text)
        await writer.drain()
        assert await reader.readexactly(len(text)) == answer_of(text)
    writer.close()
    await writer.wait_closed()


def ask_from_a_thread(seed, port):
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rwb") as file:
        for step in range(REQUESTS):
            text = request(seed, step)
            file.write(struct.pack("!I", len(text)) + text)
            file.flush()
            assert file.read(len(text)) == answer_of(text)


async def clients(port):
    await asyncio.gather(*(ask(seed, asyncio.open_connection("127.0.0.1", port)) for seed in range(20)))


async def serve(folder):
    served = []

    async def answer(reader, writer):
        count = 0
        try:
            while True:
                (length,) = struct.unpack("!I", await reader.readexactly(4))
                writer.write(answer_of(await reader.readexactly(length)))
                await writer.drain()
                count += 1
        except asyncio.IncompleteReadError:
            served.append(count)
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    path = os.path.join(folder, "socket")
    local = await asyncio.start_unix_server(answer, path)
    child = await asyncio.create_subprocess_exec(sys.executable, __file__, str(port), stdout=subprocess.PIPE)
    threads = [threading.Thread(target=ask_from_a_thread, args=(seed, port)) for seed in range(5)]
    for thread in threads:
        thread.start()
    await clients(port)
    await asyncio.gather(*(ask(seed, asyncio.open_unix_connection(path)) for seed in range(20)))
    out, _ = await child.communicate()
    assert (child.returncode, out) == (0, b"asked\n")
    while any(thread.is_alive() for thread in threads):
        await asyncio.sleep(0.01)
    for one in (server, local):
        one.close()
        await one.wait_closed()
    while len(served) < 65:
        await asyncio.sleep(0.01)
    assert served == [REQUESTS] * 65


assert probe.is_as_asked()
if len(sys.argv) > 1:
    asyncio.run(clients(int(sys.argv[1])))
    print("asked")
else:
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(serve(scratch))
    print("right")
