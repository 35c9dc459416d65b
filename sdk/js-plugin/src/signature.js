// The platform's signature, profile v1: docs/plugins/signature.md in stoa's repository.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { NotFromPlatform } from './errors.js';

export const MAX_SIGNED_BODY = 1 << 20;
const TOLERANCE = 300_000; // milliseconds
const MAX_SIGNATURES = 8; // the platform sends two at most
const NAMES = /^x-(?:tenant-id|request-id|caller|locale|forwarded-(?:for|proto|host))$/;
const PREFIXES = /^x-(?:plugin|installation|platform|user|hook)-/;

// ofPlatform reports whether the platform sets headers of that name, or may set them in
// a later version. x_user_id and X.User.Id count as x-user-id, as they do in careless
// software.
export function ofPlatform(name) {
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  return NAMES.test(folded) || PREFIXES.test(folded);
}

// bodyHash returns what a signature covers of a body.
export function bodyHash(body) {
  return body.length > MAX_SIGNED_BODY ? 'UNSIGNED-STREAM' : createHash('sha256').update(body).digest('hex');
}

// sign returns one signature in hex. headers are [name, value] with names in lower case;
// the text holds bytes as Latin-1, as Node.js reads header values.
export function sign(secret, { timestamp, method, target, hash, headers }) {
  const lines = headers.filter(([name]) => name !== 'x-platform-timestamp' && name !== 'x-platform-signature')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}`);
  const text = ['v1', timestamp, method, target, hash, ...lines].join('\n');
  return createHmac('sha256', Buffer.from(secret)).update(Buffer.from(text, 'latin1')).digest();
}

// readSigned reads what the headers of a request say about its signature, without
// checking it. headers is a list of [name, value].
export function readSigned(headers, now) {
  const covered = new Map();
  for (const [name, value] of headers) {
    if (!ofPlatform(name)) continue;
    const lower = name.toLowerCase();
    if (covered.has(lower)) throw new NotFromPlatform('malformed'); // the platform sends each once
    covered.set(lower, value);
  }
  const timestamp = covered.get('x-platform-timestamp');
  const signature = covered.get('x-platform-signature');
  if (!timestamp || !signature) throw new NotFromPlatform('missing');
  if (!/^(?:0|[1-9]\d{0,15})$/.test(timestamp)) throw new NotFromPlatform('malformed');
  const signatures = parse(signature);
  if (Math.abs(now - Number(timestamp)) > TOLERANCE) throw new NotFromPlatform('clock');
  return { timestamp, signatures, headers: [...covered] };
}

function parse(value) {
  const parts = value.split(',');
  if (parts.length > MAX_SIGNATURES) throw new NotFromPlatform('malformed');
  const list = [];
  for (const part of parts) {
    // Nobody has proved yet who sends this: no expression here may try a text again from another place.
    const end = part.indexOf('=');
    if (end < 1) throw new NotFromPlatform('malformed');
    if (!/^[ \t]*v1$/.test(part.slice(0, end))) continue; // a later platform may send others as well
    const [, text] = /^([0-9a-f]{64})[ \t]*$/i.exec(part.slice(end + 1)) ?? [];
    if (text === undefined) throw new NotFromPlatform('malformed');
    list.push(Buffer.from(text, 'hex'));
  }
  if (list.length === 0) throw new NotFromPlatform('malformed');
  return list;
}

// check throws unless one of the signatures was made with one of the secrets, none of
// which may be empty. It compares in constant time.
export function check(signed, { secrets, method, target, body }) {
  const message = { ...signed, method, target, hash: bodyHash(body) };
  let match = false;
  for (const secret of secrets) {
    const want = sign(secret, message);
    for (const given of signed.signatures) {
      if (timingSafeEqual(given, want)) match = true;
    }
  }
  if (!match) throw new NotFromPlatform('mismatch');
}
