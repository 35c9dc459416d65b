'use strict'

const { randomUUID } = require('node:crypto')

// How many past periods are looked at: what was left undone while no stoa ran is done then.
const LOOK_BACK = 24
// How long one period may take. A worker that was killed holds up the others for that long.
const LEASE_SECONDS = 60

module.exports = async function orderReports (app, { stoa, seconds = 3600 }) {
  const platform = stoa.platform()
  const worker = randomUUID()

  app.get('/admin/reports', async () => {
    const reports = []
    for await (const { key } of platform.storage.keys('report/')) reports.push(await platform.storage.getJSON(key))
    return { reports }
  })

  // Of all processes of stoa one keeps this plugin running, with the package setting keepRunning.
  if (process.env.STOA_KEPT) {
    const timer = setInterval(() => work().catch((err) => app.log.error(err)), Math.min(seconds * 250, 60_000))
    app.addHook('onClose', async () => clearInterval(timer))
  }

  let working = false
  async function work () {
    if (working) return // the last turn takes longer than the interval
    working = true
    try {
      const now = Math.floor(Date.now() / 1000 / seconds)
      for (let period = now - LOOK_BACK; period < now; period++) await report(period)
    } finally {
      working = false
    }
  }

  // report writes the report of a finished period, once.
  async function report (period) {
    const name = `report/${String(period).padStart(12, '0')}`
    if (await platform.storage.get(name) !== null) return
    if (!await lease(period)) return // somebody else does it
    const [from, to] = [period, period + 1].map((n) => new Date(n * seconds * 1000).toISOString())
    try {
      await platform.storage.putJSON(name, { period, from, to, worker, ...await sumOf(from, to) }, { ifAbsent: true })
    } catch (err) {
      if (err.code !== 'PRECONDITION_FAILED') throw err // the lease ran out, and another was faster
    }
  }

  // lease claims a period. STOA_KEPT alone is almost enough: a machine that was halted may wake up while
  // another keeps the plugin. Of all who put the same key where none is, one succeeds.
  async function lease (period) {
    try {
      await platform.storage.put(`lease/${period}`, worker, { ifAbsent: true, ttl: LEASE_SECONDS })
      return true
    } catch (err) {
      if (err.code === 'PRECONDITION_FAILED') return false
      throw err
    }
  }

  async function sumOf (from, to) {
    const sums = {}
    let orders = 0
    for (let page = 1; ; page++) {
      const { items, pagination } = await platform.orders.list({ status: 'paid', page, limit: 100 })
      for (const order of items) {
        if (order.createdAt < from || order.createdAt >= to) continue
        orders++
        sums[order.currency] = (sums[order.currency] ?? 0) + order.amount
      }
      const last = items.at(-1) // the newest come first
      if (last === undefined || last.createdAt < from || page * 100 >= pagination.total) return { orders, sums }
    }
  }
}
