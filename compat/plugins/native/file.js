// As a package with a path of its own.
import { createRequire } from 'node:module'
createRequire(__filename)('./build/Release/canvas.node')
export default async function () {}
