"""The same trials with inspect_ai, in an environment of its own: SAMPLES URL IN_FLIGHT FOLDER. Prints JSON."""

import json
import os
import sys
from datetime import datetime

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

samples, url, in_flight, folder = sys.argv[1:]
os.environ["ANTHROPIC_API_KEY"] = "none-needed"
task = Task(dataset=json_dataset(samples), solver=generate(), scorer=includes())
[log] = inspect_ai.eval(
    task,
    model="anthropic/toy",
    model_base_url=url,
    max_connections=int(in_flight),
    max_samples=2 * int(in_flight),
    max_tokens=16,
    log_dir=folder,
    display="none",
)
seconds = datetime.fromisoformat(log.stats.completed_at) - datetime.fromisoformat(log.stats.started_at)
done = log.results.completed_samples if log.results else 0
print(json.dumps({"seconds": seconds.total_seconds(), "samples": done, "version": inspect_ai.__version__}))
