import type { SamlProviderConfig } from '../config/config.ts';

/** How the gate authenticates to the token endpoint. */
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
