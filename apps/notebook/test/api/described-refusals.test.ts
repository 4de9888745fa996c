import { afterAll, beforeAll, expect, it } from 'vitest';
import { Pressure } from '../../src/http/load/pressure.ts';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { takeDown } from '../../src/operations/take-down.ts';
import { aPicture } from '../images/pictures.ts';
import { type AskOptions, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

type Method = Parameters<NotebookApp['ask']>[0];
interface Operation {
  readonly method: Method;
  readonly pattern: string;
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

const pressure = new Pressure();
let app: NotebookApp;
let operations: Operation[];
beforeAll(async () => {
  app = await startNotebookApp({ overrides: { pressure, objects: createMemoryStore({ publicUrl: 'http://images.example' }) } });
  const { paths } = (await app.ask('GET', '/api/openapi.json')).json();
  operations = Object.entries<Record<string, Pick<Operation, 'responses'>>>(paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ method: method.toUpperCase() as Method, pattern, responses })),
  );
});
afterAll(() => app.close());

const bodies: Readonly<Record<string, AskOptions>> = {
  'POST /api/notebooks/{slug}/images': { body: await aPicture('png'), headers: { 'content-type': 'image/png' } },
  'POST /api/notebooks/{slug}/comments': { body: { body: 'Hello' } },
  'POST /api/notebooks/{slug}/reports': { body: { reason: 'spam' } },
  'POST /api/notebooks/{slug}/unlock': { body: { password: 'x' } },
  'POST /api/notebooks/{slug}/pages': { body: { markdown: 'x' } },
  'PATCH /api/notebooks/{slug}/pages/{pageId}': { body: { markdown: 'x' } },
  'PATCH /api/notebooks/{slug}': { body: { title: 'x' } },
  'POST /api/notebooks': { body: {} },
  'POST /api/quick': { body: { markdown: 'x' } },
};

/** Asks, and gives the code of the refusal, `undescribed` where the document lacks it. */
async function refusalOf({ method, pattern, responses }: Operation, slug: string, options: AskOptions = {}) {
  const address = pattern.replace('{slug}', slug).replaceAll(/\{\w+\}/g, 'x'.repeat(12));
  const answer = await app.ask(method, address, { ...bodies[`${method} ${pattern}`], ...options });
  if (answer.statusCode < 400) return 'not refused';
  const { code } = answer.json();
  const described = responses[answer.statusCode]?.description?.split(', ') ?? [];
  return described.includes(code) ? code : `${method} ${pattern}: ${answer.statusCode} ${code} undescribed`;
}

const ofNotebooks = () => operations.filter(({ pattern }) => pattern.startsWith('/api/notebooks/{slug}'));

it('every call about a notebook may answer that it was taken down', async () => {
  const { slug, editToken } = await app.create({});
  await takeDown(app.parts, slug, false);
  for (const operation of ofNotebooks())
    expect([operation.pattern, await refusalOf(operation, slug, { token: editToken })]).toEqual([
      operation.pattern,
      'taken_down',
    ]);
});

it('what a visitor of a locked notebook may write asks for the password', async () => {
  const { slug } = await app.create({ password: 'secret', openEditing: true });
  const answers = await Promise.all(ofNotebooks().map(operation => refusalOf(operation, slug)));
  expect(answers.filter(answer => answer.endsWith('undescribed'))).toEqual([]);
  expect(answers.filter(answer => answer === 'password_required').length).toBeGreaterThan(5);
});

it('a token of another notebook is refused as described', async () => {
  const { slug } = await app.create({});
  const { editToken: token } = await app.create({});
  const answers = await Promise.all(ofNotebooks().map(operation => refusalOf(operation, slug, { token })));
  expect(answers.filter(answer => answer.endsWith('undescribed'))).toEqual([]);
  expect(answers.filter(answer => answer === 'edit_token_invalid').length).toBeGreaterThan(10);
});

it('a body of another type is refused as described', async () => {
  const { slug, editToken: token } = await app.create({});
  const options = { token, body: '<x/>', headers: { 'content-type': 'text/xml' } };
  const answers = await Promise.all(
    operations.filter(({ method, pattern }) => bodies[`${method} ${pattern}`]).map(one => refusalOf(one, slug, options)),
  );
  expect(answers.filter(answer => answer.endsWith('undescribed'))).toEqual([]);
  expect(answers.filter(answer => answer === 'unsupported_media_type').length).toBeGreaterThan(6);
});

it('every call may answer 503', async () => {
  pressure.level = 'severe';
  try {
    for (const operation of operations)
      expect([operation.pattern, await refusalOf(operation, 'some-notebook')]).toEqual([operation.pattern, 'unavailable']);
  } finally {
    pressure.level = 'none';
  }
});
