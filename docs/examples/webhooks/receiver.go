// go get github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1 && go run receiver.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type event struct {
	Source string
	Type   string
	Data   struct {
		Object struct {
			ID     int64
			Status string
		}
	}
}

const (
	bodyLimit = 1_100_000
	// whsec_ and 24 bytes in base64
	shortestSecret = 38
)

var (
	client = &http.Client{Timeout: 10 * time.Second}
	// One event at a time, so that two of one return are never handled at once.
	turn sync.Mutex
	// In production: a table, written in the same transaction as the effect.
	handled = map[string]bool{}
)

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	webhook, err := standardwebhooks.NewWebhook(secret)
	// The library accepts an empty secret, with which anybody can sign.
	if err != nil || len(secret) < shortestSecret {
		log.Fatal("WEBHOOK_SECRET must hold the webhook's secret: whsec_ and at least 32 characters")
	}
	http.HandleFunc("POST /hook", func(writer http.ResponseWriter, request *http.Request) {
		writer.WriteHeader(answer(webhook, writer, request))
	})
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}

func answer(webhook *standardwebhooks.Webhook, writer http.ResponseWriter, request *http.Request) int {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, bodyLimit))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	if webhook.Verify(body, request.Header) != nil || !utf8.Valid(body) {
		return http.StatusUnauthorized
	}
	if err := handleOnce(request.Header.Get("webhook-id"), body); err != nil {
		log.Print(err)
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}

func handleOnce(id string, body []byte) error {
	var received event
	if err := json.Unmarshal(body, &received); err != nil {
		return err
	}
	turn.Lock()
	defer turn.Unlock()
	if handled[id] || !isDelivered(received) {
		return nil
	}
	if err := bookArrival(received, body); err != nil {
		return err
	}
	handled[id] = true
	return nil
}

func isDelivered(received event) bool {
	isFirst := received.Type == "shipment.created" || received.Type == "shipment.status_changed"
	return isFirst && received.Data.Object.Status == "DELIVERED"
}

// The parcel is the key, not the event: a parcel may be delivered twice, or move to another return.
func bookArrival(received event, body []byte) error {
	address := fmt.Sprintf("%s%s/arrivals/%d", os.Getenv("WMS_URL"), received.Source, received.Data.Object.ID)
	request, err := http.NewRequest(http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("the warehouse system answered %d", response.StatusCode)
	}
	return nil
}
