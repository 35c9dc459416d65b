package node

import (
	"errors"
	"fmt"
	"io"
	"net"

	"stoa/internal/run/child"
	"stoa/internal/run/relay"
)

// forward passes a call on to the process. target is the plugin's own path with query,
// secret what lets it in. again means that the process died and another may be tried.
func (p *process) forward(call *relay.Call, target, secret string) (again bool, err error) {
	call.SetHeader(processHeader, secret)
	err = call.Pass(relay.Upstream{
		Transport: p.transport, Scheme: "http", Addr: "plugin", // whatever the name: see transport
		Target:    target,
		FirstByte: p.in.Package.Settings.Timeout(p.rt.cfg.FirstByte), Log: p.log,
	})
	if failed, ok := errors.AsType[*relay.Failure](err); ok {
		return p.explain(failed)
	}
	return false, err
}

// explain finds out whether a failed call means that the process died.
func (p *process) explain(failed *relay.Failure) (again bool, err error) {
	cause := fmt.Errorf("node: %w", failed)
	if failed.Answered && !isBroken(failed) {
		return false, unreachable(reasonBadAnswer, cause)
	}
	again = failed.Repeatable
	gone := p.child.AwaitEnd(p.done, p.rt.cfg.ReapWait)
	switch why := p.child.Err(); {
	case errors.Is(why, child.ErrStalled):
		// One of the calls blocked it: none that was sent is tried on another process.
		return again && failed.NoConnection, down(reasonStalled, cause)
	case errors.Is(why, child.ErrMemory):
		return again, down(reasonMemory, cause)
	case gone:
		return again, down(reasonCrashed, cause)
	case failed.NoConnection:
		p.askToEnd() // it runs and does not listen: it is of no use
		return false, unreachable(reasonCrashed, cause)
	}
	return false, unreachable(reasonBadAnswer, cause)
}

// isBroken reports whether a connection ended early: the process may be dying.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(*net.OpError))
}
