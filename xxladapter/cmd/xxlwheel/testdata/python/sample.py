"""An executor made with pyxxl. It ends by SIGTERM."""

import asyncio
import sys

from pyxxl import ExecutorConfig, PyxxlRunner
from pyxxl.ctx import g

admin, token, app, port, directory = sys.argv[1:]
runner = PyxxlRunner(ExecutorConfig(
    xxl_admin_baseurl=admin, executor_app_name=app, access_token=token, executor_listen_host="127.0.0.1",
    executor_listen_port=int(port), executor_log_path=directory + "/executor.log", log_local_dir=directory + "/runs",
))


@runner.register(name="greet")
async def greet():
    run = g.xxl_run_data
    g.logger.info("hello %s", run.executorParams)
    return f"did {run.executorParams} {run.broadcastIndex}/{run.broadcastTotal}"


@runner.register(name="fail")
async def fail():
    raise Exception("as asked")


@runner.register(name="sleep")
async def sleep():
    await asyncio.sleep(60)


runner.run_executor()
