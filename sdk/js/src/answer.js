import { fromBase64, sha256, toBase64, utf8 } from './bytes.js';
import { LicenseError } from './error.js';

const LABEL = 'stoa';
const TAG = 'stoa-license';
const MUST = ['"@status"', '"content-digest"', '"@method";req', '"@path";req', '"@query";req'];

export async function verifyAnswer(keys, { method, url, status, headers, body }, nonce = '') {
  const get = typeof headers.get === 'function' ? (name) => headers.get(name) : (name) => lookUp(headers, name);
  const field = (name) => get(name) ?? undefined;
  const answer = { method, url: new URL(url.href ?? url), status, field };
  const input = member(field('signature-input'), LABEL);
  const signature = byteSequence(field('signature'), LABEL);
  const parsed = input === undefined ? null : parseInput(input);
  if (!signature || !parsed || !covers(parsed.components, field)) throw unsigned();
  const { alg, tag, nonce: echoed = '""', created = '', keyid = '' } = parsed.params;
  if (alg !== '"ed25519"' || tag !== `"${TAG}"` || echoed !== `"${nonce}"`) throw unsigned();
  if (!/^\d{1,12}$/.test(created) || !/^"[\w-]+"$/.test(keyid)) throw unsigned();
  const bytes = typeof body === 'string' ? utf8(body) : body;
  const digest = byteSequence(field('content-digest'), 'sha-256');
  if (!digest || toBase64(digest) !== toBase64(await sha256(bytes))) throw unsigned();
  const base = signatureBase(parsed.components, input, answer);
  if (base === null || !(await keys.verify(keyid.slice(1, -1), utf8(base), signature))) throw unsigned();
  return new Date(Number(created) * 1000);
}

const unsigned = () => new LicenseError('unsigned', 'the answer is not signed by the vendor');

function lookUp(headers, name) {
  const found = Object.keys(headers).filter((k) => k.toLowerCase() === name);
  return found.length === 1 ? headers[found[0]] : undefined;
}

// covers reports whether the signature covers every required component, each once.
function covers(components, field) {
  const must = field('x-license-code') === undefined ? MUST : [...MUST, '"x-license-code"'];
  return new Set(components).size === components.length && must.every((c) => components.includes(c));
}

// signatureBase builds the signed text (RFC 9421, section 2.5). It returns null when
// a component is missing.
function signatureBase(components, input, answer) {
  const lines = [];
  for (const c of components) {
    const value = component(c, answer);
    if (value === undefined) return null;
    lines.push(`${c}: ${value}`);
  }
  return [...lines, `"@signature-params": ${input}`].join('\n');
}

// component returns the value of a covered component. Those with ;req belong to the
// request, the others to the answer.
function component(c, { method, url, status, field }) {
  switch (c) {
    case '"@status"':
      return String(status);
    case '"@method";req':
      return method;
    case '"@path";req':
      return url.pathname;
    case '"@query";req':
      return url.search === '' ? '?' : url.search;
  }
  const name = /^"([a-z0-9-]+)"$/.exec(c);
  return name ? field(name[1])?.trim() : undefined;
}

// member returns the value of one member of a Structured Field dictionary (RFC
// 8941). It returns undefined when the member is missing or repeated.
function member(value, name) {
  const found = splitQuoted(value ?? '', ',')
    .map((m) => m.trim())
    .filter((m) => m === name || m.startsWith(`${name}=`));
  return found.length === 1 && found[0] !== name ? found[0].slice(name.length + 1) : undefined;
}

// byteSequence returns the bytes of a member of that type, or null.
function byteSequence(value, name) {
  const m = /^:([^:]*):$/.exec(member(value, name) ?? '');
  return m ? fromBase64(m[1]) : null;
}

// parseInput splits a Signature-Input member into the covered components and the
// parameters, which keep their quotation marks.
function parseInput(input) {
  const m = /^\(([^)]*)\)((?:;.*)?)$/.exec(input);
  if (!m) return null;
  const params = Object.create(null);
  for (const p of splitQuoted(m[2].slice(1), ';')) {
    const at = p.indexOf('=');
    const value = p.slice(at + 1);
    if (at < 1 || p.slice(0, at) in params || !/^(?:"[^"\\]*"|[^"]*)$/.test(value)) return null;
    params[p.slice(0, at)] = value;
  }
  return { components: m[1].split(' ').filter((c) => c !== ''), params };
}

// splitQuoted splits s at every sep outside quotation marks.
function splitQuoted(s, sep) {
  const parts = [];
  let quoted = false;
  let start = 0;
  for (let i = 0; i < s.length; i++) {
    if (s[i] === '"') quoted = !quoted;
    else if (s[i] === sep && !quoted) {
      parts.push(s.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(s.slice(start));
  return parts;
}
