import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** One save of one page. */
export type Save = (page: SavedPage, markdown: string, ifMatch: number) => Promise<Answer>;

export interface SavedPage {
  readonly slug: string;
  readonly pageId: string;
  readonly editToken: string;
}

export interface Writing {
  /** Every status that came, how often. */
  readonly statuses: Map<number, number>;
  /** Answers that no writer should get: another status than 200, 412 and 503, or a 503 that does not say when to come back. */
  readonly wrong: Answer[];
  /** For each page: the highest acknowledged revision and its text. */
  readonly acknowledged: Map<string, { revision: number; markdown: string }>;
  /** The pages whose writers were refused with 503. */
  readonly refused: Set<string>;
  /** Resolves when each page had a save acknowledged after this call. */
  eachSavesAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** Writers that save again and again, as an editor does: against the revision they know, settled by If-Match after a 503. */
export function startWriting(pages: readonly SavedPage[], save: Save, size = 2_000): Writing {
  const statuses = new Map<number, number>();
  const wrong: Answer[] = [];
  const acknowledged = new Map<string, { revision: number; markdown: string }>();
  const refused = new Set<string>();
  let stopped = false;

  async function write(page: SavedPage): Promise<void> {
    let revision = 1;
    for (let turn = 1; !stopped; turn++) {
      const markdown = `turn ${turn} of ${page.pageId}\n\n${'x'.repeat(size)}`;
      const answer = await save(page, markdown, revision);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 200) {
        ({ revision } = JSON.parse(answer.body) as { revision: number });
        acknowledged.set(page.pageId, { revision, markdown });
      } else if (answer.status === 412) {
        ({ revision } = (JSON.parse(answer.body) as { page: { revision: number } }).page);
      } else {
        if (answer.status === 503) refused.add(page.pageId);
        if (answer.status !== 503 || !/^[1-9]\d*$/.test(answer.retryAfter ?? '')) wrong.push(answer);
        await sleep(20);
      }
    }
  }
  const running = Promise.all(pages.map(write));
  return {
    statuses,
    wrong,
    acknowledged,
    refused,
    async eachSavesAgain() {
      const before = new Map(acknowledged);
      const deadline = performance.now() + 30_000;
      while (pages.some(({ pageId }) => acknowledged.get(pageId) === before.get(pageId))) {
        if (performance.now() > deadline) throw new Error(`no save after the outage: ${JSON.stringify([...statuses])}`);
        await sleep(20);
      }
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
