// Checks the installed package, whichever way it was loaded.
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');

module.exports = async function check(license, node) {
  assert.deepEqual(Object.keys(license).filter((name) => name !== '__esModule').sort(), [
    'CLOCK_TOLERANCE', 'Client', 'LicenseError', 'memoryStore', 'normalInstance', 'parseKeys', 'parseLease',
    'verifyAnswer', 'verifyLease', 'webStore',
  ]);
  assert.deepEqual(Object.keys(node).filter((name) => name !== '__esModule'), ['fileStore']);

  const { jwks, leases } = JSON.parse(readFileSync(process.env.VECTORS, 'utf8'));
  const keys = await license.parseKeys(jwks);
  for (const { lease, product, instance, issuer, now, lastSeen, error, state } of leases) {
    const options = { keys, product, instance, issuer, now: new Date(now * 1000) };
    if (lastSeen) options.lastSeen = new Date(lastSeen * 1000);
    const checked = license.verifyLease(lease, options);
    if (error) await assert.rejects(checked, (err) => err instanceof license.LicenseError && err.code === error);
    else assert.equal((await checked).state, state);
  }
  const store = node.fileStore('lease.json');
  await store.save('kept');
  assert.equal(await store.load(), 'kept');
  console.log('ok');
};
