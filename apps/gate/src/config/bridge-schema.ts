import { type Static, Type } from 'typebox';
import { closed, DemandSchema, Duration, list, oneOf, optional, patterns, SecretSchema, text } from './schema-parts.ts';

export const signingAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];
export const bridgeScopes = ['email', 'profile', 'groups', 'offline_access'] as const;

export const bridgeDescription = 'The gate as an OpenID provider for applications: docs/gate/bridge.md.';

export const BridgeClientSchema = Type.Object(
  {
    id: Type.String({ pattern: patterns.applicationId, description: 'The client_id that the application uses.' }),
    name: text('The name that people see.', { maxLength: 60 }),
    kind: optional(oneOf(['web', 'native'], 'native may use loopback and private-use redirect URIs. Default web.')),
    secret: optional(SecretSchema),
    authentication: optional(
      oneOf(
        ['client_secret_basic', 'client_secret_post', 'none'],
        'How the application authenticates at the token endpoint. Default client_secret_basic, or none if there is no secret.',
      ),
    ),
    pkce: optional(
      oneOf(['required', 'optional'], 'optional is for applications that have a secret but cannot do PKCE. Default required.'),
    ),
    redirectUris: list(text('Compared character for character.'), 'Where people may be sent back to.'),
    postLogoutRedirectUris: optional(list(text('Compared character for character.'), 'Where people may go after signing out.')),
    backChannelLogoutUri: optional(text('Where the gate sends a logout token when a session ends.')),
    frontChannelLogoutUri: optional(text('What the gate loads in a frame when a person signs out.')),
    allow: optional(
      Type.Union([oneOf(['signed-in'], 'Anyone who is signed in.'), DemandSchema, list(DemandSchema, 'One of these is enough.')]),
    ),
    scopes: optional(
      list(oneOf(bridgeScopes, 'A scope.'), 'What the application may request besides openid. Default email, profile, groups.'),
    ),
    idTokenAlgorithm: optional(oneOf(signingAlgorithms, 'Default: the algorithm of the first key.')),
  },
  { ...closed, title: 'Application behind the bridge' },
);

export const BridgeSchema = Type.Object(
  {
    keys: list(SecretSchema, 'Private keys in PEM: RSA, P-256 or Ed25519. The first of each kind signs; all are published.'),
    clients: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 500, description: 'The applications.' }),
    claims: optional(
      Type.Record(
        Type.String({ pattern: patterns.claim }),
        Type.Object(
          {
            from: text('A claim or attribute that a provider is configured to keep.'),
            list: optional(Type.Boolean({ description: 'Return a list. Default false: the first value as text.' })),
          },
          closed,
        ),
        {
          ...closed,
          description: 'More claims for the profile scope, keyed by the name that applications see.',
          maxProperties: 50,
        },
      ),
    ),
    claimsInIdToken: optional(
      Type.Boolean({
        description: 'Put all claims into the ID Token too, for applications that never call UserInfo. Default false.',
      }),
    ),
    accessTokenLifetime: optional(Duration('Default 5m.')),
  },
  { ...closed, description: bridgeDescription },
);

export type BridgeInput = Static<typeof BridgeSchema>;
export type BridgeClientInput = Static<typeof BridgeClientSchema>;
