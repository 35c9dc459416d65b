package license_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"stoa.example/sdk/go/license"
)

// vectors are the test cases that this SDK shares with the one for JavaScript. The
// code of stoa that signs has written them.
type vectors struct {
	JWKS      json.RawMessage  `json:"jwks"`
	PEM       string           `json:"pem"`
	Leases    []leaseVector    `json:"leases"`
	Answers   []answerVector   `json:"answers"`
	Instances []instanceVector `json:"instances"`
}

type leaseVector struct {
	Name     string `json:"name"`
	Lease    string `json:"lease"`
	Product  string `json:"product"`
	Instance string `json:"instance"`
	Issuer   string `json:"issuer"`
	Now      int64  `json:"now"`
	LastSeen int64  `json:"lastSeen"`
	// Either the error or the result.
	Error    string       `json:"error"`
	State    string       `json:"state"`
	SeenNext int64        `json:"seenNext"`
	Claims   *leaseClaims `json:"claims"`
}

type leaseClaims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Product struct {
		ID   string `json:"id"`
		Slug string `json:"slug"`
	} `json:"product"`
	InstanceID       string   `json:"instanceId"`
	Development      bool     `json:"development"`
	Features         []string `json:"features"`
	LicenseType      string   `json:"licenseType"`
	LicenseExpiresAt int64    `json:"licenseExpiresAt"`
	IssuedAt         int64    `json:"iat"`
	ExpiresAt        int64    `json:"exp"`
	GraceUntil       int64    `json:"graceUntil"`
	Nonce            string   `json:"nonce"`
}

type answerVector struct {
	Name    string            `json:"name"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Nonce   string            `json:"nonce"`
	Created int64             `json:"created"` // zero: the answer is refused
}

type instanceVector struct {
	ID     string `json:"id"`
	Normal string `json:"normal"`
}

func readVectors(tb testing.TB) vectors {
	tb.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		tb.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		tb.Fatal(err)
	}
	if len(v.Leases) == 0 || len(v.Answers) == 0 || len(v.Instances) == 0 {
		tb.Fatal("testdata/vectors.json lacks test cases")
	}
	return v
}

func mustKeys(tb testing.TB, v vectors) license.Keys {
	tb.Helper()
	keys, err := license.ParseJWKS(v.JWKS)
	if err != nil {
		tb.Fatal(err)
	}
	return keys
}

func at(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

// answerOf is an answer as net/http would have read it.
func answerOf(tb testing.TB, tt answerVector) license.Answer {
	tb.Helper()
	u, err := url.Parse(tt.URL)
	if err != nil {
		tb.Fatal(err)
	}
	h := make(http.Header)
	for name, value := range tt.Headers {
		h.Set(name, value)
	}
	return license.Answer{Method: tt.Method, URL: u, Status: tt.Status, Header: h, Body: []byte(tt.Body)}
}
