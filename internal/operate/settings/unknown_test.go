package settings

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestUnknownVariablesAreLoggedWithTheNearestName(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer
	WarnUnknown(t.Context(), slog.New(slog.NewTextHandler(&out, nil)), []string{
		"PATH=/bin", "STOA_ADDR=:8080", "STOA_DATABASE_URL_FILE=/run/db", "STOA_SERVICE_HOST=10.0.0.1", "STOA_PORT=tcp://10.0.0.1:80",
		"STOA_PORT_80_TCP_ADDR=10.0.0.1", "STOA_BAKUP_DIR=/secret/place", "STOA_WHATEVER_THIS_IS=1",
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "variable=STOA_BAKUP_DIR nearest=STOA_BACKUP_DIR") ||
		!strings.HasSuffix(lines[1], "variable=STOA_WHATEVER_THIS_IS") {
		t.Errorf("logged:\n%s", out.String())
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("a value is logged")
	}
}
