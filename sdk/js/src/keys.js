import { fromBase64, fromBase64url, sha256, toBase64url, utf8 } from './bytes.js';
import { LicenseError } from './error.js';

const MAX = 1 << 20;

// An Ed25519 SubjectPublicKeyInfo is these bytes and the key (RFC 8410).
const SPKI = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

// Keys is a set of public license keys. parseKeys makes it.
class Keys {
  #byID = new Map();

  // add adds a key of 32 bytes and resolves to its id, the RFC 7638 thumbprint.
  async add(x) {
    const id = toBase64url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${toBase64url(x)}"}`)));
    this.#byID.set(id, await crypto.subtle.importKey('raw', x, { name: 'Ed25519' }, false, ['verify']));
    return id;
  }

  get size() {
    return this.#byID.size;
  }

  has(id) {
    return this.#byID.has(id);
  }

  // verify resolves to whether the key with this id made the signature.
  async verify(id, message, signature) {
    const key = this.#byID.get(id);
    return key !== undefined && signature.length === 64 && crypto.subtle.verify('Ed25519', key, signature, message);
  }
}

const bad = (message, cause) => new LicenseError('keys', message, { cause });

export async function parseKeys(input) {
  if (typeof input === 'string' && input.length > MAX) throw bad('the keys are too long');
  const keys = typeof input === 'string' && input.includes('-----BEGIN') ? await fromPEM(input) : await fromJWKS(input);
  if (keys.size === 0) throw bad('no Ed25519 key found');
  return keys;
}

async function fromJWKS(input) {
  let set = input;
  if (typeof input === 'string') {
    try {
      set = JSON.parse(input);
    } catch (cause) {
      throw bad('the keys are neither JSON nor PEM', cause);
    }
  }
  if (!Array.isArray(set?.keys)) throw bad('not a key set');
  const keys = new Keys();
  for (const k of set.keys) {
    if (k?.kty !== 'OKP' || k.crv !== 'Ed25519') continue;
    const x = typeof k.x === 'string' ? fromBase64url(k.x) : null;
    if (x?.length !== 32) throw bad('a key is not an Ed25519 key');
    if ((await keys.add(x)) !== k.kid) throw bad('a kid is not the thumbprint of its key');
  }
  return keys;
}

async function fromPEM(pem) {
  const keys = new Keys();
  for (const [, type, body] of pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)) {
    if (type !== 'PUBLIC KEY') throw bad(`the PEM holds a ${type}, not a PUBLIC KEY`);
    const der = fromBase64(body.replaceAll(/\s/g, ''));
    if (der?.length !== SPKI.length + 32 || SPKI.some((b, i) => der[i] !== b)) {
      throw bad('the PEM holds a key that is not Ed25519');
    }
    await keys.add(der.slice(SPKI.length));
  }
  return keys;
}
