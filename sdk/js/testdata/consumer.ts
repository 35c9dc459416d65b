// Uses every declaration of the package, the way an app in TypeScript does. The
// compiled program runs as well.
import * as license from 'stoa-license';
import {
  CLOCK_TOLERANCE, Client, LicenseError, memoryStore, normalInstance, parseKeys, parseLease, verifyAnswer,
  verifyLease, webStore,
} from 'stoa-license';
import type {
  Answer, ApiError, ApiErrorCode, ClientOptions, ErrorCode, Fetch, FetchOptions, FetchResponse, Keys, Lease,
  LeaseState, License, LicenseStatus, LicenseType, OfflineResult, OnlineResult, OtherError, RefusalReason,
  RefusedError, Result, Store, Stored, UnreachableError, VerifyOptions,
} from 'stoa-license';
import { fileStore } from 'stoa-license/node';

declare const console: { log(text: string): void };

// same compiles only if both types are equal.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Equal<A, B>): void {}

same<License['status'], 'active' | 'expired' | 'revoked'>(true);
same<License['type'], 'perpetual' | 'subscription'>(true);
same<Lease['licenseType'], LicenseType | ''>(true);
same<LicenseStatus, License['status']>(true);
same<Result['state'], LeaseState>(true);
same<LeaseState, 'valid' | 'grace' | 'expired'>(true);
same<RefusedError['reason'], RefusalReason>(true);
same<RefusalReason, 'not_found' | 'revoked' | 'expired' | 'not_activated' | 'unpaid'>(true);
same<ApiError['reason'], ApiErrorCode>(true);
same<ApiError['status'], number>(true);
same<LicenseError['status'], number | undefined>(true);
same<License['expiresAt'], string | undefined>(true);
same<Lease['licenseExpiresAt'], Date | null>(true);
same<
  ErrorCode,
  | 'keys' | 'invalid' | 'unknown_key' | 'product' | 'instance' | 'issuer' | 'clock'
  | 'unsigned' | 'refused' | 'api' | 'unreachable' | 'no_lease' | 'store'
>(true);

// Each code tells what else an error has.
export function explain(err: unknown): string {
  if (!(err instanceof LicenseError)) throw err;
  if (err.storeError) console.log(err.storeError.message);
  switch (err.code) {
    case 'refused':
      same<typeof err, RefusedError>(true);
      return advise(err.reason);
    case 'api':
      return `${err.reason}, status ${err.status.toFixed()}`;
    case 'unreachable':
      same<typeof err, UnreachableError>(true);
      return err.reason ?? 'offline';
    default:
      same<typeof err, OtherError>(true);
      // @ts-expect-error: other errors have no status
      err.status.toFixed();
      return err.code;
  }
}

function advise(reason: RefusalReason): string {
  switch (reason) {
    case 'not_found': return 'check the key';
    case 'revoked': return 'contact the vendor';
    case 'expired': return 'renew';
    case 'not_activated': return 'activate';
    case 'unpaid': return 'wait';
  }
}

export async function start(options: ClientOptions): Promise<boolean> {
  const client = new Client(options);
  const activated: License = await client.activate();
  const verified: License = await client.verify();
  const stored: Stored[] = [await client.renew(), await client.offline()];
  const checked: OnlineResult | OfflineResult = await client.check();
  if (!checked.online) console.log(explain(checked.cause));
  for (const { storeError } of stored) if (storeError) console.log(storeError.code);
  await client.deactivate();
  return checked.usable && activated.status === 'active' && verified.features.includes(checked.lease.features[0]!);
}

// @ts-expect-error: the keys are required
export const withoutKeys: ClientOptions = { baseURL: '', product: '', licenseKey: '', instance: '' };
// @ts-expect-error: no such status
export const status: LicenseStatus = 'suspended';

export const answerOf = async (response: FetchResponse): Promise<Answer> => ({
  method: 'GET', url: 'https://shop.example.com/', status: response.status, headers: response.headers,
  body: new Uint8Array(await response.arrayBuffer()),
});

async function main(): Promise<void> {
  const storage = new Map<string, string>();
  const stores: Store[] = [
    memoryStore(), fileStore('consumer.json'),
    webStore({ getItem: (name) => storage.get(name) ?? null, setItem: (name, text) => { storage.set(name, text); } }),
  ];
  for (const store of stores) await store.save((await store.load()) ?? 'text');

  const keys: Keys = await parseKeys({
    keys: [{
      kty: 'OKP', crv: 'Ed25519', kid: 'UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4',
      x: 'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w',
    }],
  });
  const answer: Answer = { method: 'GET', url: 'https://shop.example.com/', status: 200, headers: {}, body: '' };
  const subject = { keys, product: 'mail-pack', instance: normalInstance(' A.example') };
  const options: VerifyOptions = { ...subject, issuer: undefined, now: undefined, lastSeen: new Date(0) };
  const codes: ErrorCode[] = [];
  const fails: Promise<unknown>[] = [
    parseKeys(''), parseLease('x', keys), verifyLease('x', options), verifyAnswer(keys, answer, 'n'),
  ];
  for (const result of await Promise.allSettled(fails)) {
    if (result.status === 'rejected' && result.reason instanceof LicenseError) codes.push(result.reason.code);
  }
  const fetch: Fetch = (_url: string, init: FetchOptions) => Promise.reject(new Error(init.redirect));
  const client = new Client({ ...subject, baseURL: 'https://shop.example.com', licenseKey: 'STOA-X', fetch });
  const reason = await client.check().then(() => 'no error', explain);

  const values: Record<keyof typeof license, unknown> = {
    CLOCK_TOLERANCE, Client, LicenseError, memoryStore, normalInstance, parseKeys, parseLease, verifyAnswer,
    verifyLease, webStore,
  };
  const exported = Object.keys(license).filter((name) => name !== '__esModule').sort();
  if (String(exported) !== String(Object.keys(values).sort())) throw new Error(`the package exports ${exported}`);
  console.log([codes, reason, new LicenseError('api', 'x', { status: 400 }).status].join(' '));
}

void main();
