package node

// Processes returns how many processes of plugins there are, for metrics.
func (rt *Runtime) Processes() int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return len(rt.processes)
}
