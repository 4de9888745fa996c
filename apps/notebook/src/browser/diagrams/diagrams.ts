import { showDiagrams } from './show-diagrams.ts';

// Sent only with pages that have a diagram; without it the source is what is read.
void showDiagrams(document).then(() => {
  document.documentElement.dataset.diagrams = 'drawn';
});
