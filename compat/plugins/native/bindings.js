// As bcrypt and better-sqlite3 load their compiled part.
import bindings from 'bindings'
export default async function () { bindings('better_sqlite3.node') }
