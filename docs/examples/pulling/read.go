package main

import (
	"context"
	"os"

	ds "github.com/durable-streams/durable-streams/packages/client-go"
)

func main() {
	headers := map[string]string{"Authorization": "Bearer " + os.Getenv("FEED_TOKEN")}
	feed := ds.NewClient().Stream(os.Getenv("FEED_URL"))
	it := feed.Read(context.Background(), ds.WithReadHeaders(headers), ds.WithOffset(load()), ds.WithLive(ds.LiveModeLongPoll))
	for page, err := it.Next(); err == nil; page, err = it.Next() {
		save(page.Data, page.NextOffset)
	}
}
