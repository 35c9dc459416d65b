import bindings from 'bindings'
bindings({ bindings: 'better_sqlite3', module_root: __dirname })
export default async function () {}
