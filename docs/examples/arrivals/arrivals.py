import os

from events import ShipmentCreated, ShipmentStatusChanged
from fastapi import FastAPI, Request, Response
from standardwebhooks import Webhook, WebhookVerificationError

TYPES = {"shipment.created": ShipmentCreated, "shipment.status_changed": ShipmentStatusChanged}
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
app = FastAPI()
# By parcel, not by event: a parcel may be delivered twice, or move to another return. In production: a table.
booked: set[tuple[str, int]] = set()


@app.post("/hook")
async def receive(request: Request) -> Response:
    try:
        event = webhook.verify(await request.body(), dict(request.headers))
    except (WebhookVerificationError, ValueError):
        return Response(status_code=401)
    if event["type"] in TYPES:
        data = TYPES[event["type"]].model_validate(event).data
        parcel = (event["source"], data.object.id)
        if data.object.status == "DELIVERED" and parcel not in booked:
            for item in data.items:
                print(item.model_dump_json(include={"sku", "quantity"}), flush=True)
            booked.add(parcel)
    return Response(status_code=204)
