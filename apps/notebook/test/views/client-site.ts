import { createReadStream, existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { frameHeadersFor, htmlHeadersFor } from '../../src/http/answers/security-headers.ts';
import { readAssetUrls } from '../../src/http/files/assets.ts';
import { urls } from '../../src/urls.ts';
import { renderDiagramFrame } from '../../src/views/diagram-frame.ts';
import type { HtmlDocument, Site } from '../../src/views/props.ts';

const notebook = fileURLToPath(new URL('../../', import.meta.url));
const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

export interface ClientSite {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * The views with the client as `tools/build.ts` built it and the security headers as they are sent, without a store behind them.
 * @param entries further modules for tests; each is served under `/test/{name}.js`
 */
export async function startClientSite(
  draw: (site: Site) => Record<string, HtmlDocument>,
  entries: Record<string, string> = {},
): Promise<ClientSite> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-client-'));
  for (const [name, source] of Object.entries(entries)) await buildEntry(folder, name, join(notebook, source));
  const built = join(notebook, 'dist/client');
  const client = { publicUrl: 'https://notes.example', assets: readAssetUrls(built) };
  const pages = draw(client);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const page = pages[path];
    const file = [folder, built].map(place => join(place, path)).find(found => existsSync(found) && statSync(found).isFile());
    if (page !== undefined) response.writeHead(200, htmlHeadersFor(undefined)(page)).end(page.html);
    else if (path === urls.diagram()) response.writeHead(200, frameHeadersFor('test')).end(renderDiagramFrame(client, 'test'));
    else if (file !== undefined) {
      // Kept as the service has it kept: a page that is opened again loads only its document.
      const kept = path.startsWith('/assets/') ? { 'cache-control': 'public, max-age=31536000, immutable' } : {};
      const headers = { 'content-type': types[extname(file)] ?? 'text/plain', 'access-control-allow-origin': '*', ...kept };
      response.writeHead(200, headers);
      createReadStream(file).pipe(response);
    } else response.writeHead(404).end();
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

async function buildEntry(folder: string, name: string, entry: string): Promise<void> {
  await build({
    root: notebook,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: { outDir: join(folder, 'test'), emptyOutDir: false, lib: { entry, formats: ['es'], fileName: () => `${name}.js` } },
  });
}

const listen = (server: Server) => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
