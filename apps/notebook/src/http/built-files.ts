import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { urls } from '../urls.ts';
import { isHashedAsset } from './assets.ts';

/** What is compressed lies beside its file and is found by those who take it so; what begins with a dot is the build's own. */
const isServed = (name: string) => !name.startsWith('.') && !/\.(?:br|gz)$/.test(name);

const namesIn = (folder: string) => readdirSync(folder, { withFileTypes: true }).filter(({ name }) => isServed(name));

/** Who leaves in the middle of a file is no failure of ours. */
function forgetLeaver(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') request.raw.destroy();
  else request.server.errorHandler(error, request, reply);
}

function addRoute(server: FastifyInstance, url: string, fileOf: (name: string | undefined) => string | undefined): void {
  server.route<{ Params: { file?: string } }>({
    method: ['HEAD', 'GET'],
    url,
    schema: { hide: true },
    errorHandler: forgetLeaver,
    handler: (request, reply) => {
      const file = fileOf(request.params.file);
      return file === undefined ? reply.callNotFound() : reply.sendFile(file);
    },
  });
}

/**
 * The built scripts, styles and fonts, and nothing else of the address space: a route for each file at the root and for each folder, which
 * knows the names in it. They are read once; a route for each of 200 files was a sixth of the start.
 */
export async function addBuiltFiles(server: FastifyInstance, clientFolder: string): Promise<void> {
  await server.register(serveStatic, {
    root: clientFolder,
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // The frame that draws diagrams has an origin of its own, and modules are asked for across origins. They are the same for all.
      if (/\.js(?:\.(?:br|gz))?$/.test(path)) reply.header('access-control-allow-origin', '*');
      const url = path
        .replaceAll('\\', '/')
        .slice(clientFolder.length - 1)
        .replace(/\.(br|gz)$/, '');
      // Chats show the picture of a shared link on pages of their own.
      if (url === urls.card()) reply.header('cross-origin-resource-policy', 'cross-origin');
      reply.header('cache-control', isHashedAsset(url) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
    },
  });
  for (const entry of namesIn(clientFolder)) {
    if (entry.isFile()) addRoute(server, `/${entry.name}`, () => entry.name);
    else {
      const names = new Set(namesIn(join(clientFolder, entry.name)).map(({ name }) => name));
      addRoute(server, `/${entry.name}/:file`, name => (names.has(name!) ? `${entry.name}/${name}` : undefined));
    }
  }
}
