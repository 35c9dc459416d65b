// A stoa of the scenarios' own, and its API without a browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

// freePort returns a port at which nobody listens. Systems take the ports of outgoing
// connections from above this range, and stoa's demo its own from below, so none takes it
// before stoa listens, or while stoa is started again. A UDP port marks it as taken for all
// other tests until this process ends, as internal/testkit/porttest does.
const freePort = async () => {
  for (let tries = 100; ; tries--) {
    const port = 30_000 + Math.floor(2_700 * Math.random());
    const mark = createSocket("udp4").unref();
    const server = createServer();
    try {
      mark.bind({ port: port - 10_000, address: "127.0.0.1", exclusive: true });
      await once(mark, "listening");
      await once(server.listen(port, "127.0.0.1"), "listening");
      await new Promise((resolve) => server.close(resolve));
      return port;
    } catch (error) {
      if (tries === 0) throw error;
    }
  }
};

// The environment without what is only for the scenarios: stoa warns of settings that it does not have.
const { STOA_BINARY, STOA_SCENARIOS, STOA_PROOF, STOA_PROOF_PAGES, ...environment } = process.env;

const logged = { demo: "Stop with Ctrl-C.", empty: "msg=listening" };

// Whatever ends this process ends its stoas.
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

// startStoa starts a stoa, and waits until it is ready: with demo data, or an empty shop
// whose setup link is in its log. args and env change its settings; {url} in args stands
// for its own address; binary is another than STOA_BINARY. before is called with its data
// folder before the start. kill ends it as a power cut does, run starts it again.
//
// Its rate limits are off: scenarios load a page more often than people do.
export const startStoa = async (options = {}) => startAt(`http://127.0.0.1:${await freePort()}`, options);

const startAt = async (url, { demo = true, args = [], env = {}, binary = STOA_BINARY, before = () => {} }) => {
  const folder = mkdtempSync(join(tmpdir(), "stoa-scenario-"));
  const flags = [
    "serve", "--addr", url.slice("http://".length), "--ops-addr", "off", "--data", folder, "--rate-limits", "off",
    ...(demo ? ["--demo"] : []), ...args.map((a) => a.replaceAll("{url}", url).replaceAll("{port}", new URL(url).port)),
  ];
  let child, ended, log = "";
  const run = async () => {
    const started = spawn(binary, flags, { env: { ...environment, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    child = started;
    running.add(started);
    ended = new Promise((resolve) => started.once("exit", resolve)).then(() => running.delete(started));
    await ready(started, demo ? logged.demo : logged.empty, (bytes) => { log += bytes; });
  };
  const end = async (signal) => {
    child?.kill(signal);
    await ended;
  };
  const stop = async () => {
    await end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    before(folder);
    await run();
  } catch (error) {
    await stop();
    throw error;
  }
  const admin = demo
    ? { email: "admin@example.com", password: readFileSync(join(folder, "demo", "admin-password"), "utf8").trim() }
    : null;
  return { url, folder, admin, stop, run, kill: () => end("SIGKILL"), log: () => log };
};

// ready waits until a process has logged a text.
const ready = (child, text, keep) => new Promise((resolve, reject) => {
  let log = "";
  const late = setTimeout(() => reject(new Error(`stoa has not logged ${text}:\n${log}`)), 180_000);
  const read = (bytes) => {
    keep(bytes);
    log += bytes;
    if (!log.includes(text)) return;
    clearTimeout(late);
    resolve();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.once("close", (code) => { // when all that it has logged is read
    clearTimeout(late);
    reject(new Error(`stoa ended with ${code}:\n${log}`));
  });
});

// call sends a request to the API, and returns status and body. Bodies that are not
// buffers go as JSON. While stoa is too busy to hash a password, it tries again.
export const call = async (...request) => {
  for (;;) {
    const answer = await callOnce(...request);
    if (answer.body?.error !== "BUSY") return answer;
    await wait(1000);
  }
};

const callOnce = async (stoa, method, path, { token, body, type } = {}) => {
  const raw = body instanceof Uint8Array;
  const response = await fetch(stoa.url + path, {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { "Content-Type": type ?? "application/json" }),
    },
    body: body === undefined || raw ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json().catch(() => null), headers: response.headers };
};

// called calls a plugin until it answers, or for two minutes: on a busy machine its start takes longer than a call waits,
// or even longer than a start may take.
export const called = async (stoa, path, options) => {
  for (const end = Date.now() + 120_000; ;) {
    const answer = await call(stoa, "GET", path, options);
    if (answer.status < 500 || Date.now() > end) return answer;
    await wait(100);
  }
};

// adminToken signs the demo's administrator in and returns an access token.
export const adminToken = async (stoa) =>
  (await call(stoa, "POST", "/auth/login", { body: stoa.admin })).body.data.access_token;

// install installs an archive and returns what the API says of it.
export const install = async (stoa, token, body, kind = "plugin") => {
  const path = `/api/v1/admin/extensions/${kind}/install`;
  const answer = await call(stoa, "POST", path, { token, body, type: "application/zip" });
  assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.body));
  return answer.body.data;
};
