package deploy

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// chartValues are what an operator must set.
const chartValues = "image.repository=stoa,publicUrl=https://shop.example.com,payments=live," +
	"storageUrl=s3://bucket/shop?region=eu,existingSecret=stoa"

const everything = "autoscaling.enabled=true,ingress.enabled=true,ingress.host=shop.example.com," +
	"ingress.tlsSecret=tls,ingress.className=nginx,networkPolicy.enabled=true,metrics.enabled=true," +
	"metrics.serviceMonitor.enabled=true,seccompProfile.type=Localhost,seccompProfile.localhostProfile=stoa.json," +
	"env.STOA_SMTP_URL=smtp://localhost,networkPolicy.egressTo[0].ipBlock.cidr=10.0.0.0/8"

func TestTheChartIsAcceptedByHelmAndKubernetes(t *testing.T) {
	t.Parallel()
	heavy(t)

	if out, err := exec.Command(tool(t, "helm"), "lint", "--strict", "helm/stoa", "--set", chartValues).
		CombinedOutput(); err != nil {
		t.Errorf("helm lint: %v\n%s", err, out)
	}
	for name, values := range map[string]string{"least": chartValues, "everything": chartValues + "," + everything} {
		manifests, err := render(t, values)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, manifests)
		}
		if out, err := conform(t, manifests); err != nil {
			t.Errorf("%s: kubeconform: %v\n%s", name, err, out)
		}
		for _, want := range []string{
			"path: /livez", "path: /readyz", "readOnlyRootFilesystem: true", "runAsNonRoot: true",
			"allowPrivilegeEscalation: false", "drop: [ALL]", "kind: PodDisruptionBudget", "helm.sh/hook: pre-install,pre-upgrade",
		} {
			if !bytes.Contains(manifests, []byte(want)) {
				t.Errorf("%s: no %q in\n%s", name, want, manifests)
			}
		}
	}
}

// kubeconform with these schemas finds a field that does not exist: else it proves nothing.
func TestAMisspelledFieldOfAManifestIsFound(t *testing.T) {
	t.Parallel()
	heavy(t)

	manifests, err := render(t, chartValues)
	if err != nil {
		t.Fatalf("%v\n%s", err, manifests)
	}
	wrong := bytes.ReplaceAll(manifests, []byte("maxUnavailable: 1"), []byte("maxUnavailible: 1"))
	if out, err := conform(t, wrong); err == nil {
		t.Errorf("kubeconform accepts maxUnavailible\n%s", out)
	}
}

func TestTheChartRefusesToGuess(t *testing.T) {
	t.Parallel()
	heavy(t)

	for _, value := range strings.Split(chartValues, ",") {
		name, _, _ := strings.Cut(value, "=")
		if out, err := render(t, chartValues+","+name+"="); err == nil {
			t.Errorf("without %s, there are manifests\n%s", name, out)
		}
	}
	for _, wrong := range []string{"payments=free", "storageUrl=/data", "publicUrl=https://shop/x", "plugins.isolation=none"} {
		if out, err := render(t, chartValues+","+wrong); err == nil {
			t.Errorf("with %s, there are manifests\n%s", wrong, out)
		}
	}
}

// render returns the chart's manifests.
func render(tb testing.TB, values string) ([]byte, error) {
	tb.Helper()
	// Built from its module, helm does not know the version of Kubernetes that it is for.
	return exec.Command(tool(tb, "helm"), "template", "shop", "helm/stoa", "--kube-version", "1.34.0", "--set", values).
		CombinedOutput()
}

// conform checks manifests against Kubernetes' own schemas.
func conform(tb testing.TB, manifests []byte) ([]byte, error) {
	tb.Helper()
	schemas := tool(tb, "kubernetes-schemas")
	// ServiceMonitor is no object of Kubernetes itself.
	cmd := exec.Command(tool(tb, "kubeconform"), "-strict", "-summary", "-skip", "ServiceMonitor",
		"-schema-location", schemas+"/{{.ResourceKind}}{{.KindSuffix}}.json")
	cmd.Stdin = bytes.NewReader(manifests)
	return cmd.CombinedOutput()
}
