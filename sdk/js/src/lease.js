import { fromBase64url, text, utf8 } from './bytes.js';
import { LicenseError } from './error.js';

const TYPE = 'license-lease+jwt'; // no other token of stoa has this typ
const MAX = 256 << 10; // the longest lease that is parsed

export const CLOCK_TOLERANCE = 3_600_000;

const invalid = () => new LicenseError('invalid', 'not a lease, or changed after it was signed');

// White space as stoa defines it. JavaScript's trim removes U+FEFF too, and not
// U+0085.
const SPACE = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const AROUND = new RegExp(`^${SPACE}|${SPACE}$`, 'g');

// lower maps one character to one character, as stoa does. toLowerCase on the whole
// text would turn U+0130 into two characters and write a final sigma.
const lower = (c) => (c === '\u0130' ? 'i' : c.toLowerCase());

export const normalInstance = (id) => Array.from(id.replace(AROUND, ''), lower).join('');

export async function verifyLease(raw, { keys, product, instance, issuer, now = new Date(), lastSeen }) {
  const lease = await parseLease(raw, keys);
  if (lease.product !== product) throw new LicenseError('product', 'the lease is for another product');
  if (lease.instance !== normalInstance(instance)) {
    throw new LicenseError('instance', 'the lease is for another instance');
  }
  if (issuer && lease.issuer !== issuer.replace(/\/$/, '')) {
    throw new LicenseError('issuer', 'the lease is from another vendor');
  }
  const known = Math.max(lastSeen?.getTime() ?? 0, lease.issuedAt.getTime());
  if (!(now.getTime() >= known - CLOCK_TOLERANCE)) throw new LicenseError('clock', 'the clock was set back');
  const at = Math.max(now.getTime(), known);
  let state = 'expired';
  if (at < lease.expiresAt.getTime()) state = 'valid';
  else if (at < lease.graceUntil.getTime()) state = 'grace';
  return { state, usable: state !== 'expired', lease, lastSeen: new Date(at) };
}

export async function parseLease(raw, keys) {
  const parts = typeof raw === 'string' && raw.length <= MAX ? raw.split('.') : [];
  const head = decode(parts[0]);
  const signature = parts.length === 3 ? fromBase64url(parts[2]) : null;
  if (!signature || !head || head.alg !== 'EdDSA' || head.typ !== TYPE || 'crit' in head) throw invalid();
  if (!keys.has(head.kid)) throw new LicenseError('unknown_key', 'the lease is signed with an unknown key');
  if (!(await keys.verify(head.kid, utf8(`${parts[0]}.${parts[1]}`), signature))) throw invalid();
  const c = decode(parts[1]);
  if (!c || !complete(c)) throw invalid();
  return {
    issuer: c.iss ?? '',
    licenseId: c.sub,
    productId: c.product.id ?? '',
    product: c.product.slug,
    instance: c.instanceId,
    development: c.development ?? false,
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
const textOrMissing = (v) => v === undefined || typeof v === 'string';

function complete(c) {
  return (
    filled(c.sub) && filled(c.product?.slug) && filled(c.instanceId) &&
    [c.iss, c.product.id, c.licenseType, c.nonce].every(textOrMissing) &&
    (c.development === undefined || typeof c.development === 'boolean') &&
    (c.features === undefined || (Array.isArray(c.features) && c.features.every((f) => typeof f === 'string'))) &&
    (c.licenseExpiresAt === undefined || Number.isSafeInteger(c.licenseExpiresAt)) &&
    [c.iat, c.exp, c.graceUntil].every(Number.isSafeInteger) &&
    c.iat > 0 && c.exp > c.iat && c.graceUntil >= c.exp
  );
}

// decode reads one part of a token: a JSON object in Base64URL. It returns null for
// anything else.
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
