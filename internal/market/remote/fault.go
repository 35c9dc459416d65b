package remote

import (
	"fmt"

	"stoa/internal/base/errs"
)

// fault is why a check of a market did not end well. says is part of a sentence, safe to show; the
// cause is for the log.
type fault struct {
	kind  faultKind
	says  string
	cause error
}

type faultKind int

const (
	refused  faultKind = iota + 1 // its address is one that stoa must not reach
	noAnswer                      // it cannot be reached, or says that it cannot answer
	noMarket                      // it answers, but not as a market does
	ended                         // it serves metadata that has expired
	unfit                         // it does not fit, is too large, does not end or cannot be read
)

const (
	reasonExpired  = "its timestamp has expired"
	reasonChanging = "it changed each time that it was checked" // checks overtook each other
)

// Error implements error, for the log.
func (f *fault) Error() string {
	if f.cause != nil {
		return fmt.Sprintf("%s: %v", f.says, f.cause)
	}
	return f.says
}

// Unwrap returns the cause.
func (f *fault) Unwrap() error { return f.cause }

func unfitting(cause error, format string, args ...any) *fault {
	return &fault{unfit, fmt.Sprintf(format, args...), cause}
}

// refusal returns what an administrator is told who adds a market, or asks it for something.
func (f *fault) refusal() error {
	switch f.kind {
	case refused:
		var faults errs.Issues
		faults.Add("url", errs.CodeInvalid, "url must be an address that stoa may reach: %s.", f.says)
		return faults.Err()
	case noAnswer:
		return ErrUnreachable.With("reason", f.says).Because(f)
	case ended:
		return ErrUntrusted.With("state", Stale).With("reason", f.says).Because(f)
	default:
		return ErrUntrusted.With("state", Untrusted).With("reason", f.says).Because(f)
	}
}

// NoAnswer returns ErrUnreachable for a request of Client that failed with err.
func NoAnswer(err error) error {
	return ErrUnreachable.With("reason", whyNoAnswer(err).says).Because(err)
}

// NotAsAMarket returns ErrUntrusted for an answer that no market gives. reason is part of a sentence about the market.
func NotAsAMarket(reason string) error {
	return ErrUntrusted.With("state", Untrusted).With("reason", reason)
}
