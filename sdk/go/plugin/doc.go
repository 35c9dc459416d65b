// Package plugin is for plugins of stoa that run as services of their own: it checks that requests come
// from the platform. Others may be able to reach the service, too, and the headers of a request say who
// calls and for which installation. So check every request before you trust any of them:
//
//	v := &plugin.Verifier{Secrets: []string{os.Getenv("PLUGIN_SECRET")}}
//	log.Fatal(http.ListenAndServe(":9000", v.Handler(mux)))
//
// It implements profile v1 of docs/plugins/signature.md. It does not remember requests: if you must not act
// twice on one, remember its X-Request-Id for ten minutes.
package plugin
