import { showDiagrams } from './show-diagrams.ts';

// Sent only with pages that have a diagram. Without this script readers see the source.
void showDiagrams(document).then(() => {
  document.documentElement.dataset.diagrams = 'drawn';
});
