import { pastingStory } from './every-browser.ts';
import { browserKinds } from './hand.ts';

pastingStory(browserKinds[2]!, { webp: false });
