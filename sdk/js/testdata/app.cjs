const assert = require('node:assert/strict');
const check = require('./check.cjs');

assert.equal(require('stoa-license/package.json').name, 'stoa-license');
assert.throws(() => require('stoa-license/cjs/client.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
check(require('stoa-license'), require('stoa-license/node'));
