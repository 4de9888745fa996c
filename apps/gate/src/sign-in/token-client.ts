import type { SamlProviderConfig } from '../config/config.ts';

/** Whom the token endpoint sees. */
export function tokenClientOf({
  tokenEndpoint,
  clientId,
  clientSecret,
  scope,
}: NonNullable<SamlProviderConfig['tokenExchange']>) {
  return {
    tokenEndpoint,
    timeoutSeconds: 5,
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scope === undefined ? {} : { scope }),
  };
}
