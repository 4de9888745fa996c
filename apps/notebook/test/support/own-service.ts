import { type Database, sqlite } from './engines.ts';
import { createThrough, type Made, type ServiceProcess, startService } from './service-process.ts';

/** The built program on its own database. */
export class OwnService {
  process: ServiceProcess;
  readonly #database: Database;
  readonly #env: Record<string, string>;

  private constructor(process: ServiceProcess, database: Database, env: Record<string, string>) {
    this.process = process;
    this.#database = database;
    this.#env = env;
  }

  static async start(more: Record<string, string> = {}): Promise<OwnService> {
    const database = await sqlite.createDatabase();
    const env = { DATABASE_URL: database.url, ...more };
    return new OwnService(await startService(env), database, env);
  }

  get origin(): string {
    return this.process.origin;
  }

  create(body: object): Promise<Made> {
    return createThrough(this.origin, body);
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    await this.process.kill('SIGKILL');
  }

  /** Starts it again after `kill`: on the same port, with everything that was answered. */
  async startAgain(): Promise<void> {
    this.process = await startService({ ...this.#env, PORT: new URL(this.origin).port });
  }

  async close(): Promise<void> {
    await this.process.kill();
    this.forget();
  }

  /** Removes the database of a process that has ended. */
  forget(): void {
    this.#database.remove();
  }
}
