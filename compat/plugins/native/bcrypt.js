import bcrypt from 'bcrypt'
export default async function (app) { app.get('/api/hash', () => bcrypt.hash('x', 4)) }
