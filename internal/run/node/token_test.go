package node_test

import (
	"os/exec"
	"testing"

	"stoa/internal/testkit/needtest"
)

// Of many calls whose token ended at the same moment, one asks for the next.
func TestAnEndedTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	const program = `
let asked = 0, least = 1
globalThis.fetch = async (url, { headers }) => {
  if (String(url).endsWith('/platform/token')) return Response.json({ data: { token: 'token-' + ++asked } })
  const ok = Number(headers.authorization.slice('Bearer token-'.length)) >= least
  return Response.json(ok ? { success: true, data: { config: {} } } : {}, { status: ok ? 200 : 401 })
}
const { stoaOf } = require('../../../nodehost/src/stoa.js')
const stoa = stoaOf({ platformURL: 'http://platform.test', installationId: 'one' })
const calls = () => Promise.all(Array.from({ length: 50 }, () => stoa.platform().config()))
calls().then(() => { least = 2 }).then(calls).then(() => process.stdout.write(String(asked)))`
	cmd := exec.Command(needtest.Program(t, "node", ""), "-e", program)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "2" {
		t.Errorf("asked %s times for 2 tokens: %v", out, err)
	}
}
