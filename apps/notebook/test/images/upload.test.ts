import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rateLimits } from '../../src/limits.ts';
import { createMemoryStore, type MemoryStore } from '../../src/objects/memory.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { aPicture, imageFormats } from './pictures.ts';
import { type Answer, addRecords, idOf, tally, upload } from './upload.ts';

const extensions = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp', avif: 'avif' };
const publicUrl = 'http://images.example/bucket';

describe.each(engines)('uploads on $name', engine => {
  let app: NotebookApp;
  let objects: MemoryStore;
  beforeAll(async () => {
    objects = createMemoryStore({ publicUrl });
    app = await startNotebookApp({ engine, overrides: { objects } });
  });
  afterAll(() => app.close());

  const objectOf = (answer: Answer) => objects.find(answer.json().url.slice(publicUrl.length + 1));

  it.each(imageFormats)('%s: stored under the notebook, told by its bytes, and listed', async format => {
    const made = await app.create();
    // What it is called is ignored.
    const answer = await upload(app, made, await aPicture(format), { headers: { 'content-type': 'text/html' } });
    expect(answer.statusCode).toBe(201);
    const { id, url, ...rest } = answer.json();
    const key = `${await idOf(app, made)}/${id}.${extensions[format]}`;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(url).toBe(`${publicUrl}/${key}`);
    const object = objects.find(key)!;
    const size = { bytes: object.bytes.length, width: 48, height: 32 };
    expect(rest).toEqual({ markdown: `![image](${url})`, ...size });
    expect(object.headers).toEqual({
      contentType: `image/${format}`,
      cacheControl: 'public, max-age=31536000, immutable',
    });
    expect(await sharp(object.bytes).metadata()).toMatchObject({ width: 48, height: 32 });
    const list = await app.ask('GET', `/api/notebooks/${made.slug}/images`, { token: made.editToken });
    const createdAt = new Date(app.clock.now).toISOString();
    expect(list.json()).toEqual({ items: [{ id, url, ...rest, createdAt }] });
  });

  it('lets 5 of 80 at once into a notebook that has 45', async () => {
    const made = await app.create();
    await addRecords(app.parts.store, made.slug, made.editToken, 45);
    const body = await aPicture('png');
    const answers = await Promise.all(Array.from({ length: 80 }, () => upload(app, made, body)));
    expect(tally(answers)).toEqual({ 201: 5, '409 image_limit': 75 });
    expect(await app.parts.store.listImages(await idOf(app, made))).toHaveLength(50);
    const stored = (await objects.list()).objects.filter(({ key }) => answers.some(({ body: told }) => told.includes(key)));
    expect(stored).toHaveLength(5);
  });

  it('deletes one: the record, the object, and its place', async () => {
    const made = await app.create();
    await addRecords(app.parts.store, made.slug, made.editToken, 49);
    const answer = await upload(app, made, await aPicture('gif'));
    const { id } = answer.json();
    expect((await upload(app, made, await aPicture('gif'))).json().code).toBe('image_limit');
    const path = `/api/notebooks/${made.slug}/images/${id}`;
    expect((await app.ask('DELETE', path, { token: made.editToken })).statusCode).toBe(204);
    expect(objectOf(answer)).toBeUndefined();
    expect((await app.ask('DELETE', path, { token: made.editToken })).json().code).toBe('not_found');
    expect((await upload(app, made, await aPicture('gif'))).statusCode).toBe(201);
  });
});

// What no database decides.
describe('a file', () => {
  let app: NotebookApp;
  let objects: MemoryStore;
  beforeAll(async () => {
    objects = createMemoryStore({ publicUrl });
    app = await startNotebookApp({ overrides: { objects } });
  });
  afterAll(() => app.close());

  it('takes any Content-Type, a malformed one, or none', async () => {
    const made = await app.create();
    const body = await aPicture('webp');
    for (const type of ['image/png', 'application/json', 'multipart/form-data; boundary=x', ';;', 'image/*', '']) {
      expect([type, (await upload(app, made, body, { headers: { 'content-type': type } })).statusCode]).toEqual([type, 201]);
    }
    const bare = await app.server.inject({
      method: 'POST',
      url: `/api/notebooks/${made.slug}/images`,
      payload: body,
      headers: { 'x-edit-token': made.editToken, 'content-length': String(body.length) },
    });
    expect(bare.statusCode).toBe(201);
  });

  it('needs a length, and accepts no byte over 5 MB', async () => {
    const made = await app.create();
    const answers = [
      await app.ask('POST', `/api/notebooks/${made.slug}/images`, { token: made.editToken }),
      await upload(app, made, Buffer.alloc(5_242_881)),
      await upload(app, made, Buffer.alloc(5_242_880)),
    ];
    expect(answers.map(answer => [answer.statusCode, answer.json().code])).toEqual([
      [411, 'length_required'],
      [413, 'too_large'],
      [415, 'image_rejected'],
    ]);
    expect(answers[1]!.json().detail).toBe('The body may have at most 5242880 bytes.');
  });

  it.each(imageFormats)('takes a %s that is filled up with zeros to the last byte of 5 MB', async format => {
    const made = await app.create();
    const picture = await aPicture(format);
    const filled = Buffer.concat([picture, Buffer.alloc(5_242_880 - picture.length)]);
    const answer = await upload(app, made, filled);
    expect([answer.statusCode, answer.json()]).toEqual([201, expect.objectContaining({ width: 48, height: 32 })]);
    // AVIF keeps its length: whatever is no picture there is zeros.
    if (format !== 'avif') expect(answer.json().bytes).toBe((await upload(app, made, picture)).json().bytes);
    filled.write('<script>', 5_242_000);
    const hostile = await upload(app, made, filled);
    if (format === 'avif')
      expect(Buffer.from(objects.find(hostile.json().url.slice(publicUrl.length + 1))!.bytes).includes('<script>')).toBe(false);
    else expect(hostile.json().code).toBe('image_rejected');
  });
});

describe.each(engines)('the upload limits on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({
      engine,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
      overrides: { objects: createMemoryStore() },
    });
  });
  afterAll(() => app.close());

  let addresses = 0;
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const anAddress = () => from(`192.0.2.${++addresses}`);
  const create = async () => {
    const answer = await app.ask('POST', '/api/notebooks', { body: {}, ...anAddress() });
    return { ...answer.json(), slug: answer.json().notebook.slug };
  };

  it('let 60 of 80 at once from one address through, over several notebooks', async () => {
    const notebooks = await Promise.all(Array.from({ length: 4 }, create));
    const body = await aPicture('png');
    const address = anAddress();
    const answers = await Promise.all(Array.from({ length: 80 }, (_, turn) => upload(app, notebooks[turn % 4]!, body, address)));
    expect(tally(answers)).toEqual({ 201: 60, '429 rate_limited': 20 });
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    expect(Number(refused.headers['retry-after'])).toBe(600);
    const kept = await Promise.all(notebooks.map(made => idOf(app, made).then(id => app.parts.store.listImages(id))));
    expect(kept.flat()).toHaveLength(60);
  });

  it('count one address for a whole IPv6 network of 64 bits', async () => {
    const [made, body] = [await create(), Buffer.from('no image')];
    for (let turn = 0; turn < 60; turn++) await upload(app, made, body, from(`2001:db8::${turn.toString(16)}`));
    expect((await upload(app, made, body, from('2001:db8::ffff'))).statusCode).toBe(429);
    expect((await upload(app, made, body, from('2001:db8:0:1::1'))).statusCode).toBe(415);
  });

  /** As if so many uploads had come from an address. */
  async function count(address: string, uploads: number): Promise<void> {
    for (let turn = 0; turn < uploads; turn++) {
      const slot = { name: 'imageUpload', key: address, ...rateLimits.imageUpload };
      expect((await app.parts.store.takeRateSlot(slot, app.clock.now)).allowed).toBe(true);
    }
  }

  it('keep the address’s count of a refused file, and free the notebook’s slot', async () => {
    const made = await create();
    await addRecords(app.parts.store, made.slug, made.editToken, 49);
    await count('198.51.100.1', 57);
    const address = from('198.51.100.1');
    for (let turn = 0; turn < 2; turn++) {
      expect((await upload(app, made, Buffer.from('<svg/>'), address)).json().code).toBe('image_rejected');
    }
    expect((await upload(app, made, await aPicture('png'), address)).statusCode).toBe(201);
    const [other, body] = [await create(), await aPicture('png')];
    expect((await upload(app, other, body, address)).statusCode).toBe(429);
  });

  it('consume nothing with a refusal of their own', async () => {
    const [made, full, body] = [await create(), await create(), await aPicture('png')];
    await addRecords(app.parts.store, full.slug, full.editToken, 50);
    await addRecords(app.parts.store, made.slug, made.editToken, 48);
    await count('198.51.100.2', 58);
    const address = from('198.51.100.2');
    for (let turn = 0; turn < 3; turn++) expect((await upload(app, full, body, address)).json().code).toBe('image_limit');
    for (let turn = 0; turn < 2; turn++) expect((await upload(app, made, Buffer.alloc(1), address)).statusCode).toBe(415);
    for (let turn = 0; turn < 3; turn++) expect((await upload(app, made, body, address)).statusCode).toBe(429);
    // Had one of those three kept a slot, the notebook would be full.
    const answers = await Promise.all(Array.from({ length: 2 }, () => upload(app, made, body, anAddress())));
    expect(tally(answers)).toEqual({ 201: 2 });
    app.clock.now += 600_000;
    expect((await upload(app, await create(), body, address)).statusCode).toBe(201);
  });
});
