package node

import (
	"bytes"

	"stoa/internal/run/child"
)

// Lines of a member begin with its name between the first two of these bytes. The
// third instead of the second says that the member prints nothing any more
// (nodehost/src/tags.js).
const (
	tagBegin, tagThen, tagLast = '\x01', '\x02', '\x03'

	tagLimit = 32 // bytes of a tag, at most
)

// route returns the output of the member that printed a line, and the line without its tag.
func (s *sharedProcess) route(line []byte) (*child.Output, []byte) {
	if len(line) == 0 || line[0] != tagBegin {
		return s.output, line
	}
	end := bytes.IndexAny(line, string([]byte{tagThen, tagLast}))
	if end < 0 {
		return s.output, line[1:]
	}
	m := s.member(string(line[1:end]))
	switch {
	case m == nil:
		return s.output, line[end+1:]
	case line[end] == tagThen:
		return m.output, line[end+1:]
	default:
		m.output.Ended()
		m.hush.Do(func() { close(m.silent) })
		return nil, nil
	}
}

// Add implements child.Adder: what belongs to no member is in the log of each.
func (s *sharedProcess) Add(e child.Entry) {
	for _, m := range s.all() {
		m.owner.journal().Add(e)
	}
}

// redact removes the secrets of all members from a text: one may print what it has
// from another.
func (s *sharedProcess) redact(text string) string {
	s.mu.Lock()
	all := make([]func(string) string, 0, len(s.members))
	for _, m := range s.members {
		all = append(all, m.redact)
	}
	s.mu.Unlock()
	for _, redact := range all {
		text = redact(text)
	}
	return text
}
