package gateway_test

import (
	"errors"
	"net/http"
	"testing"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
)

// The breaker opens for an instance that gives no answers. It does not for one that answers
// with errors, nor for other instances.
func TestAnInstanceThatDoesNotAnswerIsNotCalledForAWhile(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	for range 20 {
		if res := k.do(t, "GET", "/api/x", nil, nil); res.StatusCode != http.StatusInternalServerError {
			t.Fatalf("answer = %d %s", res.StatusCode, code(res))
		}
	}
	dead := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	k.answer = dead
	seen := make(map[string]int)
	for range 40 {
		seen[code(k.do(t, "GET", "/api/x", nil, nil))]++
	}
	if seen["PLUGIN_UNREACHABLE"] != 20 || seen["PLUGIN_CIRCUIT_OPEN"] != 20 {
		t.Errorf("20 good answers, then 40 calls without any: %v", seen)
	}
	res := k.do(t, "GET", "/api/x", nil, nil)
	if at, open := k.OpenSince("id-default"); !open || at.IsZero() || code(res) != "PLUGIN_CIRCUIT_OPEN" {
		t.Errorf("open since %s: %t; answer %s", at, open, code(res))
	}
	k.answer = nil
	if res := k.do(t, "GET", "/api/x?installation=eu", nil, nil); res.StatusCode != http.StatusTeapot {
		t.Errorf("another instance answers %s", code(res))
	}
}

// An early answer does not prove that the final answer will come.
func TestAnInstanceThatOnlyGivesEarlyAnswersIsNotCalledForAWhile(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		panic(http.ErrAbortHandler)
	}
	for range 20 {
		k.do(t, "GET", "/api/x", nil, nil)
	}
	if res := k.do(t, "GET", "/api/x", nil, nil); code(res) != "PLUGIN_CIRCUIT_OPEN" {
		t.Errorf("after 20 calls with early answers only: %s", code(res))
	}
}

// failing is a runtime whose plugin does not answer.
type failing struct{ cause error }

func (f failing) Serve(http.ResponseWriter, *http.Request, *plugin.Installed) error {
	return run.ErrUnreachable.Because(f.cause)
}

// A runtime that starts a process again after a while says when. The breaker's pause does not
// come on top of it.
func TestTheBreakerLeavesPacingToARuntimeThatPaces(t *testing.T) {
	t.Parallel()
	k, cause := newKit(t), errors.New("killed")
	for _, tt := range []struct {
		cause error
		want  string
	}{{run.Paced(cause), "PLUGIN_UNREACHABLE"}, {cause, "PLUGIN_CIRCUIT_OPEN"}} {
		k.Runtimes = map[plugin.RuntimeType]run.Runtime{plugin.External: failing{tt.cause}}
		var last string
		for range 2 * 10 {
			last = code(k.do(t, "GET", "/api/x", nil, nil))
		}
		if last != tt.want {
			t.Errorf("after 20 calls: %s, want %s", last, tt.want)
		}
	}
}
