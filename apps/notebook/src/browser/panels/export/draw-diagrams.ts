import type { Drawn } from '../../diagrams/drawing.ts';
import { DrawingFrame } from '../../diagrams/drawing-frame.ts';
import type { Drawings } from './drawings.ts';

/** Draws diagrams in the light scheme, for paper. Sources that cannot be drawn are left out. */
export async function drawDiagrams(sources: readonly string[]): Promise<Drawings> {
  const frame = new DrawingFrame();
  const drawings = new Map<string, Drawn>();
  try {
    for (const source of new Set(sources)) {
      const drawn = await frame.draw(source, 'light', () => true);
      if (drawn && !('problem' in drawn)) drawings.set(source, drawn);
    }
  } finally {
    frame.close();
  }
  return drawings;
}
