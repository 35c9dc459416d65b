package node

import (
	"context"
	"errors"
	"net/http"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run"
	"stoa/internal/run/relay"
)

// failedTimeout bounds one call of Config.Failed.
const failedTimeout = 10 * time.Second

// Try loads the plugin of in in a process that takes no calls, and ends it. With
// register the plugin is registered with the instance's config; without, only its
// entry module is loaded and must export a plugin function.
//
// It returns why the plugin failed, the zero Failure if it did not. An error says
// that the plugin could not be tried, which is not its fault: there is no Node.js,
// ctx is done, or stoa is stopping.
func (rt *Runtime) Try(ctx context.Context, in plugin.Installed, register bool) (plugin.Failure, error) {
	until := "load"
	if register {
		until = ""
	}
	return rt.trial(ctx, in, until, nil)
}

// Rehearse is Try with register. While the plugin runs, check may call it through the
// Runtime that it is given, and returns what is wrong with it.
func (rt *Runtime) Rehearse(
	ctx context.Context, in plugin.Installed, check func(run.Runtime) plugin.Failure,
) (plugin.Failure, error) {
	return rt.trial(ctx, in, "", check)
}

// onTrial passes requests to a process on trial, which takes no others.
type onTrial struct {
	p      *process
	suffix string // of the secret
}

// Serve implements run.Runtime.
func (t onTrial) Serve(w http.ResponseWriter, r *http.Request, _ *plugin.Installed) error {
	call := relay.NewCall(w, r)
	defer call.End()
	_, err := t.p.forward(call, r.URL.RequestURI(), t.p.secret+t.suffix)
	return err
}

// trial starts the plugin of in, up to the point that until names (nodehost/src/instructions.js),
// in a process that takes calls of check only.
func (rt *Runtime) trial(
	ctx context.Context, in plugin.Installed, until string, check func(run.Runtime) plugin.Failure,
) (failed plugin.Failure, err error) {
	trial := &installation{rt: rt, id: in.Instance.ID, trial: true} // not among the others: it takes no calls
	if until == untilHooks {
		// Administrators look for what a hook printed in the log of its instance.
		trial.trialLog = rt.installation(in.Instance.ID).journal()
	}
	p := newProcess(rt, in, trial)
	p.until = until
	trial.current = p
	if !rt.begin(p) {
		return plugin.Failure{}, errStopping
	}
	go p.run() //nolint:contextcheck // it is asked to end below
	stop := context.AfterFunc(ctx, p.askToEnd)
	defer stop()
	<-p.ready
	ready := p.startResult() == nil
	if ready && check != nil {
		one := onTrial{p: p}
		if until == untilHooks {
			one.suffix = hookSuffix
		}
		failed = check(one)
	}
	p.askToEnd()
	<-p.done
	if err := ctx.Err(); err != nil {
		return plugin.Failure{}, err
	}
	trial.mu.Lock()
	defer trial.mu.Unlock()
	cause := trial.failures.cause
	start, ok := errors.AsType[*startError](cause)
	switch {
	case !ready && cause == nil: // Close ended it, which says nothing about the plugin
		return plugin.Failure{}, errStopping
	case !ok: // it was ready, and what happened afterwards is no failure to load
		return failed, nil
	case start.reason != reasonLoadFailed:
		return plugin.Failure{}, cause
	}
	return failureOf(cause, in, trial.failures.since), nil
}

// reportFailure calls Config.Failed in the background.
func (rt *Runtime) reportFailure(in plugin.Installed, f plugin.Failure) {
	if rt.cfg.Failed == nil {
		return
	}
	rt.reporters.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(rt.alive), failedTimeout)
		defer cancel()
		rt.cfg.Failed(ctx, in, f)
	})
}
