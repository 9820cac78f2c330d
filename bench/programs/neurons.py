"""A ring of spiking cells in NEURON: ranks exchange spikes after every millisecond of model time.

    neurons.py CELLS MILLISECONDS

Prints how many spikes there were, and the sum of their times.
"""

import sys

from neuron import h

CELLS, END_MS = (int(word) for word in sys.argv[-2:])


class Cell:
    """A patch of Hodgkin and Huxley's membrane with an exciting synapse."""

    def __init__(self, number):
        self.soma = h.Section(name=f"soma{number}")
        self.soma.L = self.soma.diam = 20
        self.soma.insert("hh")
        self.synapse = h.ExpSyn(self.soma(0.5))
        self.synapse.tau = 2


def main():
    h.nrnmpi_init()
    context = h.ParallelContext()
    rank, ranks = int(context.id()), int(context.nhost())
    cells, connections = {}, []
    for number in range(rank, CELLS, ranks):
        cells[number] = Cell(number)
        context.set_gid2node(number, rank)
        context.cell(number, h.NetCon(cells[number].soma(0.5)._ref_v, None, sec=cells[number].soma))
    for number, cell in cells.items():
        connection = context.gid_connect((number - 1) % CELLS, cell.synapse)
        connection.weight[0], connection.delay = 0.05, 1 + number % 3
        connections.append(connection)
    start = h.NetStim()
    start.number, start.start = 1, 1
    if 0 in cells:
        first = h.NetCon(start, cells[0].synapse)
        first.weight[0], first.delay = 0.05, 1
    times, numbers = h.Vector(), h.Vector()
    for number in cells:
        context.spike_record(number, times, numbers)
    h.celsius = 6.3
    context.set_maxstep(10)
    h.finitialize(-65)
    context.psolve(END_MS)
    spikes = context.allreduce(times.size(), 1)
    total = context.allreduce(times.sum(), 1)
    if rank == 0:
        print(f"spikes {spikes:g}")
        print(f"times {total:.6f}", flush=True)
    context.barrier()
    h.quit()


main()
