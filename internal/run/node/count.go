package node

// Processes returns how many processes of plugins there are, for metrics.
func (rt *Runtime) Processes() int {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	count, shared := 0, make(map[*sharedProcess]bool)
	for p := range rt.processes {
		if p.shared == nil {
			count++
		} else {
			shared[p.shared] = true
		}
	}
	return count + len(shared)
}
