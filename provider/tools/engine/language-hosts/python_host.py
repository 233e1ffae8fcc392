"""The language host for `runtime: python` if the CLI comes without Pulumi's own: the server of the Automation
API, with the program of the project as its inline program. It runs in a virtual environment that contains the
SDK.
"""

import os
import runpy
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2_grpc


class Host(LanguageServer):
    def __init__(self):
        super().__init__(lambda: runpy.run_path("__main__.py", run_name="__main__"))

    def Run(self, request, context):
        os.chdir(request.pwd)
        sys.path.insert(0, request.pwd)
        # The server of the Automation API reads the address of the engine from there.
        request.args[:] = sys.argv[1:]
        return super().Run(request, context)


signal.signal(signal.SIGINT, lambda *_: os._exit(0))  # The engine sends it to end the host.
server = grpc.server(ThreadPoolExecutor(max_workers=4))
language_pb2_grpc.add_LanguageRuntimeServicer_to_server(Host(), server)
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
