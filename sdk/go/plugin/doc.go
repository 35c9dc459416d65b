// Package plugin is for plugins of stoa that run as services of their own. It checks that requests come from
// the platform, since others may be able to reach the service, too:
//
//	v := &plugin.Verifier{Secrets: []string{os.Getenv("PLUGIN_SECRET")}}
//	log.Fatal(http.ListenAndServe(":9000", v.Handler(mux)))
//
// Behind Handler, FromContext says who calls, for which installation, and with which config, and has a client
// of the platform API. Hooks and Events are handlers for what the platform tells the plugin.
//
// It implements profile v1 of docs/plugins/signature.md. It does not remember requests: if you must not act
// twice on one, remember its X-Request-Id for ten minutes.
package plugin
