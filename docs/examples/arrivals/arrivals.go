package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

var (
	turn sync.Mutex
	// By parcel, not by event: a parcel may be delivered twice, or move to another return. In production: a table.
	booked = map[string]bool{}
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	http.HandleFunc("POST /hook", func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if len(os.Getenv("WEBHOOK_SECRET")) < 38 || err != nil || webhook.Verify(body, request.Header) != nil {
			writer.WriteHeader(http.StatusUnauthorized)
		} else if event, _ := UnmarshalShipmentCreated(body); event.Data.Object.Status == "DELIVERED" {
			book(event)
		}
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}

func book(event ShipmentCreated) {
	turn.Lock()
	defer turn.Unlock()
	parcel := fmt.Sprintf("%s/%d", event.Source, event.Data.Object.ID)
	if booked[parcel] {
		return
	}
	for _, item := range event.Data.Items {
		json.NewEncoder(os.Stdout).Encode(item)
	}
	booked[parcel] = true
}
