"""With the client of openapi-generator (python): prints the ids of the tasks that changed since a day."""

import sys
from importlib import import_module

folder, address, key, day = sys.argv[1:]
sys.path.insert(0, folder)
client = import_module("openapi_client")
configuration = client.Configuration(host=address, api_key={"key": key})
page = client.WorkApi(client.ApiClient(configuration)).list_tasks(updated_since=day, limit=100)
print(*(task.id for task in page.results))  # noqa: T201
