import { pastingStory } from './every-browser.ts';
import { browserKinds } from './hand.ts';

pastingStory(browserKinds[0]!, { webp: true });
