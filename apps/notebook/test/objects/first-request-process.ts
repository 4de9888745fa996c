import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createS3Store } from '../../src/objects/s3.ts';

// Prints which of Node's own modules were loaded before and after the first request to a bucket.
const loaded = () => [...(process as unknown as { moduleLoadList: string[] }).moduleLoadList];
const server = createServer((request, response) => request.resume().on('end', () => response.end()));
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const account = { accessKeyId: 'id', secretAccessKey: 'secret', bucket: 'bucket', region: 'auto', pathStyle: true };
const store = createS3Store({ endpoint, publicUrl: endpoint, ...account });
await store.prepare?.();
const before = loaded();
await store.put('a/b.webp', Buffer.from('bytes'), { contentType: 'image/webp', cacheControl: 'no-cache' });
process.stdout.write(JSON.stringify({ before, after: loaded() }), () => process.exit());
