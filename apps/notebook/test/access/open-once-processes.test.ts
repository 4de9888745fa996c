import { describeManyOpenersOfTwo } from './many-openers.ts';

// Were the claim not one statement, the first round would show it. The long run has more (open-once.long.ts).
describeManyOpenersOfTwo(12);
