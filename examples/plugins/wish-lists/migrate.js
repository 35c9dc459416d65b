'use strict'

// wishesOf returns stored wishes in the form of version 2.0.0. It reads that of 1.0.0, too: calls arrive
// before the migration is through, and after a rollback and another upgrade.
function wishesOf (stored) {
  return Array.isArray(stored) ? Object.fromEntries(stored.map((slug) => [slug, { since: null }])) : stored
}

// migrate writes what 1.0.0 has stored in the form of 2.0.0. A hook has ten seconds, may be killed at any
// line, and is then called again under the same id: so each value is converted once at most (update writes
// only what nobody changed in between), and the next attempt goes on with the page that this one was at.
async function migrate (storage, hookId) {
  const noted = await storage.getJSON('migration')
  let { cursor, done } = noted?.hookId === hookId ? noted : {}
  while (!done) {
    const page = await storage.list({ prefix: 'wishes/', cursor, limit: 20 })
    for (const { key } of page.items) {
      await storage.update(key, (stored) => Array.isArray(stored) ? wishesOf(stored) : undefined)
    }
    cursor = page.nextCursor
    done = cursor === undefined
    await storage.putJSON('migration', { hookId, cursor, done })
  }
}

module.exports = { migrate, wishesOf }
