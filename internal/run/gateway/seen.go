package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/run"
	"stoa/internal/run/traffic"
)

// sighting records what the metrics, the trace and the access log need of one call. It belongs
// to one goroutine.
type sighting struct {
	began    time.Time
	handed   time.Duration // until the runtime got it; 0 if it did not
	answered time.Duration // until the plugin's answer began; 0 without one
	body     time.Duration // spent reading the client's body
	lost     bool          // a write to the client failed

	trace        trace.Context
	span         trace.Span // of the call
	pluginSpan   trace.Span // of the plugin's part of it
	slug         string     // of the instance
	installation string     // "" if none was found

	status  int   // of the plugin's answer
	bytes   int64 // of its body that were passed on
	traffic *traffic.Installation
}

// outcome returns the outcome of a call that has ended with err. broke means that its answer
// broke off.
func (s *sighting) outcome(r *http.Request, err error, broke bool) traffic.Outcome {
	switch {
	case s.lost, r.Context().Err() != nil:
		return traffic.ClientGone
	case broke:
		return traffic.BrokenOff
	case err != nil:
		return outcomeOf(err)
	case s.status >= http.StatusInternalServerError:
		return traffic.PluginError
	}
	return traffic.OK
}

// outcomeOf returns the outcome of a call that failed with err.
func outcomeOf(err error) traffic.Outcome {
	for _, known := range outcomesOfErrors {
		if errors.Is(err, known.err) {
			return known.outcome
		}
	}
	if errs.KindOf(err) == errs.Internal {
		return traffic.Internal
	}
	return traffic.Refused
}

var outcomesOfErrors = []struct {
	err     error
	outcome traffic.Outcome
}{
	{ErrNotFound, traffic.NotFound},
	{ErrNotGranted, traffic.Permission},
	{ErrBusy, traffic.Busy},
	{ErrOpen, traffic.CircuitOpen},
	{run.ErrStarting, traffic.Starting},
	{run.ErrTimeout, traffic.Timeout},
	{run.ErrUnreachable, traffic.Unreachable},
}

// end counts a call that has ended, ends its spans and calls g.Ended.
func (g *Gateway) end(r *http.Request, c Call, s *sighting, err error, broke bool) {
	total := time.Since(s.began)
	seen := traffic.Call{
		At: g.Now(), Outcome: s.outcome(r, err, broke), Status: s.status, Reached: s.handed > 0, Platform: total - s.body,
	}
	if seen.Reached {
		seen.Platform, seen.Plugin = s.handed-s.body, total-s.handed
		if s.answered > 0 { // the rest depends on the client, too
			seen.Plugin = s.answered - s.handed
		}
	}
	if err != nil && seen.Outcome != traffic.ClientGone {
		seen.Status = g.Status(errs.KindOf(err))
	}
	if s.traffic == nil {
		g.Memory.Traffic.Refuse(seen)
	} else {
		s.traffic.Count(seen)
	}
	if s.span.Recording() {
		s.endSpans(seen, callerName(reqctx.CallerFrom(r.Context()), c.Caller))
	}
	if g.Ended != nil {
		g.Ended(r, Ended{
			Call: seen, Slug: c.Slug, Path: c.Path, InstallationID: s.installation,
			Caller: callerName(reqctx.CallerFrom(r.Context()), c.Caller), Trace: s.trace, Bytes: s.bytes, Total: total,
		})
	}
}

// endSpans ends the spans of a call. They hold nothing that a client made up, not even an
// unknown slug.
func (s *sighting) endSpans(seen traffic.Call, caller string) {
	if s.pluginSpan.Recording() {
		if s.answered > 0 {
			s.pluginSpan.Mark("answer began", s.began.Add(s.answered))
			s.pluginSpan.Number("http.response.status_code", s.status)
		}
		if seen.Outcome.Failed() {
			s.pluginSpan.Fail(seen.Outcome.String())
		}
		s.pluginSpan.End()
	}
	s.span.Text("stoa.plugin.slug", s.slug)
	s.span.Text("stoa.installation.id", s.installation)
	s.span.Text("stoa.caller", caller)
	s.span.Text("stoa.outcome", seen.Outcome.String())
	if seen.Outcome.Failed() {
		s.span.Fail(seen.Outcome.String())
	}
	s.span.End()
}

// endOwn ends the plugin's span of a request of stoa itself, for which every status from 400 on
// is a failure. status is 0 if there was no answer.
func endOwn(span trace.Span, status int, err error) {
	switch {
	case !span.Recording():
		return
	case err != nil:
		span.Fail(outcomeOf(err).String())
	case status == 0:
		span.Fail(traffic.BrokenOff.String())
	default:
		span.Number("http.response.status_code", status)
		if status >= http.StatusBadRequest {
			span.Fail(strconv.Itoa(status))
		}
	}
	span.End()
}

// Ended describes a call that has ended.
type Ended struct {
	traffic.Call

	Slug, Path     string // as the client sent them
	InstallationID string // "" if none was found
	Caller         string // x-caller
	Trace          trace.Context
	Bytes          int64         // of the plugin's answer that were passed on, before an upgrade
	Total          time.Duration // until the client had the answer, or the call failed
}
