package signin_test

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/live"
	"stoa/internal/operate/settings"
	"stoa/internal/operate/signin"
	"stoa/internal/testkit/logtest"
)

// What a flag may not say, the console may have stored before mail or the host name went away.
func TestStartTellsWhatThisStoaCannotFollow(t *testing.T) {
	t.Parallel()

	noClock := func() (time.Duration, bool) { return 0, false }
	for _, tt := range []struct {
		name           string
		set            settings.SignIn
		mail, passkeys bool
		want           []string
	}{
		{"nothing decided", settings.SignIn{}, false, false, nil},
		{"what it can follow", settings.SignIn{Registration: "mail-first", StaffSecondFactor: "passkey"}, true, true, nil},
		{
			"mail and the host name are gone",
			settings.SignIn{Registration: "mail-first", StaffSecondFactor: "passkey"},
			false, false,
			[]string{"STOA_SMTP_URL", "STOA_STAFF_SECOND_FACTOR"},
		},
		{
			"a policy, and what wins over it",
			settings.SignIn{AuthPolicy: "asvs", Registration: "open", PasswordPolicy: "asvs"},
			true, true,
			[]string{"settings=[registration]"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			shelf := &shelf{set: signin.Stored{Values: tt.set, Version: 2}}
			book, err := signin.NewBook(shelf, settings.SignIn{}, false,
				live.Beside[account.Rules](live.New[account.Alive](nil, "me", noClock), signin.RowName))
			if err != nil {
				t.Fatal(err)
			}
			var log logtest.Buffer
			s := &signin.Service{Store: shelf, Book: book, Mail: tt.mail, Passkeys: tt.passkeys}
			if err := s.LogProblems(t.Context(), log.Logger()); err != nil {
				t.Fatal(err)
			}
			lines := strings.Count(log.String(), "\n")
			if lines != len(tt.want) {
				t.Errorf("%d lines, want %d:\n%s", lines, len(tt.want), log.String())
			}
			for _, want := range tt.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("nothing of %s in\n%s", want, log.String())
				}
			}
		})
	}
}
