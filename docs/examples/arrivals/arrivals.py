import os

from events import ShipmentCreated, ShipmentStatusChanged
from fastapi import FastAPI, Request, Response
from standardwebhooks import Webhook, WebhookVerificationError

TYPES = {"shipment.created": ShipmentCreated, "shipment.status_changed": ShipmentStatusChanged}
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
app = FastAPI()


@app.post("/hook")
async def receive(request: Request) -> Response:
    try:
        event = webhook.verify(await request.body(), dict(request.headers))
    except (WebhookVerificationError, ValueError):
        return Response(status_code=401)
    if event["type"] in TYPES:
        data = TYPES[event["type"]].model_validate(event).data
        if data.object.status == "DELIVERED":
            for item in data.items:
                print(item.model_dump_json(include={"sku", "quantity"}), flush=True)
    return Response(status_code=204)
