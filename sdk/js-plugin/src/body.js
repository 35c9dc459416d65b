// Reads the body of a request and leaves it in place for whoever reads it next.

const kept = new WeakMap();

// keepRawBody is documented in index.d.ts.
export function keepRawBody(req, res, body) {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') kept.set(req, body);
}

// readBody returns the body, but at most limit bytes and some more of a larger one.
export async function readBody(req, limit) {
  const raw = kept.get(req) ?? req.rawBody;
  if (Buffer.isBuffer(raw)) return raw;
  if (req.readableDidRead || req.readableEnded) {
    if (!hasBody(req)) return Buffer.alloc(0);
    throw new Error('The body was parsed before the signature could be checked. Put stoa-plugin before ' +
      'express.json(), or use express.json({ verify: keepRawBody }), which cannot keep compressed bodies.');
  }
  const body = await start(req, limit);
  kept.set(req, body);
  return body;
}

function hasBody(req) {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

// start reads until the body ends or exceeds limit, and puts what it has read back. It
// must do so before the stream emits 'end', which is after the callback in which the
// last chunk was read.
function start(req, limit) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    const finish = (settle, value) => {
      req.off('readable', read).off('end', end).off('error', fail).off('close', gone);
      settle(value);
    };
    const end = () => finish(resolve, Buffer.concat(chunks));
    const fail = (err) => finish(reject, err);
    const gone = () => fail(new Error('The client went away.'));
    const read = () => {
      while (size <= limit && req.readableLength > 0) {
        const chunk = req.read();
        if (chunk === null) break;
        chunks.push(chunk);
        size += chunk.length;
      }
      if (size <= limit && !ended(req)) return false;
      const body = Buffer.concat(chunks);
      if (size > 0) req.unshift(body);
      finish(resolve, body);
      return true;
    };
    if (!read()) req.on('readable', read).on('end', end).on('error', fail).on('close', gone);
  });
}

// ended reports whether the whole body has arrived. Requests of test tools such as
// Fastify's inject have no complete.
function ended(req) {
  return req.complete === true || req._readableState?.ended === true;
}
