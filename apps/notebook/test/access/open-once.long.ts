import { describeManyOpeners, describeManyOpenersOfTwo } from './many-openers.ts';

describeManyOpeners(100);
describeManyOpenersOfTwo(100);
