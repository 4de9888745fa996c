import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

// What the machine and Node cost by themselves: a program that reads every body to its end, keeps nothing, checks nothing and
// answers everything with a few bytes, under the same attacks. It speaks as much of the API as the attackers need to go on.
// With BARE_DATABASE_URL it reads one row of PostgreSQL by its key for each view, as a service must that shows nothing outdated while
// other processes write.
const page = `<!doctype html><title>Kept</title>${'<p>words</p>'.repeat(1_600)}`;
const made = JSON.stringify({
  notebook: { slug: 'bare', pages: Array.from({ length: 200 }, (_, index) => ({ id: `page${index}`, revision: 1 })) },
  editToken: 'bare',
  items: [],
});

const databaseUrl = process.env.BARE_DATABASE_URL;
const pool = databaseUrl === undefined ? undefined : new Pool({ connectionString: databaseUrl, max: 10 });
if (pool) {
  await pool.query('CREATE TABLE bare (slug text PRIMARY KEY, title text, version bigint)');
  await pool.query("INSERT INTO bare VALUES ('bare', 'Kept', 1)");
}
const readRow = { name: 'row', text: 'SELECT * FROM bare WHERE slug = $1', values: ['bare'] };

const server = http.createServer((request, response) => {
  const { method = 'GET', url = '/' } = request;
  const show = async () => {
    await pool?.query(readRow);
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  };
  const answer = () => {
    if (url === '/api/quick') response.writeHead(201, { location: '/n/bare' }).end();
    else if (method === 'GET' && url.startsWith('/n/')) show();
    else
      response
        .writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
        .end(url === '/healthz' ? '{}' : made);
  };
  request.resume();
  request.on('end', answer);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  console.log(`(listening on http://127.0.0.1:${(server.address() as AddressInfo).port})`);
});
process.on('SIGTERM', () => process.exit());
