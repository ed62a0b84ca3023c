"""x"""
from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer


def test_x(checkout: Checkout, server: SimulatedServer) -> None:
    import time
    for i in range(3):
        for f in (lambda: checkout.record(server, mode="all"), lambda: checkout.pytest()):
            t=time.time()
            r = f(); print(time.time()-t)
