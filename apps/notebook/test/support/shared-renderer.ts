import type { Renderer, RenderTurn } from '../../src/markdown/rendered.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';

let shared: Renderer | undefined;
let services = 0;

/**
 * A renderer for one service of a test. Its threads are those of the worker's other services: starting them and loading the engine takes
 * most of the time that a short-lived service takes. What its addresses and notebooks have used stays its own.
 */
export function shareRenderer(): Renderer {
  shared ??= createRenderer();
  const { render, engine } = { render: shared.render.bind(shared), engine: shared.engine };
  services += 1;
  const prefix = `service ${services} `;
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => {});
  return {
    engine,
    render: (markdown, options, turn = { payers: [], background: false }) =>
      Promise.race([render(markdown, options, withPrefix(turn, prefix)), closed.promise]),
    close: async () => closed.reject(new Error('the renderer is closed')),
  };
}

/** The renderer reads a turn whenever a thread is free, and writes into it. */
function withPrefix(turn: RenderTurn, prefix: string): RenderTurn {
  return {
    get payers() {
      return turn.payers.map(payer => prefix + payer);
    },
    get background() {
      return turn.background;
    },
    get running() {
      return turn.running ?? false;
    },
    set running(running: boolean) {
      turn.running = running;
    },
    get late() {
      return turn.late ?? false;
    },
    set late(late: boolean) {
      turn.late = late;
    },
    ...(turn.name === undefined ? {} : { name: prefix + turn.name }),
  };
}
