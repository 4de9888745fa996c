import { wireFieldKeys } from './field-keys.ts';
import { wireImages } from './images/wire-images.ts';
import { warnOfEditLinks } from './paste/edit-link-warning.ts';
import { wirePaste } from './paste/wire-paste.ts';
import { wireEditMemory } from './text/edit-memory.ts';
import type { FieldWiring } from './text/field-wiring.ts';

/** All listeners of the text field, in order: one that handles an event calls `preventDefault`, and later ones check for that. */
export const fieldWirings: readonly FieldWiring[] = [wireFieldKeys, wireEditMemory, wirePaste, wireImages, warnOfEditLinks];
