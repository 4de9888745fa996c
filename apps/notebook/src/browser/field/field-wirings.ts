import { wireFieldKeys } from './field-keys.ts';
import { wireImages } from './images/wire-images.ts';
import { warnOfEditLinks } from './paste/edit-link-warning.ts';
import { wirePaste } from './paste/wire-paste.ts';
import { wireEditMemory } from './text/edit-memory.ts';
import type { FieldWiring } from './text/field-wiring.ts';

/** Everything that listens at the writing field. An earlier one that deals with an event calls `preventDefault`; later ones look. */
export const fieldWirings: readonly FieldWiring[] = [wireFieldKeys, wireEditMemory, wirePaste, wireImages, warnOfEditLinks];
