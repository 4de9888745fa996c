import { limits } from '../../../limits.ts';
import { isMissing, missingPart } from '../../device/missing-part.ts';
import { trustWorkerUrl } from '../../device/trusted-types.ts';
import type { ChosenFile, ImportPlan } from '../../files/read-import.ts';
import workerUrl from './import-worker.ts?worker&url';

/** Ten times what the largest allowed archive needs. */
const timeoutMillis = 60_000;

/** Reads the chosen files in a worker, which is ended when it takes too long. */
export async function planImport(files: readonly File[]): Promise<ImportPlan> {
  const chosen: ChosenFile[] = [];
  const leftOut: string[] = [];
  for (const file of files) {
    const bytes = file.size > limits.maxImportZipBytes ? 'is larger than 100 MiB.' : await readBytes(file);
    if (typeof bytes === 'string') leftOut.push(`${file.name} ${bytes}`);
    else chosen.push({ path: file.name, bytes });
  }
  const plan = await askWorker(chosen);
  return { ...plan, leftOut: [...leftOut, ...plan.leftOut] };
}

async function readBytes(file: File): Promise<Uint8Array | string> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    return 'cannot be read. If it is a folder, make a zip of it first.';
  }
}

function askWorker(chosen: readonly ChosenFile[]): Promise<ImportPlan> {
  const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
  const answer = new Promise<ImportPlan>((resolve, reject) => {
    const giveUp = () => reject(new Error('These files take too long to read or need too much memory.'));
    worker.addEventListener('message', (event: MessageEvent<ImportPlan>) => resolve(event.data));
    worker.addEventListener('error', event => (isMissing(event) ? reject(new Error(missingPart)) : giveUp()));
    setTimeout(giveUp, timeoutMillis);
  });
  worker.postMessage(
    chosen,
    chosen.map(({ bytes }) => bytes.buffer as ArrayBuffer),
  );
  return answer.finally(() => worker.terminate());
}
