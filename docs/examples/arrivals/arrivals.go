package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil || len(secret) < 38 { // The library accepts an empty one, with which anybody can sign.
		panic("WEBHOOK_SECRET is not a webhook's secret")
	}
	http.HandleFunc("POST /hook", func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if webhook.Verify(body, request.Header) != nil {
			writer.WriteHeader(http.StatusUnauthorized)
		} else if event, _ := UnmarshalShipmentCreated(body); event.Data.Object.Status == "DELIVERED" {
			for _, item := range event.Data.Items {
				json.NewEncoder(os.Stdout).Encode(item)
			}
		}
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
