# Run "venv/bin/python -m unittest": without an engine or a server, in milliseconds, what does the program declare?
import runpy
import unittest

import pulumi


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return [args.name, {**args.inputs, "apiKey": "pk_test"}]

    def call(self, args):
        return {"webhooks": [{"webhookId": 101, "record": {}}, {"webhookId": 102, "record": {}}]}


pulumi.runtime.set_mocks(Mocks())


class ProgramTest(unittest.TestCase):
    @pulumi.runtime.test
    def test_keeps_orders_active(self):
        program = runpy.run_path("__main__.py")

        def check(outputs):
            self.assertEqual(outputs, ["active", "pk_test"])

        return pulumi.Output.all(program["orders"].state, program["checkout"].api_key).apply(check)
