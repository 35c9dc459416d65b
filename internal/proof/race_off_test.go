//go:build !race

package proof

const raceDetector = false
