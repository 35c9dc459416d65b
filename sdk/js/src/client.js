import { toBase64url } from './bytes.js';
import { verifyAnswer } from './answer.js';
import { LicenseError } from './error.js';
import { verifyLease } from './lease.js';

const TIMEOUT = 15_000;

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
  constructor({ baseURL, product, licenseKey, instance, keys, store = memoryStore(), fetch = globalThis.fetch, now = () => new Date() }) {
    Object.assign(this, { baseURL, product, licenseKey, instance, keys, store, now });
    this.fetch = (...args) => fetch(...args); // not as a method: browsers refuse that
  }

  // activate takes a seat of the licence for this instance, and may be repeated.
  // It throws code api when there is none, or the key does not work.
  activate() {
    return this.#post('activate');
  }

  // deactivate gives the seat back and forgets the lease. It may be repeated.
  async deactivate() {
    const license = await this.#post('deactivate');
    await this.#save({});
    return license;
  }

  // verify asks the vendor whether the licence may be used now, and resolves to it.
  // It throws code refused (reason: not_found, revoked, expired, not_activated or
  // unpaid), unsigned, api or unreachable.
  async verify() {
    return (await this.#ask('verify')).answer.license;
  }

  // renew asks the vendor for a new lease and keeps it. It throws as verify does;
  // when the licence is refused the lease at hand is forgotten.
  async renew() {
    let got;
    try {
      got = await this.#ask('lease');
    } catch (err) {
      if (err.code === 'refused') await this.#save({});
      throw err;
    }
    // By the vendor's clock: what was thought of the time before does not count.
    const result = await verifyLease(got.answer.lease, { ...this.#subject(), now: got.at });
    await this.#save({ lease: got.answer.lease, lastSeen: result.lastSeen.getTime() });
    return result;
  }

  // offline checks the lease at hand without network. It throws code invalid when
  // there is none.
  async offline() {
    const { lease = '', lastSeen = 0 } = await this.#load();
    const result = await verifyLease(lease, { ...this.#subject(), now: this.now(), lastSeen: new Date(lastSeen) });
    if (result.lastSeen.getTime() - lastSeen >= 60_000) await this.#save({ lease, lastSeen: result.lastSeen.getTime() });
    return result;
  }

  // check asks the vendor, and falls back to the lease at hand when the vendor can
  // not be reached or what answers is not the vendor. It is what an app calls at
  // start and once or twice a day. It resolves to verifyLease's result with
  // `online` and, if that is false, `cause`. It throws code refused, api, or why
  // there is no usable lease.
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
      throw new LicenseError('refused', `the licence was refused: ${reason}`, { reason });
    }
    return { at, answer };
  }

  // #send sends a request and reads the answer. Its errors do not hold the
  // address, in which the licence key is.
  async #send(url, init) {
    try {
      const res = await this.fetch(url, { ...init, cache: 'no-store', credentials: 'omit', redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) });
      return { status: res.status, headers: res.headers, body: new Uint8Array(await res.arrayBuffer()) };
    } catch (cause) {
      throw new LicenseError('unreachable', 'the vendor cannot be reached', { reason: cause?.name });
    }
  }

  async #load() {
    const kept = await this.store.load();
    try {
      const v = JSON.parse(kept ?? '{}');
      return v !== null && typeof v === 'object' ? v : {};
    } catch {
      return {}; // damaged: as if there were none
    }
  }

  #save(v) {
    return this.store.save(JSON.stringify(v));
  }
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
