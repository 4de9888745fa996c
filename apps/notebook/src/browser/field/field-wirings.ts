import { warnOfEditLinks } from './edit-link-warning.ts';
import { wireEditMemory } from './edit-memory.ts';
import { wireFieldKeys } from './field-keys.ts';
import type { FieldWiring } from './field-wiring.ts';
import { wireImages } from './images/wire-images.ts';
import { wirePaste } from './paste/wire-paste.ts';

/** Everything that listens at the writing field. An earlier one that deals with an event calls `preventDefault`; later ones look. */
export const fieldWirings: readonly FieldWiring[] = [wireFieldKeys, wireEditMemory, wirePaste, wireImages, warnOfEditLinks];
