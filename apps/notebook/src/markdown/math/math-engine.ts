import type { MathEngine } from './tex-to-mathml.ts';

let engine: MathEngine | undefined;

export function findMathEngine(): MathEngine | undefined {
  return engine;
}

/** Loads the engine when the first formula is met: only texts with formulas need it, and it is as large as everything else that renders. */
export async function loadMathEngine(): Promise<void> {
  engine ??= (await import('./tex-to-mathml.ts')).texToMathMl;
}
