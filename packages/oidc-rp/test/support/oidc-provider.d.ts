// The part of the package that these tests use; it ships no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface OpToken {
    scope: string;
    save(seconds: number): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): RequestListener;
    readonly AccessToken: { find(value: string): Promise<OpToken | undefined> };
    readonly ClientCredentials: { new (properties: object): OpToken; find(value: string): Promise<OpToken | undefined> };
    registerGrantType(name: string, handler: (context: never) => Promise<void>, parameters: string[], repeatable: string[]): void;
    on(event: string, listener: (...details: unknown[]) => void): this;
  }
}
