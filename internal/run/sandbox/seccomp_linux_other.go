//go:build linux && !amd64 && !arm64

package sandbox

// auditArch is the kernel's name of this architecture in filters; 0 means that stoa has no filter
// for it.
const auditArch = 0

var legacy []uintptr
