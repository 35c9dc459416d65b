// The test cases that both SDKs share.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { LicenseError, normalInstance, parseKeys, parseLease, verifyAnswer, verifyLease } from '../src/index.js';

const vectors = JSON.parse(await readFile(new URL('../../go/license/testdata/vectors.json', import.meta.url), 'utf8'));
const at = (unix) => new Date(unix * 1000);
const code = (want) => (err) => err instanceof LicenseError && err.code === want;

const forms = { JWKS: vectors.jwks, 'JWKS as text': JSON.stringify(vectors.jwks), PEM: vectors.pem };
for (const [form, input] of Object.entries(forms)) {
  describe(`leases with keys from ${form}`, async () => {
    const keys = await parseKeys(input);
    for (const v of vectors.leases) {
      test(v.name, async () => {
        const { product, instance, issuer } = v;
        const lastSeen = v.lastSeen ? at(v.lastSeen) : undefined;
        const checked = verifyLease(v.lease, { keys, product, instance, issuer, now: at(v.now), lastSeen });
        if (v.error) return assert.rejects(checked, code(v.error));
        const got = await checked;
        assert.deepEqual([got.state, got.usable, got.lastSeen], [v.state, v.state !== 'expired', at(v.seenNext)]);
        if (v.claims) {
          const c = v.claims;
          assert.deepEqual(got.lease, {
            issuer: c.iss, licenseId: c.sub, productId: c.product.id, product: c.product.slug, instance: c.instanceId,
            development: c.development ?? false, features: c.features, licenseType: c.licenseType,
            licenseExpiresAt: c.licenseExpiresAt ? at(c.licenseExpiresAt) : null,
            issuedAt: at(c.iat), expiresAt: at(c.exp), graceUntil: at(c.graceUntil), nonce: c.nonce ?? '',
          });
        }
      });
    }
  });
}

describe('answers', async () => {
  const keys = await parseKeys(vectors.jwks);
  for (const v of vectors.answers) {
    for (const [form, headers] of Object.entries({ object: v.headers, Headers: new Headers(v.headers) })) {
      test(`${v.name} (${form})`, async () => {
        const checked = verifyAnswer(keys, { ...v, headers }, v.nonce);
        if (!v.created) return assert.rejects(checked, code('unsigned'));
        assert.deepEqual(await checked, at(v.created));
      });
    }
  }
});

test('instances are normalized as in the vectors', () => {
  for (const { id, normal } of vectors.instances) assert.equal(normalInstance(id), normal, JSON.stringify(id));
});

test('invalid key sets are refused', async () => {
  const jwks = JSON.stringify(vectors.jwks);
  for (const input of [
    '', '{', '{"keys":[]}', '{"keys":[{"kty":"RSA","kid":"k"}]}', 'null', '{"keys":[null]}',
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"AAAA"}]}',
    jwks.replace('"kid":"', '"kid":"x'), ' '.repeat(1 << 20) + jwks,
    vectors.pem.replaceAll('PUBLIC KEY', 'PRIVATE KEY'), vectors.pem.replace('MCow', 'MCox'),
    '-----BEGIN PUBLIC KEY-----',
  ]) {
    await assert.rejects(parseKeys(input), code('keys'), input.slice(0, 60));
  }
});

// Every lease that differs from a genuine one by one character.
test('no changed lease is accepted', async () => {
  const keys = await parseKeys(vectors.jwks);
  const good = vectors.leases[0].lease;
  for (let i = 0; i < good.length; i++) {
    for (const changed of [
      good.slice(0, i) + (good[i] === 'A' ? 'B' : 'A') + good.slice(i + 1),
      good.slice(0, i) + good.slice(i + 1),
      `${good.slice(0, i)}.${good.slice(i)}`,
    ]) {
      await assert.rejects(parseLease(changed, keys), LicenseError, `at ${i}`);
    }
  }
  for (const raw of [undefined, null, 1, {}, 'x'.repeat(1 << 20)]) {
    await assert.rejects(parseLease(raw, keys), code('invalid'));
  }
});
