import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** How much of its answers each connection passes, and what happens to the rest. */
interface Narrowing {
  readonly bytes: number;
  readonly rest: 'is cut' | 'is held';
}

/** A line between browser and service that can be cut, also in the middle of an answer, and led to another release of the service. */
export class CutLine {
  isCut = false;
  #narrowing: Narrowing | undefined;
  readonly #held: (() => void)[] = [];
  /** A port of this machine. */
  target = 0;
  #port = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer(browser => {
      if (this.isCut) return void browser.destroy();
      const service = connect(this.target, '127.0.0.1');
      for (const [one, other] of [
        [browser, service],
        [service, browser],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
      browser.pipe(service);
      service.pipe(this.#narrow(browser)).pipe(browser);
    });
  }

  static async open(): Promise<CutLine> {
    const line = new CutLine();
    await line.reopen();
    return line;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** After `close`, on the same port. */
  async reopen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.isCut = true;
    this.#drop();
  }

  mend(): void {
    this.isCut = false;
  }

  narrow(bytes: number, rest: Narrowing['rest']): void {
    this.#narrowing = { bytes, rest };
  }

  /** Everything passes again, also what was held. */
  widen(): void {
    this.#narrowing = undefined;
    for (const pass of this.#held.splice(0)) pass();
  }

  lead(port: number): void {
    this.target = port;
    this.#drop();
  }

  /** Connections are refused from now on, as by a machine where nothing listens. */
  async close(): Promise<void> {
    this.#drop();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #narrow(browser: Socket): Transform {
    let counted: Narrowing | undefined;
    let left = 0;
    const line = this;
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const narrowing = line.#narrowing;
        if (!narrowing) return done(null, chunk);
        if (counted !== narrowing) [counted, left] = [narrowing, narrowing.bytes];
        const passes = Math.min(left, chunk.length);
        left -= passes;
        if (passes === chunk.length) return done(null, chunk);
        this.push(chunk.subarray(0, passes));
        // What has passed still arrives.
        if (narrowing.rest === 'is cut') browser.end();
        else line.#held.push(() => done(null, chunk.subarray(passes)));
      },
    });
  }

  #drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
