import workerUrl from '../../markdown/preview-worker.ts?worker&url';
import { trustWorkerUrl } from '../device/trusted-types.ts';

export function launchPreviewWorker(): Worker {
  return new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
}
