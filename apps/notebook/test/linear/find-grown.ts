import { findFasterGrowth } from '../../../../tools/growth.ts';
import type { HostileInput } from '../markdown/hostile-inputs.ts';

export interface Measurement {
  /** In the list of main-thread.ts. */
  readonly name: string;
  readonly texts: 'hostile' | 'pairs' | 'one';
  readonly sizes: readonly number[];
}

/**
 * The texts on which a function's work grows much faster than they do, a sentence each. A refusal is an answer like any other.
 * @param begin told what is measured next, before it is
 */
export function findGrown(
  run: (text: string) => unknown,
  texts: readonly HostileInput[],
  sizes: readonly number[],
  begin: (measurement: string) => void,
): string[] {
  const tolerant = (text: string) => {
    try {
      return run(text);
    } catch {
      return undefined;
    }
  };
  const last = sizes.at(-1)!;
  return texts.flatMap(([name, make]) => {
    begin(name);
    const fault = findFasterGrowth(tolerant, make, sizes);
    if (!fault) return [];
    begin(`${name}: ${fault}; four times as many`);
    // What leaves the processor's caches at one size grows as its text does from there on; a square goes on.
    const goesOn = findFasterGrowth(tolerant, make, [last, last * 4]);
    return goesOn ? [`${name}: ${fault}; ${goesOn}`] : [];
  });
}
