// A real PostgreSQL (compiled to WebAssembly) on a loopback port: node database.mjs PORT
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
const db = await PGlite.create();
await db.exec(`create table stock(item text, pieces int); insert into stock values ('lamp', 12), ('chair', 3)`);
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: Number(process.argv[2]) });
await server.start();
console.log('ready');
