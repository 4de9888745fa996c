import { buildIfStale } from './build.ts';

// `npm start`: builds what is not built or older than its sources, then becomes the service.
if (await buildIfStale()) process.stdout.write('Built.\n');
await import(new URL('../apps/notebook/dist/server/main.js', import.meta.url).href);
