"""MPICH's ranks where torchrun starts them: each has a thread that answers what MPICH's launcher would be asked (PMI 1, lines of
``key=value`` over a socket), with torch's store in the place of the launcher's."""

import os
import socket
import threading

import torch.distributed

__all__ = ["serve", "started"]

_NAMES, _KEYS, _VALUES = 256, 64, 1024


def started() -> bool:
    """Whether torchrun has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def serve() -> None:
    """Makes this process one of MPICH's, before it initialises MPI."""
    store, rank, size = next(torch.distributed.rendezvous("env://"))
    theirs, ours = socket.socketpair()
    theirs.set_inheritable(True)
    hosts = _Hosts(torch.distributed.PrefixStore("espalier", store), rank, size)
    os.environ.update(PMI_FD=str(theirs.detach()), PMI_RANK=str(rank), PMI_SIZE=str(size))
    threading.Thread(target=hosts.answer_all, args=(ours.makefile("rw"),), daemon=True).start()


class _Hosts:
    """What ranks tell each other before they can talk."""

    def __init__(self, store, rank, size):
        self.store, self.rank, self.size, self.barriers = store, rank, size, 0

    def answer_all(self, stream):
        for line in stream:
            words = dict(word.split("=", 1) for word in line.split())
            stream.write(self._answer(words.pop("cmd"), words) + "\n")
            stream.flush()

    def _answer(self, command, words):
        if command == "init":
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
        if command == "get_maxes":
            return f"cmd=maxes kvsname_max={_NAMES} keylen_max={_KEYS} vallen_max={_VALUES}"
        if command == "get_appnum":
            return "cmd=appnum appnum=0"
        if command == "get_universe_size":
            return f"cmd=universe_size size={self.size} rc=0"
        if command == "get_my_kvsname":
            return "cmd=my_kvsname kvsname=torchrun"
        if command == "put":
            self.store.set(words["key"], words["value"])
            return "cmd=put_result rc=0 msg=success"
        if command == "get":
            # Of where ranks are MPICH finds out itself where it is not told; all else was put before a barrier.
            if words["key"] == "PMI_process_mapping":
                return "cmd=get_result rc=-1 msg=key_not_found value=unknown"
            return f"cmd=get_result rc=0 msg=success value={self.store.get(words['key']).decode()}"
        if command == "barrier_in":
            self._barrier()
            return "cmd=barrier_out rc=0"
        if command == "finalize":
            return "cmd=finalize_ack rc=0"
        return f"cmd={command}_result rc=-1 msg=not_served"

    def _barrier(self):
        self.barriers += 1
        if self.store.add(f"came to {self.barriers}", 1) == self.size:
            self.store.set(f"over {self.barriers}", "")
        self.store.wait([f"over {self.barriers}"])
