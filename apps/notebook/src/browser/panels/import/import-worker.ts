import { type ChosenFile, type ImportPlan, readImport } from '../../files/read-import.ts';

self.addEventListener('message', (event: MessageEvent<readonly ChosenFile[]>) => {
  const plan: ImportPlan = readImport(event.data);
  self.postMessage(plan);
});
