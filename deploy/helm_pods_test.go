package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// object is a part of a manifest.
type object map[string]any

// at returns what is at a path of names and numbers, divided by dots, as text; "" if nothing is.
func (o object) at(path string) string {
	var v any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		switch part := v.(type) {
		case map[string]any:
			v = part[strings.ReplaceAll(name, "~", ".")]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(part) {
				return ""
			}
			v = part[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// objects returns the chart's manifests by kind, of which each but Job occurs once.
func objects(t *testing.T, values string) map[string]object {
	t.Helper()
	text, err := render(t, values)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	all := make(map[string]object)
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o map[string]any
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if kind := object(o).at("kind"); kind != "" {
			all[kind] = o
		}
	}
}

const pod = "spec.template.spec."

// rights are what the pods of stoa and of its migration have in common.
var rights = map[string]string{
	"automountServiceAccountToken":                          "false",
	"enableServiceLinks":                                    "false",
	"securityContext.runAsNonRoot":                          "true",
	"securityContext.runAsUser":                             "65532",
	"securityContext.seccompProfile.type":                   "RuntimeDefault",
	"containers.0.securityContext.readOnlyRootFilesystem":   "true",
	"containers.0.securityContext.allowPrivilegeEscalation": "false",
	"containers.0.securityContext.capabilities.drop.0":      "ALL",
	"containers.0.securityContext.capabilities.add":         "",
	"containers.0.securityContext.privileged":               "",
	"containers.0.resources.requests.cpu":                   "250m",
	"containers.0.resources.requests.memory":                "512Mi",
	"containers.0.resources.limits.memory":                  "2Gi",
	"containers.0.envFrom.0.secretRef.name":                 "stoa",
	"hostNetwork":                                           "",
	"hostPID":                                               "",
}

// server is what operators expect of the Deployment, with what docs/upgrades.md promises: a new
// replica is ready before an old one stops, which then has time to end what it began.
var server = map[string]string{
	"spec.strategy.type":                                        "RollingUpdate",
	"spec.strategy.rollingUpdate.maxUnavailable":                "0",
	"spec.strategy.rollingUpdate.maxSurge":                      "1",
	"spec.replicas":                                             "2",
	pod + "terminationGracePeriodSeconds":                       "90",
	pod + "containers.0.startupProbe.httpGet.path":              "/livez",
	pod + "containers.0.livenessProbe.httpGet.path":             "/livez", // not /readyz: a database that is down restarts nothing
	pod + "containers.0.readinessProbe.httpGet.path":            "/readyz",
	pod + "topologySpreadConstraints.0.topologyKey":             "kubernetes.io/hostname",
	pod + "topologySpreadConstraints.0.whenUnsatisfiable":       "ScheduleAnyway",
	pod + "volumes.0.emptyDir.sizeLimit":                        "4Gi",
	pod + "containers.0.env.7.name":                             "STOA_MEDIA_CACHE", // else media fill it, and the pod is evicted
	pod + "containers.0.env.7.value":                            "2048",
	"spec.template.metadata.labels.app~kubernetes~io/component": "server",
}

func TestTheChartsPodsHaveFewRightsAndRollOneByOne(t *testing.T) {
	t.Parallel()
	heavy(t)

	all := objects(t, chartValues)
	for _, kind := range []string{"Deployment", "Job"} {
		for path, want := range rights {
			if got := all[kind].at(pod + path); got != want {
				t.Errorf("%s: %s is %q, want %q", kind, path, got, want)
			}
		}
	}
	for path, want := range server {
		if got := all["Deployment"].at(path); got != want {
			t.Errorf("Deployment: %s is %q, want %q", path, got, want)
		}
	}
	if got := all["Job"].at("metadata.annotations.helm~sh/hook"); got != "pre-install,pre-upgrade" {
		t.Errorf("the migration runs at %q", got)
	}
	if got := all["PodDisruptionBudget"].at("spec.maxUnavailable"); got != "1" {
		t.Errorf("%q pods may go at once", got)
	}
	// What chooses pods of stoa's chooses the servers, never those of the migration.
	labels := all["Deployment"].at("spec.template.metadata.labels")
	for _, selector := range []string{
		all["Deployment"].at("spec.selector.matchLabels"), all["Service"].at("spec.selector"),
		all["PodDisruptionBudget"].at("spec.selector.matchLabels"),
		all["Deployment"].at(pod + "topologySpreadConstraints.0.labelSelector.matchLabels"),
	} {
		for label := range strings.FieldsSeq(strings.Trim(selector, "map[]")) {
			if !strings.Contains(labels, label) {
				t.Errorf("no pod has %s", label)
			}
		}
		if !strings.Contains(selector, "app.kubernetes.io/component:server") {
			t.Errorf("a selector chooses %s", selector)
		}
	}
}

// Secrets come by reference only: nothing of the chart holds one.
func TestTheChartHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	heavy(t)

	for _, values := range []string{chartValues, chartValues + "," + everything} {
		all := objects(t, values)
		for _, kind := range []string{"Secret", "ConfigMap"} {
			if all[kind] != nil {
				t.Errorf("the chart makes a %s: %v", kind, all[kind])
			}
		}
		for i := 0; ; i++ {
			env := all["Deployment"].at(fmt.Sprintf("%scontainers.0.env.%d.name", pod, i))
			if env == "" {
				break
			}
			for _, word := range []string{"KEY", "SECRET", "PASSWORD", "TOKEN", "DATABASE_URL", "REDIS_URL"} {
				if strings.Contains(env, word) {
					t.Errorf("%s has a value in the chart", env)
				}
			}
		}
	}
}

// With a NetworkPolicy, stoa is reached at its own ports only, and reaches names and what it is told to.
func TestTheChartsNetworkPolicyOpensLittle(t *testing.T) {
	t.Parallel()
	heavy(t)

	policy := objects(t, chartValues+","+everything)["NetworkPolicy"]
	for path, want := range map[string]string{
		"spec.policyTypes":                "[Ingress Egress]",
		"spec.ingress.0.ports":            "[map[port:http]]",
		"spec.ingress.1.ports":            "[map[port:metrics]]",
		"spec.ingress.2":                  "",
		"spec.egress.0.ports":             "[map[port:53 protocol:UDP] map[port:53 protocol:TCP]]",
		"spec.egress.1.to.0.ipBlock.cidr": "10.0.0.0/8",
		"spec.egress.2":                   "",
	} {
		if got := policy.at(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if objects(t, chartValues)["NetworkPolicy"] != nil {
		t.Error("there is a NetworkPolicy that nobody asked for")
	}
}
