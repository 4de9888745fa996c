import { type ChosenFile, type ImportPlan, readImport } from './read-import.ts';

self.addEventListener('message', (event: MessageEvent<readonly ChosenFile[]>) => {
  const plan: ImportPlan = readImport(event.data);
  self.postMessage(plan);
});
