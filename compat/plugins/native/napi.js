// As napi-rs looks for the package of a platform.
import { createRequire } from 'node:module'
try {
  createRequire(__filename)('@node-rs/argon2-linux-x64-gnu')
} catch (err) {
  throw new Error('Cannot find native binding.', { cause: err })
}
export default async function () {}
