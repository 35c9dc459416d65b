//go:build race

package proof

// raceDetector makes the processes run with the race detector, as the tests do.
const raceDetector = true
