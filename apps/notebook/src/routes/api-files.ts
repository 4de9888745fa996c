import type { FastifyInstance } from 'fastify';
import * as calls from '../api/calls.ts';
import * as schemas from '../api/schemas.ts';
import { jsonPieces, sendJson } from '../http/answers/long-json.ts';
import type { PageFile } from '../model/notebook.ts';
import { listPageFiles } from '../operations/list-page-files.ts';
import { clientOf, type RouteContext, readCredentials, type SlugPath } from './context.ts';
import { sendLargeText } from './large-reads.ts';
import { on } from './on.ts';

/** A shorter list is one answer. A longer one is sent as it is read, like a large notebook. */
const shortChars = 131_072;

/** The data that an export needs to restore the files that pages were imported from. */
export function fileRoutes(app: FastifyInstance, { parts }: RouteContext): void {
  on<SlugPath>(
    app,
    calls.listPageFiles,
    [':slug'],
    {
      schema: {
        summary: 'The files that pages were imported from',
        tags: ['pages'],
        params: schemas.SlugParams,
        headers: schemas.TokenHeader,
        response: schemas.answers(200, schemas.FilesAnswer, ...schemas.sharedProblems.owning),
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const files = listPageFiles(parts, request.params.slug, readCredentials(request));
      const first: PageFile[] = [];
      for (let chars = 0; chars < shortChars; ) {
        const { value: file, done } = await files.next();
        if (done) return sendJson(reply, { items: first });
        first.push(file);
        chars += file.path.length + file.patch.length;
      }
      return sendLargeText(
        reply.header('content-type', 'application/json; charset=utf-8'),
        clientOf(request),
        writeFiles(first, files),
      );
    },
  );
}

async function* writeFiles(first: readonly PageFile[], others: AsyncIterable<PageFile>): AsyncGenerator<string> {
  let before = '{"items":[';
  const begin = () => {
    const text = before;
    before = ',';
    return text;
  };
  for (const file of first) yield* jsonOf(begin(), file);
  for await (const file of others) yield* jsonOf(begin(), file);
  yield ']}';
}

function* jsonOf(before: string, file: PageFile): Generator<string> {
  yield before;
  yield* jsonPieces(file);
}
