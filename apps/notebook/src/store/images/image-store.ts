import { type Engine, each } from '../engine.ts';
import type { Statements } from '../statements.ts';
import type { ImageRecords } from './image-records.ts';
import { addImage, deleteImage, queueAbandonedUploads, takeUploadSlot } from './write-images.ts';

export function imageRecords(engine: Engine, statements: Statements): ImageRecords {
  const { images } = statements;
  return {
    takeUploadSlot: (by, id, rate, now) => engine.write(() => takeUploadSlot(statements, by, id, rate, now)),
    async freeUploadSlot(image) {
      await engine.run(images.freeSlot, { image });
    },
    addImage: (by, image, now) => engine.write(() => addImage(statements, by, image, now)),
    listImages: notebook => engine.read(images.list, { notebook }),
    async findImage(key) {
      const [notebook = '', file = ''] = key.split('/');
      const [row] = await engine.read(images.find, { notebook, id: file.split('.', 1)[0]! });
      if (!row || row.key !== key) return undefined;
      const { expiresAt, takenDownAt, ...image } = row;
      return { image, notebook: { expiresAt, takenDownAt } };
    },
    deleteImage: (by, id, now) => engine.write(() => deleteImage(statements, by, id, now)),
    async findLivingNotebooks(ids) {
      // An id that no database could store is none of ours.
      const possible = ids.filter(id => id.isWellFormed() && !id.includes('\0'));
      return new Set((await engine.read(images.living, { ids: JSON.stringify(possible) })).map(({ id }) => id));
    },
    hasNotebooks: async () => (await engine.read(images.anyNotebook, {})).length > 0,
    ...objectDeletions(engine, statements),
  };
}

function objectDeletions(
  engine: Engine,
  statements: Statements,
): Pick<
  ImageRecords,
  | 'queueObjectDeletions'
  | 'listQueuedObjectsOf'
  | 'listObjectDeletions'
  | 'postponeObjectDeletions'
  | 'dequeueObjectDeletions'
  | 'queueAbandonedUploads'
> {
  const { deletions } = statements;
  const keysOf = (rows: readonly { key: string }[]) => rows.map(({ key }) => key);
  return {
    queueObjectDeletions: (keys, now) => engine.write(() => each(deletions.queue(keys, now))),
    listQueuedObjectsOf: async notebook => keysOf(await engine.read(deletions.of, { notebook })),
    listObjectDeletions: async (now, limit) => keysOf(await engine.read(deletions.due, { now, limit })),
    async postponeObjectDeletions(keys, notBefore) {
      await engine.run(deletions.postpone, { keys: JSON.stringify(keys), notBefore });
    },
    async dequeueObjectDeletions(keys) {
      await engine.run(deletions.dequeue, { keys: JSON.stringify(keys) });
    },
    queueAbandonedUploads: (now, limit) => engine.write(() => queueAbandonedUploads(statements, now, limit)),
  };
}
