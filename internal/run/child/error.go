package child

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MessageLimit bounds the message of an Error, in bytes.
const MessageLimit = 1 << 10

// Error is an error that a child reported: before it was ready in its report, and
// afterwards as the last line that it printed. It has no secrets in it.
type Error struct {
	Message string

	File string // relative to the folder of the program; empty if unknown
	Line int

	phase, stack string
}

// Error implements error. The text is for the log.
func (e *Error) Error() string {
	text := e.stack
	if text == "" {
		text = e.Message
	}
	if e.phase == "" {
		return text
	}
	return e.phase + ": " + text
}

// ParseReport returns nil if a line of a report says that the program is ready, and else
// the *Error that it describes.
func ParseReport(line []byte, redact func(string) string) error {
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
	return &Error{
		phase: e.Phase, Message: Clip(redact(e.Message), MessageLimit), stack: Clip(redact(e.Stack), lineLimit),
		File: Clip(e.File, MessageLimit), Line: e.Line,
	}
}

// endedOnItsOwn is why a child ended that was not asked to, given its exit and the
// fatal error that it printed last, if any.
func endedOnItsOwn(exit error, fatal *Error) error {
	if fatal == nil {
		return fmt.Errorf("the process ended on its own: %w", exit)
	}
	return fmt.Errorf("the process ended on its own: %w: %w", exit, fatal)
}
