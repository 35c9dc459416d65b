import assert from 'node:assert/strict';
import * as license from 'stoa-license';
import * as node from 'stoa-license/node';
import check from './check.cjs';

await assert.rejects(import('stoa-license/src/client.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
await check(license, node);
