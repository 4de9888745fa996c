import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { urls } from '../../urls.ts';
import { isHashedAsset } from './assets.ts';

interface FileError extends FastifyError {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Compressed files lie beside the originals and are served to clients that accept them; dot files are the build's own. */
const isServed = (name: string) => /^[\w-][\w.-]*$/.test(name) && !/\.(?:br|gz)$/.test(name);

const namesIn = (folder: string) => readdirSync(folder, { withFileTypes: true }).filter(({ name }) => isServed(name));

/** A client that leaves in the middle of a file is not our error. Programs ask with conditions and ranges, and need no page. */
function answerFileError(error: FileError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') request.raw.destroy();
  else if (error.statusCode === 412 || error.statusCode === 416)
    // RFC 9110 §15.5.17: 416 says in `Content-Range` how long the file is.
    void reply
      .code(error.statusCode)
      .headers({ ...error.headers, 'cache-control': 'no-store' })
      .send();
  else request.server.errorHandler(error, request, reply);
}

/** @param fileOf the file, and the folder that it is in */
function addRoute(
  server: FastifyInstance,
  url: string,
  fileOf: (name: string | undefined) => readonly [file: string, folder: string] | undefined,
): void {
  server.route<{ Params: { file?: string } }>({
    method: ['HEAD', 'GET'],
    url,
    schema: { hide: true },
    errorHandler: answerFileError,
    handler: (request, reply) => {
      const file = fileOf(request.params.file);
      return file === undefined ? reply.callNotFound() : reply.sendFile(...file);
    },
  });
}

/**
 * Serves the built scripts, styles and fonts, and claims no other address: one route for each file at the root and for each folder. A route
 * for each of 200 files took a sixth of the startup time.
 *
 * After a build in the folder of a running service, workers of both versions answer for a while, and windows are open that the older one
 * made. So files that came after the start are served too, and those of the build before (tools/build.ts) under their hashed names.
 */
export async function addBuiltFiles(server: FastifyInstance, clientFolder: string): Promise<void> {
  const former = join(clientFolder, '..', 'former', '/');
  const findFile = (file: string) => {
    const isGone = isHashedAsset(`/${file}`) && !existsSync(join(clientFolder, file));
    return [file, isGone ? former : clientFolder] as const;
  };
  await server.register(serveStatic, {
    root: clientFolder,
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const url = path
        .replaceAll('\\', '/')
        .slice((path.startsWith(former) ? former : clientFolder).length - 1)
        .replace(/\.(br|gz)$/, '');
      // A sandboxed frame has an origin of its own and requests them cross-origin: the one that draws diagrams, and `/n/{slug}/embed` on
      // sites that sandbox what they embed. They are the same for everybody.
      if (isHashedAsset(url))
        reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
      // Chats show the picture of a shared link on their own pages.
      if (url === urls.card()) reply.header('cross-origin-resource-policy', 'cross-origin');
      reply.header('cache-control', isHashedAsset(url) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
    },
  });
  for (const entry of namesIn(clientFolder)) {
    if (entry.isFile()) addRoute(server, `/${entry.name}`, () => [entry.name, clientFolder]);
    else addRoute(server, `/${entry.name}/:file`, name => (isServed(name!) ? findFile(`${entry.name}/${name}`) : undefined));
  }
}
