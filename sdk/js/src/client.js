import { toBase64url } from './bytes.js';
import { verifyAnswer } from './answer.js';
import { LicenseError } from './error.js';
import { verifyLease } from './lease.js';

const TIMEOUT = 15_000;
const MAX_ANSWER = 1 << 20; // how much of an answer is read

// memoryStore keeps the lease until the program ends.
export function memoryStore() {
  let kept = null;
  return { load: async () => kept, save: async (text) => { kept = text; } };
}

// webStore keeps the lease in a Storage of the browser, such as localStorage.
export function webStore(storage, name = 'stoa-lease') {
  return { load: async () => storage.getItem(name), save: async (text) => storage.setItem(name, text) };
}

// Client is one installation of an app, with its licence. `keys` are the vendor's
// (parseKeys), built into the app. `store` keeps the lease between runs.
export class Client {
  // What is known whether or not the store works.
  #last = { lastSeen: 0 };
  #unsaved = false; // #last is not in the store
  #ends = 0; // how often a lease ended: the vendor refused, or it was given back
  #queue = Promise.resolve();

  constructor({ baseURL, product, licenseKey, instance, keys, store = memoryStore(), fetch = globalThis.fetch, now = () => new Date() }) {
    Object.assign(this, { baseURL, product, licenseKey, instance, keys, store, now });
    this.fetch = (...args) => fetch(...args); // not as a method: browsers refuse that
  }

  // activate takes a seat of the licence for this instance, and may be repeated.
  // It throws code api when there is none, or the key does not work.
  activate() {
    return this.#post('activate');
  }

  // deactivate gives the seat back and forgets the lease. It may be repeated. It
  // throws code store when that was done, but the store failed.
  async deactivate() {
    const license = await this.#post('deactivate');
    this.#ends++;
    const storeError = await this.#alone(() => this.#save({}));
    if (storeError) throw storeError;
    return license;
  }

  // verify asks the vendor whether the licence may be used now, and resolves to it.
  // It throws code refused (reason: not_found, revoked, expired, not_activated or
  // unpaid), and then the lease at hand is forgotten; unsigned, api or unreachable.
  async verify() {
    return (await this.#ask('verify')).answer.license;
  }

  // renew asks the vendor for a new lease and keeps it. It throws as verify and
  // verifyLease do. A store that fails is a warning: storeError of the result, or
  // of the error.
  async renew() {
    const before = this.#ends;
    const got = await this.#ask('lease');
    // By the vendor's clock: what was thought of the time before does not count.
    const result = await verifyLease(got.answer.lease, { ...this.#subject(), now: got.at });
    const storeError = await this.#alone(() => {
      // Refused, or given back, after this was asked: which answer is the newer one is
      // not known.
      if (this.#ends !== before && !this.#last.lease) throw refusal(this.#last.refused ?? 'not_activated');
      return this.#save({ lease: got.answer.lease, lastSeen: result.lastSeen.getTime() });
    });
    return storeError ? { ...result, storeError } : result;
  }

  // offline checks the lease at hand without network. It throws code no_lease when
  // there is none, refused when the vendor's last word was no, and what verifyLease
  // throws.
  offline() {
    return this.#alone(async () => {
      let storeError = await this.#load();
      const { lease, lastSeen, refused } = this.#last;
      if (refused !== undefined) throw warned(refusal(refused), storeError);
      if (!lease) throw warned(new LicenseError('no_lease', 'there is no lease at hand'), storeError);
      const result = await verifyLease(lease, { ...this.#subject(), now: this.now(), lastSeen: new Date(lastSeen) });
      if (result.lastSeen.getTime() - lastSeen >= 60_000) storeError = (await this.#save({ lease, lastSeen: result.lastSeen.getTime() })) ?? storeError;
      return storeError ? { ...result, storeError } : result;
    });
  }

  // check asks the vendor, and falls back to the lease at hand when the vendor can
  // not be reached or what answers is not the vendor. It is what an app calls at
  // start and once or twice a day. It resolves to verifyLease's result with
  // `online`, `cause` if that is false, and `storeError` if the store failed. It
  // throws code refused, api, why the vendor gave no lease when there is none at
  // hand, and else why that one does not do.
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

  // #post sends activate or deactivate, whose answers are not signed: nothing
  // rests on them.
  async #post(what) {
    const res = await this.#send(this.#address(what), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ licenseKey: this.licenseKey, instanceId: this.instance }),
    });
    if (res.status !== 200) throw failure(res);
    const answer = parse(res);
    if (!answer) throw new LicenseError('unreachable', "the server's answer is not JSON");
    return answer.license;
  }

  // #ask sends a question whose answer is signed.
  async #ask(what) {
    const nonce = toBase64url(crypto.getRandomValues(new Uint8Array(18)));
    const query = new URLSearchParams({ licenseKey: this.licenseKey, instanceId: this.instance, nonce });
    const url = `${this.#address(`license/${what}`)}?${query}`;
    const res = await this.#send(url, { method: 'GET' });
    const at = await verifyAnswer(this.keys, { method: 'GET', url, status: res.status, headers: res.headers, body: res.body }, nonce);
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

  // #send sends a request and reads the answer. Its errors do not hold the
  // address, in which the licence key is.
  async #send(url, init) {
    try {
      const res = await this.fetch(url, { ...init, cache: 'no-store', credentials: 'omit', redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
      return { status: res.status, headers: res.headers, body: await readBody(res) };
    } catch (cause) {
      throw new LicenseError('unreachable', 'the vendor cannot be reached', { reason: cause?.name });
    }
  }

  // #alone runs one step after another: the store is used by one at a time.
  #alone(step) {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => {});
    return done;
  }

  // #load brings #last up to date from the store, unless that failed before or does
  // now: then it resolves to why. Within #alone only, as #save.
  async #load() {
    if (this.#unsaved) return this.#save(this.#last);
    try {
      this.#last = read(await this.store.load());
    } catch (cause) {
      return new LicenseError('store', 'the store failed: load the lease', { cause });
    }
  }

  // #save keeps v, in memory in any case, and resolves to why the store did not.
  async #save(v) {
    this.#last = { lastSeen: 0, ...v };
    this.#unsaved = true;
    try {
      await this.store.save(JSON.stringify(v));
      this.#unsaved = false;
    } catch (cause) {
      return new LicenseError('store', 'the store failed: keep the lease', { cause });
    }
  }
}

// readBody reads a body. Whoever answers may not be the vendor, and never end.
async function readBody(res) {
  if (!res.body?.getReader) return new Uint8Array(await res.arrayBuffer()); // none, or a fetch without streams
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

// read reads what was kept. What is damaged is as if there were nothing.
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

const refusal = (reason) => new LicenseError('refused', `the licence was refused: ${reason}`, { reason });

// warned notes that the store failed as well.
function warned(err, storeError) {
  if (storeError) err.storeError = storeError;
  return err;
}

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
