import { Counter, Gauge, Registry } from 'prom-client';

/** Metrics for Prometheus. Label values come from a fixed list, never from a request. */
export class Metrics {
  readonly registry = new Registry();
  /** Counted at every request, so summed here and handed to the registry when it is scraped. */
  readonly #decisions = new Map<string, number>();
  readonly signIns = new Counter({
    name: 'gate_sign_ins_total',
    help: 'Sign-ins by provider and outcome',
    labelNames: ['provider', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly applicationSignIns = new Counter({
    name: 'gate_application_sign_ins_total',
    help: 'Sign-ins at applications behind the bridge, by outcome',
    labelNames: ['application', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly signOuts = new Counter({
    name: 'gate_sign_outs_total',
    help: 'Sessions ended by a sign-out, by the kind of sign-out',
    labelNames: ['how'] as const,
    registers: [this.registry],
  });
  readonly revocations = new Counter({
    name: 'gate_revocations_total',
    help: 'Refresh tokens of ended sessions by provider and outcome: revoked, failed or dropped',
    labelNames: ['provider', 'outcome'] as const,
    registers: [this.registry],
  });
  readonly refreshes = new Counter({
    name: 'gate_refreshes_total',
    help: 'Sessions renewed at their provider, by outcome',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });
  readonly upstreamFailures = new Counter({
    name: 'gate_upstream_failures_total',
    help: 'Requests that the upstream did not answer',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });
  readonly storeFailures = new Counter({
    name: 'gate_store_failures_total',
    help: 'Requests closed because the store could not be reached',
    registers: [this.registry],
  });

  constructor(read: { streams(): number; rows(): Promise<{ sessions: number; pending: number }> }) {
    const decisions = this.#decisions;
    new Counter({
      name: 'gate_decisions_total',
      help: 'Requests by decision',
      labelNames: ['decision', 'mode'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [name, count] of decisions) {
          const [decision = '', mode = ''] = name.split(' ');
          this.inc({ decision, mode }, count);
        }
      },
    });
    new Gauge({
      name: 'gate_open_streams',
      help: 'Open WebSockets and long responses',
      registers: [this.registry],
      collect() {
        this.set(read.streams());
      },
    });
    new Gauge({
      name: 'gate_stored_rows',
      help: 'Live rows in the store',
      labelNames: ['kind'],
      registers: [this.registry],
      async collect() {
        // Without its store the gate still has other metrics to report.
        const rows = await read.rows().catch(() => undefined);
        if (rows === undefined) return;
        this.set({ kind: 'session' }, rows.sessions);
        this.set({ kind: 'pending' }, rows.pending);
      },
    });
  }

  countDecision(decision: string, mode: string): void {
    const name = `${decision} ${mode}`;
    this.#decisions.set(name, (this.#decisions.get(name) ?? 0) + 1);
  }
}
