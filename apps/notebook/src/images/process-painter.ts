import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { limits } from '../limits.ts';
import type { CardContent, CardPainter } from './card-painter.ts';
import { type ProcessLimits, TaskProcess } from './task-process.ts';
import { TaskQueue } from './task-queue.ts';

/** Where the build puts our typefaces (tools/card-fonts.ts): beside `src` when run from source, beside `server` in the built program. */
const fontPlaces = ['../../dist/fonts/fonts.conf', '../fonts/fonts.conf'];

/** Without our typefaces, before the first build, only the system's are used. */
function findFonts(): Record<string, string> {
  const file = fontPlaces.map(place => fileURLToPath(new URL(place, import.meta.url))).find(path => existsSync(path));
  return file === undefined ? {} : { FONTCONFIG_FILE: file };
}

export interface PainterOptions extends Partial<ProcessLimits> {
  readonly waitingCards?: number;
  /** Replaces our typefaces and the system's. */
  readonly fontConfig?: string;
}

/** A face is a few hundred characters. */
const faceBytes = 2_000;

export function createCardPainter({
  waitingCards = limits.maxCardsWaiting,
  fontConfig,
  ...chosen
}: PainterOptions = {}): CardPainter {
  const env = fontConfig === undefined ? findFonts() : { FONTCONFIG_FILE: fontConfig };
  const bounds = { timeMillis: limits.maxCardSeconds * 1_000, memoryBytes: 300_000_000, idleMillis: 120_000, ...chosen };
  const line = new TaskQueue(new TaskProcess<CardContent, Uint8Array>({ name: 'card-process', env }, bounds), {
    waitingBytes: waitingCards * faceBytes,
    waitingTasks: waitingCards,
  });
  return {
    async draw(face, client) {
      const drawn = await line.run(face, faceBytes, client);
      return typeof drawn === 'string' ? undefined : drawn;
    },
    close: async () => line.close(),
  };
}
