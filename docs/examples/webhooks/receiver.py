# pip install fastapi httpx standardwebhooks uvicorn
# uvicorn receiver:app --port 3000
import os

import httpx
from fastapi import FastAPI, Request, Response
from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
app = FastAPI()
handled: set[str] = set()  # In production: a table, written in the same transaction as the effect.
busy_returns: set[str] = set()


@app.post("/hook")
async def receive(request: Request) -> Response:
    try:
        event = webhook.verify(await request.body(), dict(request.headers))
    except (WebhookVerificationError, ValueError):  # ValueError: not base64, UTF-8 or JSON
        return Response(status_code=401)
    event_id = request.headers["webhook-id"]
    if event_id in handled or not is_delivered(event):
        return Response(status_code=204)
    if event["partitionkey"] in busy_returns:
        return Response(status_code=409, headers={"retry-after": "5"})
    busy_returns.add(event["partitionkey"])
    try:
        await book_arrival(event)
        handled.add(event_id)
    finally:
        busy_returns.discard(event["partitionkey"])
    return Response(status_code=204)


def is_delivered(event: dict) -> bool:
    types = ("shipment.created", "shipment.status_changed")
    return event["type"] in types and event["data"]["object"]["status"] == "DELIVERED"


# The parcel is the key, not the event: a parcel may be delivered twice, or move to another return.
async def book_arrival(event: dict) -> None:
    parcel = f"{event['source']}/arrivals/{event['data']['object']['id']}"
    async with httpx.AsyncClient(timeout=10) as client:
        answer = await client.put(os.environ["WMS_URL"] + parcel, json=event)
    answer.raise_for_status()
