//go:build linux && !amd64 && !arm64

package sandbox

// auditArch is how the kernel names this processor to filters; 0 means that none
// was written for it.
const auditArch = 0

var legacy []uintptr
