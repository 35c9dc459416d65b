import { fromBase64url, text, utf8 } from './bytes.js';
import { LicenseError } from './error.js';

const TYPE = 'license-lease+jwt'; // no other token has this typ
const MAX = 256 << 10;

// How far a clock may be behind what is known of the time, in milliseconds,
// before it is taken for one that was set back.
export const CLOCK_TOLERANCE = 3_600_000;

const invalid = () => new LicenseError('invalid', 'this is no lease, or it was changed');

// White space as stoa takes it. That of JavaScript's trim has U+FEFF and lacks
// U+0085.
const SPACE = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const AROUND = new RegExp(`^${SPACE}|${SPACE}$`, 'g');

// lower is the lower case of one character, which is one character, whatever is
// around it: toLowerCase alone makes two of U+0130, and knows a final sigma.
const lower = (c) => (c === '\u0130' ? 'i' : c.toLowerCase());

// normalInstance returns an instance id as stoa counts it.
export const normalInstance = (id) => Array.from(id.replace(AROUND, ''), lower).join('');

// verifyLease checks a lease without network, and resolves to
// {state, usable, lease, lastSeen}: state is 'valid', 'grace' (go on, and tell the
// user that the vendor has to be reached) or 'expired'. Keep lastSeen and give it
// to the next call: the clock cannot be set back before it. It is worth as much as
// the place it was kept in; without it the clock can be set back to when the lease
// was issued.
//
// It throws a LicenseError with code invalid, unknown_key, product, instance,
// issuer or clock.
export async function verifyLease(raw, { keys, product, instance, issuer, now = new Date(), lastSeen }) {
  const lease = await parseLease(raw, keys);
  if (lease.product !== product) throw new LicenseError('product', 'the lease is for another product');
  if (lease.instance !== normalInstance(instance)) throw new LicenseError('instance', 'the lease is for another instance');
  if (issuer && lease.issuer !== issuer.replace(/\/$/, '')) throw new LicenseError('issuer', 'the lease is of another vendor');
  const known = Math.max(lastSeen?.getTime() ?? 0, lease.issuedAt.getTime());
  if (!(now.getTime() >= known - CLOCK_TOLERANCE)) throw new LicenseError('clock', 'the clock was set back');
  const at = Math.max(now.getTime(), known);
  let state = 'expired';
  if (at < lease.expiresAt.getTime()) state = 'valid';
  else if (at < lease.graceUntil.getTime()) state = 'grace';
  return { state, usable: state !== 'expired', lease, lastSeen: new Date(at) };
}

// parseLease verifies the signature of a lease and resolves to what it says,
// whatever time it is and whomever it is for. It throws a LicenseError with code
// invalid or unknown_key.
export async function parseLease(raw, keys) {
  const parts = typeof raw === 'string' && raw.length <= MAX ? raw.split('.') : [];
  const head = decode(parts[0]);
  const signature = parts.length === 3 ? fromBase64url(parts[2]) : null;
  if (!signature || !head || head.alg !== 'EdDSA' || head.typ !== TYPE || 'crit' in head) throw invalid();
  if (!keys.has(head.kid)) throw new LicenseError('unknown_key', 'the lease is signed with a key that is not among yours');
  if (!(await keys.verify(head.kid, utf8(`${parts[0]}.${parts[1]}`), signature))) throw invalid();
  const c = decode(parts[1]);
  if (!c || !complete(c)) throw invalid();
  return {
    issuer: c.iss ?? '',
    licenseId: c.sub,
    productId: c.product.id ?? '',
    product: c.product.slug,
    instance: c.instanceId,
    features: c.features ?? [],
    licenseType: c.licenseType ?? '',
    licenseExpiresAt: c.licenseExpiresAt ? new Date(c.licenseExpiresAt * 1000) : null,
    issuedAt: new Date(c.iat * 1000),
    expiresAt: new Date(c.exp * 1000),
    graceUntil: new Date(c.graceUntil * 1000),
    nonce: c.nonce ?? '',
  };
}

const filled = (v) => typeof v === 'string' && v !== '';
const optional = (v, type) => v === undefined || typeof v === type;

function complete(c) {
  return (
    filled(c.sub) && filled(c.product?.slug) && filled(c.instanceId) &&
    optional(c.iss, 'string') && optional(c.product.id, 'string') && optional(c.licenseType, 'string') && optional(c.nonce, 'string') &&
    (c.features === undefined || (Array.isArray(c.features) && c.features.every((f) => typeof f === 'string'))) &&
    (c.licenseExpiresAt === undefined || Number.isSafeInteger(c.licenseExpiresAt)) &&
    [c.iat, c.exp, c.graceUntil].every(Number.isSafeInteger) &&
    c.iat > 0 && c.exp > c.iat && c.graceUntil >= c.exp
  );
}

// decode reads a part of a token: a JSON object in Base64URL, or null.
function decode(part) {
  const bytes = typeof part === 'string' ? fromBase64url(part) : null;
  if (!bytes?.length) return null;
  try {
    const v = JSON.parse(text(bytes));
    return typeof v === 'object' && !Array.isArray(v) ? v : null;
  } catch {
    return null;
  }
}
