import { markScrollBoxes } from './scroll-boxes.ts';

// A view needs no script; this one only makes wide tables and code scroll by keyboard everywhere.
const mark = (): void => markScrollBoxes(document);
mark();
addEventListener('resize', mark);
void document.fonts?.ready.then(mark);
