import { deliveryOf, readCalendar, readDay } from './dates.js'

const CLOSED = 'closed/' // keys of the days on which the warehouse is closed at short notice

const query = {
  type: 'object',
  properties: { at: { type: 'string', format: 'date-time' } }
}

// The options are the instance's configuration. If this throws, a badly configured instance does not start, and the
// administrator finds the message in the log.
export default async function deliveryDates (app, { stoa, ...options }) {
  const calendar = readCalendar(options)
  const { storage } = stoa.platform()

  app.get('/api/delivery', { schema: { querystring: query } }, async (request) => {
    const placed = request.query.at === undefined ? Date.now() : Date.parse(request.query.at)
    const closed = (await closedDays()).map(readDay)
    return deliveryOf({ ...calendar, closed: new Set([...calendar.closed, ...closed]) }, placed)
  })

  app.get('/admin/closed', async () => ({ closed: await closedDays() }))

  app.put('/admin/closed/:day', async (request, reply) => {
    const { day } = request.params
    if (readDay(day) === undefined) {
      return reply.code(400).send({ error: 'NO_DATE', message: 'Name a date such as 2030-12-25.' })
    }
    await storage.put(CLOSED + day, '')
    return { closed: await closedDays() }
  })

  async function closedDays () {
    const days = []
    for await (const { key } of storage.keys(CLOSED)) days.push(key.slice(CLOSED.length))
    return days
  }
}
