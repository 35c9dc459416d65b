'use strict'

// The limits of the card that the warehouse prints.
const LINE_WIDTH = 36
const MAX_LINES = 8
const MAX_CHARACTERS = 240

const occasions = {
  birthday: { name: 'Birthday', message: 'Happy birthday! May the year ahead be a good one.' },
  wedding: { name: 'Wedding', message: 'Congratulations to you both, and many happy years together.' },
  baby: { name: 'New baby', message: 'Welcome to the little one, and all the best to the family.' },
  thanks: { name: 'Thank you', message: 'Thank you. It meant a lot.' },
  housewarming: { name: 'Housewarming', message: 'May the new home be a happy one.' }
}

const noteRequest = {
  type: 'object',
  required: ['to', 'from'],
  properties: {
    occasion: { type: 'string', enum: Object.keys(occasions) },
    to: { type: 'string', minLength: 1, maxLength: 60 },
    from: { type: 'string', minLength: 1, maxLength: 60 },
    message: { type: 'string', maxLength: 2000 }
  }
}

module.exports = async function giftNotes (app) {
  app.get('/api/occasions', async () => ({
    occasions: Object.entries(occasions).map(([id, { name, message }]) => ({ id, name, message })),
    limits: { characters: MAX_CHARACTERS, lines: MAX_LINES }
  }))

  app.post('/api/notes', { schema: { body: noteRequest } }, async (request, reply) => {
    const { occasion, to, from } = request.body
    const message = tidy(request.body.message ?? occasions[occasion]?.message ?? '')
    if (message === '') {
      return reply.code(400).send({ error: 'NO_MESSAGE', message: 'Write a message, or choose an occasion.' })
    }
    const lines = [`Dear ${tidy(to)},`, ...wrap(message), `${tidy(from)}`]
    const characters = [...message].length
    return {
      fits: characters <= MAX_CHARACTERS && lines.length <= MAX_LINES,
      characters,
      remaining: MAX_CHARACTERS - characters,
      lines,
      html: `<div class="gift-note">${lines.map((line) => `<p>${escape(line)}</p>`).join('')}</div>`
    }
  })

  app.get('/health', async () => ({ status: 'ok', slug: 'gift-notes', version: '1.0.0' }))
}

// tidy turns typed text into one line without control characters or repeated
// spaces.
function tidy (text) {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
}

function wrap (text) {
  const lines = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function escape (text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => entities[character])
}
