# SPDX-License-Identifier: MIT
"""richards: Martin Richards' simulation of an operating system: six tasks that hand packets to each other.

An idle task, a worker, two handlers and two devices, by priority; each task is run when a packet waits for it, and
holds itself when it has nothing to do.
"""

from program import expect_equal, main

IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)
DEVICE_PACKET, WORK_PACKET = 0, 1
BUFFER = 4


class Packet:
    def __init__(self, link, owner, kind):
        self.link = link
        self.owner = owner
        self.kind = kind
        self.datum = 0
        self.data = [0] * BUFFER

    def append_to(self, queue):
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class System:
    """The tasks, the one that runs, and what is counted."""

    def __init__(self):
        self.tasks = [None] * 6
        self.order = []
        self.queued = self.held = 0

    def schedule(self):
        place = 0
        while place < len(self.order):
            task = self.order[place]
            if task.is_held_or_waits():
                place += 1
            else:
                chosen = task.run()
                place = len(self.order) if chosen is None else self.order.index(chosen)


class Task:
    """Three flags are its state: a packet is there, it waits for one, it is held."""

    def __init__(self, system, name, priority, queue, running=False):
        self.system = system
        self.name = name
        self.priority = priority
        self.queue = queue
        self.pending = queue is not None
        self.waiting = not running
        self.held = False
        system.tasks[name] = self
        system.order.append(self)
        system.order.sort(key=lambda task: -task.priority)

    def is_held_or_waits(self):
        return self.held or (not self.pending and self.waiting)

    def run(self):
        packet = None
        if self.waiting and self.pending and not self.held:
            packet = self.queue
            self.queue = packet.link
            self.pending = self.queue is not None
            self.waiting = False
        return self.act(packet)

    def wait(self):
        self.waiting = True
        return self

    def hold(self):
        self.system.held += 1
        self.held = True
        following = self.system.order.index(self) + 1
        return self.system.order[following] if following < len(self.system.order) else None

    def release(self, name):
        other = self.system.tasks[name]
        other.held = False
        return other if other.priority > self.priority else self

    def send(self, packet):
        """Hands a packet to the task that owns it, and itself becomes the owner."""
        other = self.system.tasks[packet.owner]
        self.system.queued += 1
        packet.owner = self.name
        if other.queue is not None:
            packet.append_to(other.queue)
            return self
        other.queue = packet
        packet.link = None
        other.pending = True
        return other if other.priority > self.priority else self


class Idle(Task):
    """Wakes one of the devices, as the bits of a shift register say, so many times."""

    def act(self, packet):
        self.count -= 1
        if self.count == 0:
            return self.hold()
        if self.control & 1 == 0:
            self.control //= 2
            return self.release(DEVICE_A)
        self.control = self.control // 2 ^ 0xD008
        return self.release(DEVICE_B)


class Worker(Task):
    """Fills each packet with letters and sends it to the handlers in turn."""

    to, letter = HANDLER_A, 0

    def act(self, packet):
        if packet is None:
            return self.wait()
        self.to = HANDLER_B if self.to == HANDLER_A else HANDLER_A
        packet.owner = self.to
        packet.datum = 0
        for i in range(BUFFER):
            self.letter = self.letter % 26 + 1
            packet.data[i] = ord("A") + self.letter - 1
        return self.send(packet)


class Handler(Task):
    """Passes the letters of work packets to a device, one in each device packet."""

    work = devices = None

    def act(self, packet):
        if packet is not None:
            if packet.kind == WORK_PACKET:
                self.work = packet.append_to(self.work)
            else:
                self.devices = packet.append_to(self.devices)
        work = self.work
        if work is None:
            return self.wait()
        if work.datum >= BUFFER:
            self.work = work.link
            return self.send(work)
        device = self.devices
        if device is None:
            return self.wait()
        self.devices = device.link
        device.datum = work.data[work.datum]
        work.datum += 1
        return self.send(device)


class Device(Task):
    """Holds itself over a packet, and sends it back when it is woken."""

    packet = None

    def act(self, packet):
        if packet is not None:
            self.packet = packet
            return self.hold()
        packet = self.packet
        if packet is None:
            return self.wait()
        self.packet = None
        return self.send(packet)


def packets(count, owner, kind):
    queue = None
    for _ in range(count):
        queue = Packet(queue, owner, kind)
    return queue


def simulate(count):
    system = System()
    idle = Idle(system, IDLE, 0, None, running=True)
    idle.control, idle.count = 1, count
    Worker(system, WORKER, 1000, packets(2, WORKER, WORK_PACKET))
    Handler(system, HANDLER_A, 2000, packets(3, DEVICE_A, DEVICE_PACKET))
    Handler(system, HANDLER_B, 3000, packets(3, DEVICE_B, DEVICE_PACKET))
    Device(system, DEVICE_A, 4000, None)
    Device(system, DEVICE_B, 5000, None)
    system.schedule()
    return system.queued, system.held


def work(loops, count):
    for _ in range(loops):
        result = simulate(count)
    return result


def check(count, result):
    """Richards gives 23,246 and 9,297 for 10,000 turns of the idle task, and 2,322 and 928 for 1,000."""
    expect_equal(result, {10000: (23246, 9297), 1000: (2322, 928)}[count], "packets queued and tasks held")
    return list(result)


if __name__ == "__main__":
    main({"richards": (lambda size: size.pick(10000, 1000), work, check)})
