package extension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
)

// logPing is how often a client that follows a log gets a comment: proxies close connections that are
// silent for long.
const logPing = 15 * time.Second

// logEntry is a line of an instance's log on the wire.
type logEntry struct {
	Number    int64         `json:"number"`
	Time      web.Timestamp `json:"time"`
	Level     string        `json:"level"`
	Source    string        `json:"source"`
	Message   string        `json:"message"`
	Error     string        `json:"error,omitempty"`
	File      string        `json:"file,omitempty"`
	Line      int           `json:"line,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
}

func newLogEntry(e plugin.LogEntry) logEntry {
	return logEntry{
		Number: e.Number, Time: web.Timestamp(e.Time), Level: e.Level, Source: e.Source, Message: e.Message,
		Error: e.Error, File: e.File, Line: e.Line, RequestID: e.RequestID,
	}
}

// Logs serves GET /api/v1/admin/plugins/{slug}/instances/{installationId}/logs: the stored entries, or
// with ?follow=true these and all new ones, as events.
func (h *Handlers) Logs(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	var faults errs.Issues
	web.NoParamsBut(r, &faults, "follow", "after")
	follow := query.Get("follow")
	if follow != "" && follow != "true" && follow != "false" {
		faults.Add("follow", errs.CodeWrongType, "follow must be true or false.")
	}
	after, err := number(query.Get("after"))
	if err != nil {
		faults.Add("after", web.NumberCode(err), "after must be the number of an entry.")
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if follow == "true" {
		if last, err := number(r.Header.Get("Last-Event-ID")); err == nil && last > 0 {
			after = last // a browser reconnects
		}
		return h.followLog(w, r, after)
	}
	entries, _, err := h.Plugins.Log(r.Context(), r.PathValue("slug"), r.PathValue("installationId"), after)
	if err != nil {
		return err
	}
	items := make([]logEntry, len(entries))
	for i, e := range entries {
		items[i] = newLogEntry(e)
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, struct {
		Items []logEntry `json:"items"`
	}{items})
	return nil
}

func number(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// followLog sends entries as server-sent events until the client leaves or the
// instance is gone.
func (h *Handlers) followLog(w http.ResponseWriter, r *http.Request, after int64) error {
	ctx, rc := r.Context(), http.NewResponseController(w)
	ping := time.NewTicker(logPing)
	defer ping.Stop()
	for began := false; ; began = true {
		entries, more, err := h.Plugins.Log(ctx, r.PathValue("slug"), r.PathValue("installationId"), after)
		if err != nil {
			if began {
				return nil
			}
			return err
		}
		if !began {
			web.NoStore(w)
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
		}
		if err := writeEvents(w, entries); err != nil {
			return nil
		}
		if len(entries) > 0 {
			after = entries[len(entries)-1].Number
		}
		_ = rc.SetWriteDeadline(time.Now().Add(2 * logPing)) // fails only without a connection
		if rc.Flush() != nil {
			return nil
		}
		select {
		case <-more:
		case <-ping.C:
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

func writeEvents(w http.ResponseWriter, entries []plugin.LogEntry) error {
	for _, e := range entries {
		text, err := json.Marshal(newLogEntry(e))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: log\ndata: %s\n\n", e.Number, text); err != nil {
			return err
		}
	}
	return nil
}
