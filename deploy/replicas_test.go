package deploy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/operate/settings"
)

const replicasDoc = "../docs/replicas.md"

// What docs/replicas.md quotes of the examples stands in them, and so is what the rolling tests run.
func TestTheDocumentationQuotesTheExamples(t *testing.T) {
	t.Parallel()
	sources := map[string][]string{
		"nginx": {"nginx/stoa.conf"}, "caddy": {"caddy/Caddyfile"},
		"yaml": {"helm/stoa/templates/deployment.yaml", "helm/stoa/values.yaml"},
	}
	quoted := make(map[string]int)
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```").FindAllStringSubmatch(read(t, replicasDoc), -1) {
		files, known := sources[block[1]]
		if !known {
			t.Errorf("%s quotes %s, which no example is", replicasDoc, block[1])
			continue
		}
		quoted[block[1]]++
		if !slices.ContainsFunc(files, func(file string) bool { return strings.Contains(plain(read(t, file)), plain(block[2])) }) {
			t.Errorf("%s quotes what is not in %s:\n%s", replicasDoc, files, block[2])
		}
	}
	for language := range sources {
		if quoted[language] == 0 {
			t.Errorf("%s quotes nothing of %s", replicasDoc, language)
		}
	}
}

// plain returns a text without comments and without its layout.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			b.WriteString("\n" + line)
		}
	}
	return b.String() + "\n"
}

// number returns what follows a name in a file: a number, or a time.
func number(t *testing.T, file, name string) time.Duration {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(name) + `[:= ]+(\d+)(s?)\b`).FindStringSubmatch(read(t, file))
	if m == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n) * time.Second
}

// A pod serves until no load balancer can send it anything more, and is not killed before it has ended.
func TestTheChartRollsWithoutAFailure(t *testing.T) {
	t.Parallel()
	const template, values = "helm/stoa/templates/deployment.yaml", "helm/stoa/values.yaml"
	text := read(t, template)
	_, probe, _ := strings.Cut(text, "readinessProbe:")
	probe, _, _ = strings.Cut(probe, "resources:")
	inProbe := func(name string) int {
		t.Helper()
		m := regexp.MustCompile(name + `: (\d+)\n`).FindStringSubmatch(probe)
		if m == nil {
			t.Fatalf("the readiness probe has no %s", name)
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	unready := time.Duration(inProbe("periodSeconds")*inProbe("failureThreshold")+inProbe("timeoutSeconds")) * time.Second
	delay, grace := number(t, values, "stopDelay"), number(t, values, "terminationGracePeriodSeconds")
	if delay <= unready {
		t.Errorf("a pod serves on for %s, but counts as ready for up to %s", delay, unready)
	}
	timeout, _ := settings.ByVariable("STOA_STOP_TIMEOUT")
	running, err := time.ParseDuration(timeout.Default)
	if err != nil {
		t.Fatal(err)
	}
	if grace <= delay+2*running {
		t.Errorf("a pod is killed after %s, but may need %s", grace, delay+2*running)
	}
	if !strings.Contains(text, "rollingUpdate: {maxSurge: 1, maxUnavailable: 0}") {
		t.Error("an old pod may go before a new one is ready")
	}
	if strings.Contains(text, "preStop") || strings.Contains(text, "lifecycle") {
		t.Error("docs/replicas.md says that there is no preStop hook")
	}
	if number(t, values, "maxUnavailable") >= number(t, values, "replicaCount") {
		t.Error("a drained node may take all pods")
	}
}

// Caddy knows that a stoa stops before that one refuses connections.
func TestCaddyNoticesAStoaThatStops(t *testing.T) {
	t.Parallel()
	const file = "caddy/Caddyfile"
	delay := number(t, file, "STOA_STOP_DELAY")
	if noticed := number(t, file, "health_interval") + number(t, file, "health_timeout"); delay <= noticed {
		t.Errorf("a stoa serves on for %s, but Caddy may need %s to notice", delay, noticed)
	}
	if want := "STOA_STOP_DELAY=" + delay.String(); !strings.Contains(read(t, replicasDoc), want) {
		t.Errorf("%s does not say %s", replicasDoc, want)
	}
}
