package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"

	"stoa/internal/caller"
	"stoa/internal/clientip"
	"stoa/internal/errs"
	"stoa/internal/idempotency"
)

const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

// keyed honours Idempotency-Key on a route whose body is JSON (CONTRACT 1). It
// stands inside of what tells who is calling and counts requests: a replay, too,
// is only for who may call. The content that must be the same is the path and
// the body, byte for byte.
func (s *Server) keyed(h handlerFunc) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, faults := readKey(r)
		if faults != nil { // told together with the faults of the body
			return h(w, r.WithContext(context.WithValue(r.Context(), headerFaults{}, faults)))
		}
		if key == "" {
			return h(w, r)
		}
		body, err := readBody(w, r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return s.once(w, r, key, [][]byte{[]byte(r.URL.EscapedPath()), body}, h)
	}
}

// readKey reads Idempotency-Key. Without one the key is empty.
func readKey(r *http.Request) (key string, faults issues) {
	values := r.Header.Values(keyHeader)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		faults.add(keyHeader, "one_header", "Send one Idempotency-Key.")
		return "", faults
	}
	key, ok := idempotency.ParseKey(values[0])
	if !ok {
		faults.add(keyHeader, "out_of_range",
			"Idempotency-Key must be 1 to %d printable ASCII characters, bare or as a quoted string; bare without quotes, backslashes and commas.", idempotency.MaxKey)
	}
	return key, faults
}

// headerFaults is where the context has what is wrong with a request's headers.
// readJSON refuses such a request, whatever its body says.
type headerFaults struct{}

func headerFaultsOf(r *http.Request) issues {
	faults, _ := r.Context().Value(headerFaults{}).(issues)
	return faults
}

// once answers with what h answers, or with what it answered when the same caller
// sent a request with the same key and content before.
func (s *Server) once(w http.ResponseWriter, r *http.Request, key string, content [][]byte, h handlerFunc) error {
	a, err := s.Idempotency.Do(r.Context(),
		idempotency.Request{Operation: r.Pattern, Caller: keyOwner(r, s.ClientIP), Key: key, Content: content},
		func(ctx context.Context) (idempotency.Answer, idempotency.Outcome) {
			r := r.WithContext(ctx)
			rec := answerRecorder{header: make(http.Header)}
			err := h(&rec, r)
			if err != nil {
				s.fail(&rec, r, familyOf(r.URL.Path), err)
			}
			return idempotency.Answer{Status: rec.status, Header: rec.header, Body: rec.body.Bytes()}, outcomeOf(err)
		})
	if err != nil {
		return err
	}
	maps.Copy(w.Header(), a.Header)
	if a.Replayed {
		w.Header().Set(replayedHeader, "true")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // as writeJSON
	return nil
}

// keyOwner tells whose keys a request's key is among. A guest is known by the
// address alone: with a key from elsewhere nobody gets at a guest's answer, which
// may hold a licence key.
func keyOwner(r *http.Request, addresses clientip.Resolver) string {
	switch who := caller.From(r.Context()); {
	case who.UserID != "":
		return "user:" + who.UserID
	case who.Service != "":
		return "service:" + who.Service
	}
	return "address:" + clientip.Key(addresses.Addr(r))
}

// outcomeOf says what an answer means for its key. Final is what the operation
// decided. A request that was refused before it came to that had no effect. Of a
// failure on this side nobody knows: it may have happened during a commit, or
// left an order behind whose payment can still begin.
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
	case errs.NotFound, errs.Conflict, errs.Stale, errs.Unprocessable:
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

// answerRecorder keeps an answer instead of sending it. Its headers are the
// handler's own, without those of this very request.
type answerRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answerRecorder) Header() http.Header { return a.header }

func (a *answerRecorder) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answerRecorder) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
