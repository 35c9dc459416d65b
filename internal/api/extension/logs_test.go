package extension_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// talker says what it is asked to say, and has a secret in its config, which it prints at its start.
const talker = `module.exports = async (app, opts) => {
	  console.log('printed with ' + opts.apiKey)
	  app.get('/api/say', async (req) => { req.log.warn('said ' + req.query.word); return 'ok' })
	  app.get('/api/throw', async () => {
	    throw new Error('thrown')
	  })
	}`

// withTalker returns a token of an administrator who installed the talker, and the path of its logs.
func withTalker(t *testing.T, a *testkit.App) (admin, logs string) {
	t.Helper()
	admin, res := withWorker(t, a, talker)
	id := res.Text(t, "data.defaultInstance.installationId")
	a.Do(t, changeInstance(admin, id, map[string]any{"config": map[string]any{"apiKey": "swordfish-1"}}))
	return admin, worker + "/instances/" + id + "/logs"
}

// follow follows logs. What it returns awaits the next entry whose message contains a text.
func follow(t *testing.T, a *testkit.App, admin, logs string) (await func(message string) map[string]any) {
	t.Helper()
	req, _ := http.NewRequestWithContext(t.Context(), "GET", a.URL+logs+"?follow=true", nil)
	req.Header.Set("Authorization", "Bearer "+admin)
	stream, err := a.Client.Do(req)
	if err != nil || stream.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("follow: %v, %v", stream, err)
	}
	t.Cleanup(func() { _ = stream.Body.Close() })
	events := make(chan map[string]any, 100)
	go func() {
		for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var entry map[string]any
				if json.Unmarshal([]byte(data), &entry) != nil {
					t.Errorf("event: %s", data)
				}
				events <- entry
			}
		}
	}()
	var others []map[string]any // came before they were awaited: the order of some is left to chance
	return func(message string) map[string]any {
		t.Helper()
		says := func(e map[string]any) bool {
			text, _ := e["message"].(string)
			return strings.Contains(text, message)
		}
		if i := slices.IndexFunc(others, says); i >= 0 {
			e := others[i]
			others = slices.Delete(others, i, i+1)
			return e
		}
		for {
			select {
			case e := <-events:
				if says(e) {
					return e
				}
				others = append(others, e)
			case <-time.After(2 * time.Minute):
				t.Fatalf("no event says %q", message)
			}
		}
	}
}

// Whoever follows the logs gets what was logged before, and then what is logged meanwhile: without the
// plugin's secrets, and with the line that failed.
func TestLogsOfAnInstanceAreFollowed(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, realTime)
	admin, logs := withTalker(t, a)
	shopGet(a, t, "/say?word=one")
	requestID := shopGet(a, t, "/throw").Header.Get("X-Request-Id")

	await := follow(t, a, admin, logs)
	if e := await("printed with"); e["message"] != "printed with [secret]" || e["source"] != "plugin" ||
		e["level"] != "info" {
		t.Errorf("printed: %v", e)
	}
	if e := await("plugin process ready"); e["source"] != "stoa" {
		t.Errorf("ready: %v", e)
	}
	if e := await("said one"); e["level"] != "warn" {
		t.Errorf("logged: %v", e)
	}
	if e := await("failed to answer"); e["level"] != "error" || e["file"] != "index.js" || e["line"] != 5.0 ||
		e["requestId"] != requestID || !strings.Contains(e["error"].(string), "Error: thrown") {
		t.Errorf("an exception: %v", e)
	}
	shopGet(a, t, "/say?word=two") // while it is followed
	last := await("said two")

	kept := a.Do(t, testkit.Get(admin, logs))
	items, _ := kept.Get(t, "data.items").([]any)
	if len(items) < 5 || strings.Contains(string(kept.Body), "swordfish") {
		t.Errorf("kept: %s", kept.Body)
	}
	number := strconv.FormatInt(int64(last["number"].(float64)), 10)
	after := a.Do(t, testkit.Get(admin, logs+"?after="+number))
	if got, _ := after.Get(t, "data.items").([]any); len(got) != 0 {
		t.Errorf("after %s: %s", number, after.Body)
	}
}

func TestRequestsForLogsAreRefusedWithAllTheirFaults(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, logs := withTalker(t, a)
	for query, want := range map[string]string{
		"after=x&follow=maybe":       "follow wrong_type, after wrong_type",
		"after=-1":                   "after out_of_range",
		"level=error&page=2":         "level unknown_value, page unknown_value",
		"follow=true&level=error":    "level unknown_value",
		"after=99999999999999999999": "after out_of_range",
	} {
		refused := a.Do(t, testkit.Get(admin, logs+"?"+query))
		testkit.WantError(t, refused, http.StatusBadRequest, "VALIDATION_ERROR")
		var got []string
		for _, is := range refused.Get(t, "error.details.issues").([]any) {
			got = append(got, fmt.Sprintf("%s %s", is.(map[string]any)["path"], is.(map[string]any)["code"]))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: faults %v, want %s", query, got, want)
		}
	}
}

func TestOnlyAdministratorsReadLogs(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin, logs := withTalker(t, a)
	testkit.WantError(t, a.Do(t,
		testkit.Get(admin, worker+"/instances/0fced972-3a2a-4a47-8f11-f7ea107fb2b8/logs?follow=true")), http.StatusNotFound,
		"NOT_FOUND")
	testkit.WantError(t, a.Do(t, testkit.Get("", logs)), http.StatusUnauthorized, "UNAUTHORIZED")
	testkit.WantError(t, a.Do(t, testkit.Get(a.Register(t, "ada").Access, logs)), http.StatusForbidden, "FORBIDDEN")
}
