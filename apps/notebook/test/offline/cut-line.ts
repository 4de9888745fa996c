import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line between browser and service that can be cut, and led to another release of the service. */
export class CutLine {
  isCut = false;
  /** A port of this machine. */
  target = 0;
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
        one.pipe(other);
      }
    });
  }

  static async open(): Promise<CutLine> {
    const line = new CutLine();
    await new Promise<void>(resolve => line.#server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    this.#drop();
  }

  mend(): void {
    this.isCut = false;
  }

  lead(port: number): void {
    this.target = port;
    this.#drop();
  }

  async close(): Promise<void> {
    this.#drop();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
