import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchTurns } from './longest-turn.ts';

// The built service in a thread that looks at its own turns. Another port of the same thread tells the longest.
const turns = watchTurns();
const probe = http.createServer((_, response) => response.end(String(turns.take())));
await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve));
process.stdout.write(`probe at http://127.0.0.1:${(probe.address() as AddressInfo).port}\n`);
await import(new URL('../../dist/server/service.js', import.meta.url).href);
