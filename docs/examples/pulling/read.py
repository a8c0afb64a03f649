import os

from durable_streams import stream

from store import load, save

headers = {"Authorization": f"Bearer {os.environ['FEED_TOKEN']}"}
with stream(os.environ["FEED_URL"], headers=headers, offset=load() or "-1", live="long-poll") as pages:
    for events in pages.iter_json_batches():
        save(events, pages.offset)
