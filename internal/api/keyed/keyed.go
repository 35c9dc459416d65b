// Package keyed honors Idempotency-Key (contract 1.8): it reads the header, decides to whom a key
// belongs and which content it covers, and stores answers so that a repeated request gets the same one.
// Package idempotency claims keys and stores answers.
package keyed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"

	"stoa/internal/api/limit"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/idempotency"
)

const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

// Requests runs requests that have a key once.
type Requests struct {
	Keeper *idempotency.Keeper
	// ClientIP determines the address by which a guest is known.
	ClientIP reqctx.AddrResolver
	Log      *slog.Logger
}

// JSON honors Idempotency-Key on a route whose body is JSON. It runs after the caller was admitted and
// the request counted, because replays, too, are only for callers of the route. A repeated request must
// have the same path and body, byte for byte.
func (q Requests) JSON(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, faults := ReadKey(r)
		if faults.Len() > 0 { // reported together with the faults of the body
			return h(w, web.WithHeaderFaults(r, faults))
		}
		if key == "" {
			return h(w, r)
		}
		read := web.ReadBody
		if r.ContentLength == 0 { // a handler that needs a body says so
			read = web.ReadPayload
		}
		body, err := read(w, r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return q.Once(w, r, key, [][]byte{[]byte(r.URL.EscapedPath()), body}, h)
	}
}

// ReadKey reads Idempotency-Key. Without one the key is empty.
func ReadKey(r *http.Request) (key string, faults errs.Issues) {
	values := r.Header.Values(keyHeader)
	if len(values) == 0 {
		return "", faults
	}
	if len(values) > 1 {
		faults.Add(keyHeader, errs.CodeDuplicate, "Send one Idempotency-Key.")
		return "", faults
	}
	key, ok := idempotency.ParseKey(values[0])
	if !ok {
		faults.Add(keyHeader, errs.CodeOutOfRange,
			"Idempotency-Key must be 1 to %d printable ASCII characters, bare or as a quoted string; "+
				"bare without quotes, backslashes and commas.",
			idempotency.MaxKey)
	}
	return key, faults
}

// Once answers with the answer of h, or with its earlier answer if the same
// caller has sent a request with the same key and content before.
func (q Requests) Once(w http.ResponseWriter, r *http.Request, key string, content [][]byte, h web.HandlerFunc) error {
	// What a new answer has beyond the kept one: its value, and what is left of limits.
	var value any
	limits := make(http.Header)
	a, err := q.Keeper.Do(r.Context(),
		idempotency.Request{Operation: r.Pattern, Caller: q.owner(r), Key: key, Content: content},
		func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			r := r.WithContext(ctx)
			// Only the operation's own headers are stored, not those of this request.
			rec := web.NewRecorder(make(http.Header))
			err := h(rec, r)
			if err != nil {
				web.Responder{Log: q.Log}.Fail(rec, r, web.FamilyOf(r.URL.Path), err)
			}
			value = rec.Value()
			limit.Move(limits, rec.Header())
			return idempotency.Answer{Status: rec.Status, Header: rec.Header(), Body: rec.Body.Bytes()}, outcomeOf(err)
		})
	if err != nil {
		return err
	}
	if !a.Replayed {
		web.Show(w, value)
		maps.Copy(w.Header(), limits)
	}
	maps.Copy(w.Header(), a.Header)
	if a.Replayed {
		w.Header().Set(replayedHeader, "true")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // as in web.WriteJSON
	return nil
}

// owner returns the owner of a request's key. A guest is identified by address alone: a key
// used from another address does not reach a guest's answer, which may contain a license key.
func (q Requests) owner(r *http.Request) string {
	switch who := reqctx.CallerFrom(r.Context()); {
	case who.Impersonator != "": // no answer to the user, which may have a license key
		return "user:" + who.UserID + " by " + who.Impersonator
	case who.UserID != "":
		return "user:" + who.UserID
	case who.Service != "":
		return "service:" + who.Service
	}
	return "address:" + reqctx.AddrKey(q.ClientIP.Addr(r))
}

// outcomeOf returns what an answer means for its key. The operation's own decisions are Final. A request
// that was refused earlier had no effect. After an internal failure the outcome is unknown: it may have
// happened during a commit, or left behind an order whose payment can still begin.
func outcomeOf(err error) idempotency.Outcome {
	if err == nil {
		return idempotency.Final
	}
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return idempotency.Unknown
	}
	switch e.Kind {
	case errs.Internal, errs.Unreachable, errs.Timeout, errs.Busy:
		return idempotency.Unknown
	case errs.NotFound, errs.Gone, errs.Conflict, errs.Stale, errs.Unprocessable:
		return idempotency.Final
	case errs.Invalid:
		if e.Code == errs.CodeValidation {
			return idempotency.Void
		}
		return idempotency.Final
	default:
		return idempotency.Void
	}
}
