// oidc-provider has no types of its own; what these tests use of it.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): RequestListener;
    on(event: string, listener: (...parts: unknown[]) => void): this;
  }
}
