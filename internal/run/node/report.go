package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa/internal/extension/plugin"
)

// messageLimit bounds the message of a plugin.Failure, in bytes.
const messageLimit = 1 << 10

// pluginError is what the host program reports of a plugin that failed: before it
// was ready over the report's descriptor, and afterwards as its last line of log.
type pluginError struct {
	phase, message, stack string

	file string // relative to the package's folder; empty if unknown
	line int
}

// Error implements error. The text is for the log.
func (e *pluginError) Error() string {
	text := e.stack
	if text == "" {
		text = e.message
	}
	if e.phase == "" {
		return text
	}
	return e.phase + ": " + text
}

// parseReport returns nil if the host reports that the plugin is ready, else what
// it reports: a *pluginError.
func parseReport(line []byte, redact func(string) string) error {
	var report struct {
		Ready bool `json:"ready"`
		Error struct {
			Phase, Message, Stack, File string
			Line                        int
		} `json:"error"`
	}
	if err := json.Unmarshal(line, &report); err != nil {
		return errors.New("the process gave no readable report of its start")
	}
	if report.Ready {
		return nil
	}
	e := report.Error
	return &pluginError{
		phase: e.Phase, message: clip(redact(e.Message), messageLimit), stack: clip(redact(e.Stack), lineLimit),
		file: clip(e.File, messageLimit), line: e.Line,
	}
}

// failureOf describes the end of a process of in for an administrator.
func failureOf(err error, in plugin.Installed, at time.Time) plugin.Failure {
	f := plugin.Failure{At: at, Message: clip(err.Error(), messageLimit)}
	if told, ok := errors.AsType[*pluginError](err); ok {
		f.Message, f.File, f.Line = told.message, told.file, told.line
	}
	start, ok := errors.AsType[*startError](err)
	if ok && start.reason == reasonLoadFailed && f.File == "" {
		f.File = in.Package.Manifest.EntryModule
	}
	return f
}

// endedOnItsOwn is why a process ended that nobody asked to, given its exit and
// what it said last of an error, if anything.
func endedOnItsOwn(exit error, told *pluginError) error {
	if told == nil {
		return fmt.Errorf("the process ended on its own: %w", exit)
	}
	return fmt.Errorf("the process ended on its own: %w: %w", exit, told)
}
