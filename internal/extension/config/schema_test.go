package config_test

import (
	"testing"

	"stoa/internal/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

func TestSecretFields(t *testing.T) {
	t.Parallel()

	var faults errs.Issues
	o, ok := manifest.NewObject("", []byte(`{"configSchema":{"a":{"type":"secret"},"b":{"type":"text","secret":true},
		"c":{"type":"text","sensitive":true},"d":{"type":"text","sensitive":false}}}`), &faults)
	schema := config.ParseSchema(o, "configSchema")
	if !ok || faults.Len() > 0 {
		t.Fatal(faults)
	}
	public, configured := config.Public([]byte(`{"a":"1","b":"2","c":"3","d":"4"}`), schema)
	if string(public) != `{"a":"","b":"","c":"","d":"4"}` || len(configured) != 3 || !configured["c"] {
		t.Errorf("public = %s, configured = %v", public, configured)
	}
}
