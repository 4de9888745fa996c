import sharp from 'sharp';
import { expect } from 'vitest';
import { type Database, sqlite } from '../support/engines.ts';
import { type LocalS3, startLocalS3 } from '../support/local-s3.ts';
import type { S3Bucket } from '../support/s3-gateway.ts';
import { createThrough, type Made, startService } from '../support/service-process.ts';
import { type Hand, readField } from './hand.ts';
import { openSlowDoor, type SlowDoor } from './slow-door.ts';

/** The real service with an image store in this process, reached over a line that can be slow. */
export interface World {
  readonly door: SlowDoor;
  readonly bucket: S3Bucket;
  /** The image store's power switch. */
  readonly gateway: Pick<LocalS3, 'kill' | 'revive'>;
  readonly origin: string;
  create(...texts: readonly string[]): Promise<Made>;
  /** One whose texts visitors may change. */
  createOpen(text: string): Promise<Made>;
  /** The text as the server has it. */
  savedText(made: Made): Promise<string>;
  /** As another tab of its owner would. */
  setReadOnly(made: Made, readOnly: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const gateway = await startLocalS3();
  let database: Database | undefined;
  try {
    const bucket = await gateway.createBucket();
    database = await sqlite.createDatabase();
    const service = await startService({ DATABASE_URL: database.url, ...bucket.env, ...env });
    const door = await openSlowDoor(service.origin);
    return {
      door,
      bucket,
      gateway,
      origin: door.origin,
      create: (...texts) => createThrough(service.origin, { title: 'Pictures', pages: texts.map(markdown => ({ markdown })) }),
      createOpen: markdown => createThrough(service.origin, { openEditing: true, pages: [{ markdown }] }),
      async savedText({ slug, editToken, pageId }) {
        const path = `${service.origin}/api/notebooks/${slug}/pages/${pageId}`;
        const answer = await fetch(path, { headers: { 'x-edit-token': editToken } });
        return ((await answer.json()) as { markdown: string }).markdown;
      },
      async setReadOnly({ slug, editToken }, readOnly) {
        const answer = await fetch(`${service.origin}/api/notebooks/${slug}`, {
          method: 'PATCH',
          headers: { 'x-edit-token': editToken, 'content-type': 'application/json' },
          body: JSON.stringify({ readOnly }),
        });
        expect(answer.status).toBe(200);
      },
      async close() {
        await door.close();
        await service.kill();
        database?.remove();
        await gateway.stop();
      },
    };
  } catch (problem) {
    database?.remove();
    await gateway.stop();
    throw problem;
  }
}

/** Opens the editor with the caret behind everything. */
export async function openEditor(hand: Omit<Hand, 'close'>, world: World, made: Made): Promise<void> {
  await hand.open(`${world.origin}/e/${made.editToken}`);
  await takeField(hand);
}

/** The same for a visitor, who has the view link alone. */
export async function openAsVisitor(hand: Omit<Hand, 'close'>, world: World, made: Made): Promise<void> {
  await hand.open(`${world.origin}/n/${made.slug}/edit`);
  await takeField(hand);
}

async function takeField(hand: Omit<Hand, 'close'>): Promise<void> {
  await expect.poll(() => hand.run(() => document.querySelector('#markdown-field') !== null, undefined), longWait).toBe(true);
  await hand.click('#markdown-field');
  await hand.press('Control+End');
}

export const longWait = { timeout: 60_000, interval: 50 };

export const textOf = async (hand: Pick<Hand, 'run'>) => (await readField(hand)).text;

/** The addresses of the images that a text shows, in its order. */
export function imagesIn(text: string): string[] {
  return [...text.matchAll(/!\[[^\n]*?\]\((http[^)\s]+)\)/g)].map(match => match[1]!);
}

export interface Fetched {
  readonly format: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly metadata: readonly string[];
  readonly cacheControl: string | null;
  readonly bytes: Buffer;
  /** Clockwise from the top left, a little inside. */
  readonly corners: readonly (readonly number[])[];
}

/** The object as every reader fetches it. */
export async function fetchImage(url: string): Promise<Fetched> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const { format, width, height, pages = 1, exif, xmp, iptc, orientation } = await sharp(bytes).metadata();
  const pixels = await sharp(bytes).removeAlpha().raw().toBuffer();
  const at = (x: number, y: number) => [...pixels.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
  const inside = Math.ceil(Math.min(width, height) / 40);
  const [right, bottom] = [width - 1 - inside, height - 1 - inside];
  expect(answer.headers.get('content-type')).toBe(`image/${format}`);
  return {
    format,
    width,
    height,
    frames: pages,
    metadata: Object.entries({ exif, xmp, iptc, orientation })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name),
    cacheControl: answer.headers.get('cache-control'),
    bytes,
    corners: [at(inside, inside), at(right, inside), at(right, bottom), at(inside, bottom)],
  };
}
