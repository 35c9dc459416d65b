//go:build race

package proof

// raceDetector: the tests run with it, and so shall the processes.
const raceDetector = true
