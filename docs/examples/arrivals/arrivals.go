package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	http.HandleFunc("POST /hook", func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if len(os.Getenv("WEBHOOK_SECRET")) < 38 || err != nil || webhook.Verify(body, request.Header) != nil {
			writer.WriteHeader(http.StatusUnauthorized)
		} else if event, _ := UnmarshalShipmentCreated(body); event.Data.Object.Status == "DELIVERED" {
			for _, item := range event.Data.Items {
				json.NewEncoder(os.Stdout).Encode(item)
			}
		}
	})
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
