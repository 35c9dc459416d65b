package system

import "math"

// The places where stoa stores something.
const (
	PlaceDatabase = "database" // a SQLite file; stoa does not see the disk of a PostgreSQL server
	PlaceFiles    = "files"    // the data folder
	PlaceTemp     = "temp"     // the folder for temporary files
)

// Space is the room on the disk of a place.
type Space struct {
	Place      string
	Disk       uint64 // places with the same number are on one disk
	Free, Size uint64 // bytes; Free is what this process may still use
}

// When a disk has little room: when one of both is not left.
const (
	lowShare = 0.1
	lowBytes = 500 << 20
)

// Low reports whether there is so little room that somebody should make some.
func (s Space) Low() bool { return s.Free < lowBytes || float64(s.Free) < lowShare*float64(s.Size) }

// Percent returns how much of the disk is free, rounded down.
func (s Space) Percent() int { return int(math.Floor(100 * float64(s.Free) / float64(max(s.Size, 1)))) }

// Spaces returns the room at folders, by place. It leaves out what cannot be told.
func Spaces(folders map[string]string) []Space {
	var all []Space
	for _, place := range []string{PlaceDatabase, PlaceFiles, PlaceTemp} {
		if folder := folders[place]; folder != "" {
			if s, ok := spaceAt(folder); ok {
				s.Place = place
				all = append(all, s)
			}
		}
	}
	return all
}
