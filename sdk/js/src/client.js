import { toBase64url } from './bytes.js';
import { verifyAnswer } from './answer.js';
import { LicenseError } from './error.js';
import { verifyLease } from './lease.js';
import { memoryStore } from './store.js';

const TIMEOUT = 15_000; // milliseconds
const MAX_ANSWER = 1 << 20; // how many bytes of an answer are read

// Client is documented in index.d.ts.
export class Client {
  #last = { lastSeen: 0 }; // the state, even while the store fails
  #unsaved = false; // the store does not hold #last
  #ends = 0; // how often a lease ended: by a refusal, or by deactivate
  #queue = Promise.resolve();

  constructor({
    baseURL, product, licenseKey, instance, keys,
    store = memoryStore(), fetch = globalThis.fetch, now = () => new Date(),
  }) {
    Object.assign(this, { baseURL, product, licenseKey, instance, keys, store, now });
    this.fetch = (...args) => fetch(...args); // browsers refuse fetch as a method of another object
  }

  activate() {
    return this.#post('activate');
  }

  async deactivate() {
    const license = await this.#post('deactivate');
    this.#ends++;
    const storeError = await this.#alone(() => this.#save({}));
    if (storeError) throw storeError;
    return license;
  }

  async verify() {
    return licenseOf((await this.#ask('verify')).answer);
  }

  async renew() {
    const before = this.#ends;
    const got = await this.#ask('lease');
    // The vendor's clock decides; the last time seen does not matter here.
    const result = await verifyLease(got.answer.lease, { ...this.#subject(), now: got.at });
    const storeError = await this.#alone(() => {
      // A lease ended since the request was sent. Which answer is newer is unknown, so
      // the end wins.
      if (this.#ends !== before && !this.#last.lease) throw refusal(this.#last.refused ?? 'not_activated');
      return this.#save({ lease: got.answer.lease, lastSeen: result.lastSeen.getTime() });
    });
    return storeError ? { ...result, storeError } : result;
  }

  offline() {
    return this.#alone(async () => {
      let storeError = await this.#load();
      const { lease, lastSeen, refused } = this.#last;
      if (refused !== undefined) throw warned(refusal(refused), storeError);
      if (!lease) throw warned(new LicenseError('no_lease', 'no lease is stored'), storeError);
      const result = await verifyLease(lease, { ...this.#subject(), now: this.now(), lastSeen: new Date(lastSeen) });
      const seen = result.lastSeen.getTime();
      if (seen - lastSeen >= 60_000) storeError = (await this.#save({ lease, lastSeen: seen })) ?? storeError;
      return storeError ? { ...result, storeError } : result;
    });
  }

  async check() {
    let cause;
    try {
      return { ...(await this.renew()), online: true };
    } catch (err) {
      if (err.code === 'refused' || (err.code === 'api' && err.status < 500)) throw err;
      cause = err;
    }
    try {
      return { ...(await this.offline()), online: false, cause };
    } catch (err) {
      if (err.code === 'no_lease') throw warned(cause, err.storeError);
      err.cause ??= cause;
      throw err;
    }
  }

  #subject() {
    return { keys: this.keys, product: this.product, instance: this.instance };
  }

  #address(path) {
    return `${this.baseURL.replace(/\/$/, '')}/api/marketplace/products/${encodeURIComponent(this.product)}/${path}`;
  }

  // #post sends activate or deactivate. Their answers are not signed: no decision
  // depends on them.
  async #post(what) {
    const res = await this.#send(this.#address(what), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ licenseKey: this.licenseKey, instanceId: this.instance }),
    });
    if (res.status !== 200) throw failure(res);
    const answer = parse(res);
    if (!answer) throw new LicenseError('unreachable', "the server's answer is not JSON");
    return licenseOf(answer);
  }

  // #ask sends a request whose answer is signed.
  async #ask(what) {
    const nonce = toBase64url(crypto.getRandomValues(new Uint8Array(18)));
    const query = new URLSearchParams({ licenseKey: this.licenseKey, instanceId: this.instance, nonce });
    const url = `${this.#address(`license/${what}`)}?${query}`;
    const res = await this.#send(url, { method: 'GET' });
    const at = await verifyAnswer(this.keys, { method: 'GET', url, ...res }, nonce);
    if (res.status !== 200) throw failure(res);
    const answer = parse(res);
    if (!answer) throw new LicenseError('unsigned', 'the answer is not JSON');
    if (answer.valid !== true) {
      const reason = res.headers.get('x-license-code') ?? '';
      this.#ends++;
      const storeError = await this.#alone(() => this.#save({ refused: reason }));
      throw warned(refusal(reason), storeError);
    }
    return { at, answer };
  }

  // #send sends a request and reads the answer. Its errors do not contain the
  // address, which holds the license key.
  async #send(url, init) {
    try {
      const res = await this.fetch(url, {
        ...init, cache: 'no-store', credentials: 'omit', redirect: 'error', signal: AbortSignal.timeout(TIMEOUT),
      });
      return { status: res.status, headers: res.headers, body: await readBody(res) };
    } catch (cause) {
      throw new LicenseError('unreachable', 'the vendor cannot be reached', { reason: cause?.name });
    }
  }

  // #alone runs one step at a time, and so makes one call to the store at a time.
  #alone(step) {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => {});
    return done;
  }

  // #load updates #last from the store. It resolves to an error while the store
  // fails. Call it within #alone only, like #save.
  async #load() {
    if (this.#unsaved) return this.#save(this.#last);
    try {
      this.#last = read(await this.store.load());
    } catch (cause) {
      return new LicenseError('store', 'the store failed: cannot load the lease', { cause });
    }
  }

  // #save puts v into memory and into the store. It resolves to an error if the
  // store fails.
  async #save(v) {
    this.#last = { lastSeen: 0, ...v };
    this.#unsaved = true;
    try {
      await this.store.save(JSON.stringify(v));
      this.#unsaved = false;
    } catch (cause) {
      return new LicenseError('store', 'the store failed: cannot save the lease', { cause });
    }
  }
}

// readBody reads a body up to the limit: an impostor's may never end.
async function readBody(res) {
  if (!res.body?.getReader) return new Uint8Array(await res.arrayBuffer()); // empty, or a fetch without streams
  const parts = [];
  let size = 0;
  const reader = res.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    size += next.value.length;
    if (size > MAX_ANSWER) {
      reader.cancel().catch(() => {});
      throw new RangeError('the answer is too long');
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// read parses the content of a store. It treats damaged content as empty.
function read(kept) {
  try {
    const { lease, lastSeen, refused } = JSON.parse(kept ?? '{}') ?? {};
    return {
      lease: typeof lease === 'string' ? lease : undefined,
      lastSeen: Number.isFinite(lastSeen) ? lastSeen : 0,
      refused: typeof refused === 'string' ? refused : undefined,
    };
  } catch {
    return { lastSeen: 0 };
  }
}

// licenseOf returns the license of an answer, with what the answer says of this instance.
const licenseOf = (answer) => answer.license && { ...answer.license, development: answer.development === true };

const refusal = (reason) => new LicenseError('refused', `the license was refused: ${reason}`, { reason });

// warned adds the warning that the store failed as well.
function warned(err, storeError) {
  if (storeError) err.storeError = storeError;
  return err;
}

// parse returns the JSON object of an answer, or null.
function parse(res) {
  try {
    const v = JSON.parse(new TextDecoder().decode(res.body));
    return v !== null && typeof v === 'object' ? v : null;
  } catch {
    return null;
  }
}

function failure(res) {
  const { error = 'UNEXPECTED_ANSWER', message = `The server answered with status ${res.status}.` } = parse(res) ?? {};
  return new LicenseError('api', `${error}: ${message}`, { status: res.status, reason: error });
}
