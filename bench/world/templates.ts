import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../view/servers.ts';
import type { TemplateShape } from './shape.ts';
import type { Target } from './target.ts';

interface Created {
  readonly notebook: { readonly slug: string; readonly pages: readonly { readonly id: string }[] };
  readonly editToken: string;
}

/** Written through the built program's API, so that every row is as the program writes it: renderings, finished pages, search. */
export async function writeTemplates(program: Running, target: Target, shapes: readonly TemplateShape[]): Promise<void> {
  for (const [number, shape] of shapes.entries()) {
    const created = await create(program.url, shape, number);
    await writeAgain(program.url, created, shape);
    if (shape.visibility === 'private' || shape.proof !== 'none') continue;
    for (const { id } of created.notebook.pages)
      await expectStatus(await fetch(`${program.url}/n/${created.notebook.slug}/p/${id}`), 200);
    await expectStatus(await fetch(`${program.url}/n/${created.notebook.slug}`), 200);
  }
  // Waits for what is created after the answer: finished pages, the text index.
  for (let tries = 0; tries < 300; tries++) {
    const [left] = await target.rows(unfinished);
    if (Number(left!.pages) === 0 && Number(left!.queued) === 0) return;
    await sleep(200);
  }
  throw new Error('the templates are not finished after a minute');
}

const unfinished = `SELECT (SELECT count(*) FROM search_queue) AS queued,
  (SELECT count(*) FROM notebooks WHERE visibility <> 'private' AND password_hash IS NULL AND burn_after_read = false
    AND (SELECT count(*) FROM pages WHERE notebook_id = notebooks.id)
      <> (SELECT count(*) FROM pages JOIN finished_pages ON finished_pages.page = pages.PAGE_KEY
          WHERE notebook_id = notebooks.id AND finished_pages.version = notebooks.version)) AS pages`;

async function create(url: string, { visibility, proof, texts }: TemplateShape, number: number): Promise<Created> {
  const answer = await send(`${url}/api/notebooks`, 'POST', {
    title: `Template ${number}`,
    slug: `template-${number}`,
    visibility,
    comments: true,
    ...(proof === 'password' ? { password: 'long enough for a bench' } : {}),
    ...(proof === 'once' ? { burnAfterRead: true } : {}),
    pages: texts.map(markdown => ({ markdown })),
  });
  await expectStatus(answer, 201);
  return (await answer.json()) as Created;
}

async function writeAgain(url: string, { notebook: { slug, pages }, editToken }: Created, shape: TemplateShape): Promise<void> {
  const path = `${url}/api/notebooks/${slug}`;
  for (let version = 1; version <= shape.earlierVersions; version++) {
    const markdown = version === shape.earlierVersions ? shape.texts[0]! : `${shape.texts[0]}\nversion ${version}`;
    const headers = { 'x-edit-token': editToken };
    const saved = await send(`${path}/pages/${pages[0]!.id}`, 'PATCH', { markdown: `${markdown} ` }, headers);
    await expectStatus(saved, 200);
  }
  if (shape.proof !== 'none' || shape.visibility === 'private') return;
  for (let comment = 0; comment < shape.comments; comment++)
    await expectStatus(await send(`${path}/comments`, 'POST', { author: 'A reader', body: `Remark ${comment}.` }), 201);
}

function send(url: string, method: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
}

async function expectStatus(answer: Response, status: number): Promise<void> {
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
  if (status === 200) await answer.arrayBuffer();
}
