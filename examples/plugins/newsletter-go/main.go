// Newsletter-go is the example plugin newsletter as a service with the Go SDK. Staff may set the newsletter for a
// customer while they see the shop as that customer: what is kept, printed and published then has both.
//
// PLUGIN_SECRET is the package's signing secret, PORT where to listen.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"stoa.example/sdk/go/plugin"
)

// choice is what a customer wants, and who of the staff said so for them.
type choice struct {
	Wanted       bool       `json:"wanted"`
	Impersonator string     `json:"impersonator,omitempty"`
	By           *plugin.By `json:"by,omitempty"`
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/newsletter", answer(get))
	mux.HandleFunc("PUT /api/newsletter", answer(set))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status":"ok","slug":"newsletter-go","version":"1.0.0"}`)
	})
	v := &plugin.Verifier{Secrets: []string{os.Getenv("PLUGIN_SECRET")}}
	srv := &http.Server{
		Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: v.Handler(mux), ReadHeaderTimeout: 10 * time.Second,
	}
	log.Fatal(srv.ListenAndServe())
}

func get(ctx context.Context, stoa *plugin.Context, _ *http.Request) (c choice, err error) {
	err = stoa.Platform.Storage().GetJSON(ctx, key(stoa), &c)
	if errors.Is(err, plugin.ErrNotFound) {
		return choice{}, nil
	}
	return c, err
}

func set(ctx context.Context, stoa *plugin.Context, r *http.Request) (c choice, err error) {
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return c, err
	}
	wanted := choice{Wanted: c.Wanted}
	stored, err := stoa.Platform.Storage().PutJSON(ctx, key(stoa), wanted, plugin.PutOptions{})
	if err != nil {
		return c, err
	}
	_, err = stoa.Platform.Publish(ctx, "newsletter-go.set", map[string]any{"userId": stoa.UserID, "wanted": c.Wanted})
	if err != nil {
		return c, err
	}
	by := stoa.Impersonator
	if by == "" {
		by = "the user"
	}
	fmt.Printf("newsletter of %s set to %t by %s\n", stoa.UserID, c.Wanted, by)
	return choice{c.Wanted, stoa.Impersonator, stored.By}, nil
}

func key(stoa *plugin.Context) string { return "wanted/" + stoa.UserID }

// answer makes a handler for customers who are signed in.
func answer(f func(context.Context, *plugin.Context, *http.Request) (choice, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		stoa := plugin.FromContext(r.Context())
		if stoa.UserID == "" {
			http.Error(w, "Sign in for the newsletter.", http.StatusUnauthorized)
			return
		}
		c, err := f(r.Context(), stoa, r)
		if err != nil {
			log.Print(err)
			http.Error(w, "That did not work.", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(c) // the caller may be gone
	}
}
