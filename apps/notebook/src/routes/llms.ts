import type { FastifyInstance } from 'fastify';
import introduction from '../../content/llms.txt?raw';
import { limits } from '../limits.ts';
import { type LeftOut, type ListedNotebook, readListed, walkListed } from '../operations/list-notebooks.ts';
import { urls } from '../urls.ts';
import { clientOf, type RouteContext } from './context.ts';
import { sendTextStream } from './text-stream.ts';

/** Escapes a title, so that it is plain text in a line of markdown. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const whyLeftOut = (leftOut: LeftOut | undefined) =>
  `${leftOut === 'changing' ? 'Being changed right now' : 'Too long for this file'}; its text is at the address above.\n`;

/** For programs that read: describes the service and lists the public notebooks, as text (llmstxt.org). */
export function llmsRoutes(app: FastifyInstance, { parts, site }: RouteContext): void {
  const about = introduction.replaceAll('{publicUrl}', site.publicUrl).trimEnd();
  const markdownUrl = (slug: string) => site.publicUrl + urls.markdown(slug);

  async function* newest(): AsyncGenerator<ListedNotebook> {
    let count = 0;
    for await (const listed of walkListed(parts, 'newest')) {
      if (++count > limits.maxLlmsNotebooks) return;
      yield listed;
    }
  }

  async function* list(): AsyncGenerator<string> {
    yield `${about}\n\n## Public notebooks\n\n`;
    let none = true;
    for await (const { notebook, pages } of newest()) {
      none = false;
      const size = pages.length === 1 ? '1 page' : `${pages.length} pages`;
      yield `- [${escapeMarkdown(notebook.title)}](${markdownUrl(notebook.slug)}): ${size}, changed ${dayOf(notebook.updatedAt)}\n`;
    }
    if (none) yield 'There are none at the moment.\n';
  }

  async function* full(): AsyncGenerator<string> {
    yield `${about}\n`;
    let left: number = limits.maxLlmsFullBytes;
    for await (const listed of newest()) {
      const read = await readListed(parts, listed, left);
      if (!read) continue;
      const { notebook, leftOut, markdown = whyLeftOut(leftOut) } = read;
      const head = `# ${escapeMarkdown(notebook.title)}\n\nFrom ${markdownUrl(notebook.slug)}, changed ${dayOf(notebook.updatedAt)}.`;
      const text = `\n---\n\n${head}\n\n${markdown}`;
      left -= Buffer.byteLength(text);
      yield text;
      if (left <= 0) return;
    }
  }

  const hidden = { schema: { hide: true } };
  app.get(urls.llms(), hidden, async (request, reply) => sendTextStream(reply, clientOf(request), 'text/plain', list()));
  app.get(urls.llmsFull(), hidden, async (request, reply) => sendTextStream(reply, clientOf(request), 'text/plain', full()));
}
