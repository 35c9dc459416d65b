package node

import (
	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
)

// journal returns where the log of the installation is kept.
func (s *installation) journal() *child.Journal {
	if s.trialLog != nil {
		return s.trialLog
	}
	return &s.log
}

// Logs implements plugin.Processes.
func (rt *Runtime) Logs(installationID string, after int64) ([]plugin.LogEntry, <-chan struct{}) {
	kept, more := rt.installation(installationID).journal().Since(after)
	entries := make([]plugin.LogEntry, len(kept))
	for i, e := range kept {
		entries[i] = plugin.LogEntry(e)
	}
	return entries, more
}
