package overview

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa/internal/operate/system"
)

// storage returns what is wrong with the disks of this process, and with the writing to its database.
func (s *Service) storage(_ context.Context, now time.Time) (list []Concern, err error) {
	if s.Storage == nil {
		return nil, nil
	}
	spaces, failing := s.Storage()
	if failing.Message != "" {
		list = append(list, Concern{
			Kind: WritingFails, Severity: Error, Count: 1, Since: failing.At,
			Message: "stoa cannot store what it should, so purchases, sign-ins and installs are refused: " +
				failing.Message + ".",
		})
	}
	for i, space := range spaces {
		if !space.Low() || firstOn(spaces, space.Disk) != i {
			continue
		}
		places := placesOn(spaces, space.Disk)
		list = append(list, Concern{
			Kind: DiskLow, Severity: Warning, Count: len(places), Since: now,
			Message: fmt.Sprintf("The disk with the %s has %d MiB left, %d %%. Make room before nothing can be stored.",
				strings.Join(places, " and the "), space.Free>>20, space.Percent()),
		})
	}
	return list, nil
}

func firstOn(spaces []system.Space, disk uint64) int {
	for i, s := range spaces {
		if s.Disk == disk {
			return i
		}
	}
	return -1
}

// called is what the sentence calls a place.
var called = map[string]string{
	system.PlaceDatabase: "database", system.PlaceFiles: "files", system.PlaceTemp: "temporary files",
}

func placesOn(spaces []system.Space, disk uint64) (places []string) {
	for _, s := range spaces {
		if s.Disk == disk {
			places = append(places, called[s.Place])
		}
	}
	return places
}
