import { createHash } from 'node:crypto';
import { type ObjectStore, ObjectStoreFailed, ObjectsNotDeleted } from './object-store.ts';
import { type Deadlines, type Outcome, type S3Account, S3Requests } from './s3-requests.ts';
import { type NotDeleted, readDeleteResult, readListing, writeDeleteBody } from './s3-xml.ts';

export interface S3Options extends S3Account {
  /** The bucket's public address, from which readers' browsers fetch. */
  readonly publicUrl: string;
  readonly deadlines?: Partial<Deadlines>;
  /** For tests with host names that do not resolve. */
  readonly fetch?: typeof fetch;
}

const maxListed = 1_000;

/** Some gateways delete the keys of a request one after the other: several requests at once are faster there, if each has enough keys. */
const deletionsAtOnce = 4;
const deletedWith = { least: 50, most: 1_000 };

/** Any S3-compatible endpoint: Cloudflare R2, AWS, Ceph, MinIO, Garage. */
export function createS3Store({ publicUrl, deadlines, fetch, ...account }: S3Options): ObjectStore {
  const requests = new S3Requests(account, deadlines, fetch);

  async function deleteSome(keys: readonly string[], signal: AbortSignal | undefined): Promise<readonly NotDeleted[]> {
    const body = Buffer.from(writeDeleteBody(keys));
    const answer = await requests.send('delete', {
      method: 'POST',
      query: { delete: '' },
      // AWS and MinIO refuse a deletion without it.
      headers: { 'content-type': 'application/xml', 'content-md5': createHash('md5').update(body).digest('base64') },
      body,
      signal,
    });
    return understand('delete', answer, readDeleteResult);
  }

  return {
    prepare: () => requests.prepare(),
    publicUrl: key => `${publicUrl}/${key}`,
    async put(key, bytes, { contentType, cacheControl }) {
      const headers = { 'content-type': contentType, 'cache-control': cacheControl };
      await requests.send('put', { method: 'PUT', key, headers, body: bytes });
    },
    get: (key, signal) => requests.open('get', { method: 'GET', key, signal }),
    async delete(keys, signal) {
      const portions = portionsOf(keys);
      const stayed: NotDeleted[] = [];
      const work = async () => {
        for (const portion of portions) stayed.push(...(await deleteSome(portion, signal)));
      };
      const workers = await Promise.allSettled(Array.from({ length: deletionsAtOnce }, work));
      for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
      if (stayed.length > 0) throw failureOf(stayed, new Set(keys));
    },
    async list(after, signal) {
      const token = after === undefined ? {} : { 'continuation-token': after };
      const query = { 'list-type': '2', 'max-keys': String(maxListed), 'encoding-type': 'url', ...token };
      const page = understand('list', await requests.send('list', { method: 'GET', query, signal }), readListing);
      // A store that returns the same position again would keep the sweep busy forever.
      if (page.next !== undefined && page.next === after) throw new ObjectStoreFailed('list: the store does not move on');
      return page;
    },
  };
}

/** If the store names keys that it was not asked for, nobody knows which are gone. */
function failureOf(stayed: readonly NotDeleted[], asked: ReadonlySet<string>): ObjectStoreFailed {
  const keys = stayed.map(({ key }) => key).filter(key => key !== undefined && asked.has(key)) as string[];
  const { code } = stayed[0]!;
  if (keys.length === stayed.length) return new ObjectsNotDeleted(keys, code);
  return new ObjectStoreFailed(`delete: ${stayed.length} objects stayed, the first for ${code}`);
}

/** Shared by several workers, which take each portion once. */
function* portionsOf(keys: readonly string[]): Generator<readonly string[]> {
  const { least, most } = deletedWith;
  const size = Math.min(most, Math.max(least, Math.ceil(keys.length / deletionsAtOnce)));
  for (let at = 0; at < keys.length; at += size) yield keys.slice(at, at + size);
}

/** A proxy's error page with status 200 must not be taken for "nothing is stored" or "all is deleted". */
function understand<T>(what: string, { text }: Outcome, read: (xml: string) => T | undefined): T {
  const found = read(text);
  if (found === undefined) throw new ObjectStoreFailed(`${what}: the store answered something else than asked for`);
  return found;
}
