package deploy

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// service is what the compose file says of a container.
type service struct {
	Environment map[string]string
	Volumes     []string
	Tmpfs       []string
	Secrets     []string
	Restart     string
	Healthcheck struct{ Test []string }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
}

func composeServices(t *testing.T) (services map[string]service, secrets, volumes map[string]any) {
	t.Helper()
	var file struct {
		Services         map[string]service
		Secrets, Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(read(t, "compose/compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Services) != 5 {
		t.Fatalf("there are %d services, want 5", len(file.Services))
	}
	return file.Services, file.Secrets, file.Volumes
}

// What stoa writes to are the folders that the image has for that. Volumes and secrets that a
// service names are declared, and what stoa waits for can tell that it is healthy.
func TestTheComposeFileNamesWhatExists(t *testing.T) {
	t.Parallel()

	image := read(t, "image/Containerfile")
	services, secrets, volumes := composeServices(t)
	for name, s := range services {
		for _, v := range s.Volumes {
			volume, path, _ := strings.Cut(v, ":")
			if _, declared := volumes[volume]; !declared {
				t.Errorf("%s: the volume %s is not declared", name, volume)
			}
			if strings.HasPrefix(name, "stoa") && !strings.Contains(image, "\nVOLUME "+path+"\n") {
				t.Errorf("%s: the image has no folder %s", name, path)
			}
		}
		for _, secret := range s.Secrets {
			if _, declared := secrets[secret]; !declared {
				t.Errorf("%s: the secret %s is not declared", name, secret)
			}
		}
		for setting, value := range s.Environment {
			secret, isFile := strings.CutPrefix(value, "/run/secrets/")
			if isFile != strings.HasSuffix(setting, "_FILE") {
				t.Errorf("%s: %s is %q", name, setting, value)
			}
			if _, declared := secrets[secret]; isFile && !declared {
				t.Errorf("%s: there is no secret %s for %s", name, secret, setting)
			}
		}
		if data := s.Environment["PGDATA"]; name == "postgres" && (!strings.HasPrefix(data, "/var/lib/postgresql/") ||
			strings.HasPrefix(data, "/var/lib/postgresql/data") || s.Volumes[0] != "postgres:/var/lib/postgresql") {
			t.Errorf("the data is in %q, which another volume may cover", data)
		}
		for other, how := range s.DependsOn {
			if how.Condition == "service_healthy" && len(services[other].Healthcheck.Test) == 0 {
				t.Errorf("%s waits for %s, which has no health check", name, other)
			}
		}
		if s.Restart != "unless-stopped" {
			t.Errorf("%s: restart is %q", name, s.Restart)
		}
	}
}
