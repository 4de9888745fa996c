import { type Static, Type } from 'typebox';
import { BridgeClientSchema, BridgeSchema, bridgeDescription } from './bridge-schema.ts';
import {
  Allow,
  closed,
  Duration,
  HeaderName,
  Headers,
  list,
  oneOf,
  optional,
  patterns,
  SecretSchema,
  text,
} from './schema-parts.ts';

/** The schema that checks the configuration is the one that is published (docs/gate/gate.schema.json): they cannot disagree. */

const everyProvider = {
  id: Type.String({ pattern: patterns.providerId, description: 'Part of the addresses, as in /gate/{id}/callback.' }),
  name: text('The name on the sign-in page.', { maxLength: 60 }),
  enabled: optional(Type.Boolean({ description: 'If false, every endpoint refuses this provider. Default true.' })),
  emailDomains: optional(list(Type.String(), 'The sign-in page sends people with addresses in these domains here.')),
  trustedEmailDomains: optional(
    list(Type.String(), 'Addresses in these domains count even if the provider does not call them verified.'),
  ),
};

export const OidcProviderSchema = Type.Object(
  {
    ...everyProvider,
    protocol: Type.Literal('oidc'),
    issuer: text('The issuer, exactly as the provider writes it.'),
    clientId: text('As registered at the provider.'),
    clientSecret: optional(SecretSchema),
    clientAuthentication: optional(
      oneOf(
        ['client_secret_basic', 'client_secret_post', 'none'],
        'How the gate authenticates. Default client_secret_basic, or none if there is no secret.',
      ),
    ),
    scopes: optional(list(Type.String({ pattern: patterns.scope }), 'Default openid, email, profile.')),
    idTokenAlgorithms: optional(
      list(
        oneOf(
          ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'HS256'],
          'An algorithm.',
        ),
        'As registered. Default RS256.',
      ),
    ),
    responseMode: optional(oneOf(['query', 'form_post'], 'Default query.')),
    userInfo: optional(Type.Boolean({ description: 'Ask the UserInfo endpoint for claims too. Default true.' })),
    groupsClaim: optional(
      text('The claim that lists the groups. Default groups. A dot leads into an object: realm_access.roles.'),
    ),
    claims: optional(list(text('A claim name.'), 'Other claims that rules may require, with dots as in groupsClaim.')),
    refresh: optional(Duration('How often a session with a refresh token is renewed and its groups read again. Default 5m.')),
    prompt: optional(oneOf(['login', 'select_account', 'consent'], 'Sent to the provider at every sign-in.')),
    maxAge: optional(Duration('People must have authenticated at the provider within this time.')),
    clockToleranceSeconds: optional(Type.Integer({ minimum: 0, maximum: 300, description: 'Default 30.' })),
    signOutMethod: optional(
      oneOf(
        ['get', 'post'],
        'How people are sent to the provider to sign out. post keeps the ID Token out of URLs; not every provider accepts it. Default get.',
      ),
    ),
    frontChannelSessionRequired: optional(
      Type.Boolean({
        description:
          "Front-channel logout must name the session (iss and sid). Default true. With false, one that does not ends the session of the browser's cookie, which browsers send only if the provider is on the same site.",
      }),
    ),
    accessTokens: optional(
      Type.Object(
        {
          audience: text('The audience that a JWT access token must name (RFC 9068), and an introspected one if it names any.'),
          algorithms: optional(
            list(
              oneOf(
                ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
                'An algorithm.',
              ),
              'Default RS256.',
            ),
          ),
          introspection: optional(
            Type.Boolean({ description: 'Ask the provider about opaque tokens (RFC 7662). Default false.' }),
          ),
          cache: optional(Duration('How long an introspection answer is kept. Default 30s.')),
        },
        { ...closed, description: 'Access tokens of this provider that rules may accept.' },
      ),
    ),
  },
  { ...closed, title: 'OpenID Connect provider' },
);

const KeyPairSchema = Type.Object({ privateKey: SecretSchema, certificate: SecretSchema }, { ...closed });

export const SamlProviderSchema = Type.Object(
  {
    ...everyProvider,
    protocol: Type.Literal('saml'),
    metadata: Type.Object(
      {
        url: optional(text('An https address.')),
        file: optional(text('A path.')),
        signedBy: optional(list(SecretSchema, 'One of these certificates must have signed the metadata.')),
        refresh: optional(Duration('How often the metadata is read again. Default 1h.')),
      },
      { ...closed, description: 'The IdP’s metadata, from a url or a file.' },
    ),
    entityId: optional(
      text(
        'The IdP to use from an aggregate. Required if the metadata describes several, or is larger than 4 MiB at its address.',
      ),
    ),
    wantAssertionsSigned: optional(Type.Boolean()),
    wantResponseSigned: optional(Type.Boolean()),
    wantAssertionsEncrypted: optional(Type.Boolean()),
    dangerouslyAllowSha1: optional(Type.Boolean()),
    dangerouslyAllowCbc: optional(Type.Boolean()),
    keys: optional(
      list(KeyPairSchema, 'The gate’s keys. The first signs; all are published and decrypt. Required for Single Logout.'),
    ),
    attributes: optional(
      Type.Object(
        {
          email: optional(text('Attribute name.')),
          name: optional(text('Attribute name.')),
          groups: optional(text('Attribute name.')),
        },
        {
          ...closed,
          description:
            'Attributes with the email address, the name and the groups. Default mail, displayName, groups and their OIDs.',
        },
      ),
    ),
    claims: optional(list(text('An attribute name.'), 'Other attributes that rules may require.')),
    tokenExchange: optional(
      Type.Object(
        {
          tokenEndpoint: text('An https address.'),
          revocationEndpoint: optional(
            text(
              'Where that server revokes tokens (RFC 7009), an https address. The gate revokes the refresh token of a session that ends.',
            ),
          ),
          clientId: optional(text('The gate’s client ID at this endpoint.')),
          clientSecret: optional(SecretSchema),
          scope: optional(text('The scope to request.')),
          header: HeaderName,
          sessionEndsWithToken: optional(
            Type.Boolean({
              description:
                'A token that cannot be renewed ends the session when it expires. The next page visit goes through the provider, which issues a new token. Default false.',
            }),
          ),
        },
        {
          ...closed,
          description:
            'Exchange the assertion for an access token at each sign-in (RFC 7522). The upstream gets it in a header while it is valid.',
        },
      ),
    ),
    forceAuthn: optional(Type.Boolean({ description: 'Have the provider authenticate the person again at every sign-in.' })),
    clockToleranceSeconds: optional(Type.Integer({ minimum: 0, maximum: 300, description: 'Default 60.' })),
  },
  { ...closed, title: 'SAML identity provider' },
);

export const RuleSchema = Type.Object(
  {
    methods: optional(list(Type.String({ pattern: patterns.method, maxLength: 20 }), 'Default: all methods. GET includes HEAD.')),
    paths: list(text('* is one segment, ** any number of them.'), 'Paths without a query.'),
    allow: Allow('Who has access.'),
    accessTokens: optional(
      list(
        Type.Object(
          {
            provider: text('The provider of the tokens.'),
            scopes: optional(list(text('A scope.'), 'All of them must be granted.')),
          },
          closed,
        ),
        'Access tokens accepted instead of a session.',
      ),
    ),
    headers: optional(Headers('Additional headers for the upstream under this rule.')),
  },
  { ...closed, title: 'Rule' },
);

const commonParts = {
  $schema: optional(Type.String()),
  listen: Type.String({ pattern: patterns.listen, description: 'Address and port, for example 127.0.0.1:4180.' }),
  publicUrl: text('Where people reach the gate: origin only, https (http on loopback).'),
  upstream: optional(text('The application behind the gate. Without it, the gate only answers forward-auth requests.')),
  trustedProxies: optional(
    Type.Array(Type.String(), {
      maxItems: 500,
      description: 'Addresses or CIDR ranges whose forwarded headers count. Default none.',
    }),
  ),
  session: Type.Object(
    {
      lifetime: optional(Duration('A session ends after this time in any case. Default 8h.')),
      idle: optional(Duration('A session that is not used ends after this time. Default 1h.')),
      store: text('sqlite:PATH for one machine, or postgres://… for many; a secret if the address has a password.', {}),
      keys: list(SecretSchema, 'The first seals cookies; all of them open cookies. At least 32 characters each.'),
    },
    closed,
  ),
  identityHeaders: optional(Headers('Headers for the upstream, instead of X-Auth-Subject, -Issuer, -Email, -Name and -Groups.')),
  identityToken: optional(
    Type.Object(
      {
        header: HeaderName,
        key: SecretSchema,
        formerKeys: optional(list(SecretSchema, 'Earlier signing keys. They stay in the key set but no longer sign.')),
        audience: text('The audience of the JWT.'),
      },
      { ...closed, description: 'A signed JWT about the person for the upstream; its keys are at /gate/jwks.json.' },
    ),
  ),
  bridge: optional(BridgeSchema),
  ignorePathCase: optional(Type.Boolean({ description: 'Rules ignore case in paths. For upstreams that ignore it too.' })),
  timeouts: optional(
    Type.Object(
      {
        connect: optional(Duration('Time limit for connecting to the upstream. Default 5s.')),
        response: optional(Duration('Time limit until the upstream starts to respond. Default 60s.')),
        idle: optional(
          Duration(
            'Time limit for the next byte of an upload or an answer, and for a client to take what waits for it. A quiet WebSocket may stay. Default 5m.',
          ),
        ),
      },
      closed,
    ),
  ),
  upstreamRequests: optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description:
        'How many requests and WebSockets the upstream can serve at once. When all are taken, the visitor with the most loses the oldest to one with fewer. A visitor is a person who is signed in, or a network address. Default: no limit.',
    }),
  ),
  metricsFrom: optional(list(Type.String(), 'Addresses or CIDR ranges that may read /gate/metrics directly. Default loopback.')),
  log: optional(oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'Default info.')),
};

const StoreSchema = Type.Union([Type.String({ minLength: 1 }), SecretSchema]);

/** Checked first. Providers and rules follow one by one, each against the schema of its kind, so that errors name the right one. */
export const FrameSchema = Type.Object(
  {
    ...commonParts,
    session: Type.Object({ ...commonParts.session.properties, store: StoreSchema }, closed),
    providers: Type.Array(Type.Unknown(), { maxItems: 100 }),
    rules: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }),
  },
  closed,
);

/** The whole schema, as published. */
export const ConfigSchema = Type.Object(
  {
    ...FrameSchema.properties,
    bridge: optional(
      Type.Object(
        {
          ...BridgeSchema.properties,
          clients: Type.Array(BridgeClientSchema, { minItems: 1, maxItems: 500, description: 'The applications.' }),
        },
        { ...closed, description: bridgeDescription },
      ),
    ),
    providers: Type.Array(Type.Union([OidcProviderSchema, SamlProviderSchema]), { maxItems: 100 }),
    rules: Type.Array(RuleSchema, { minItems: 1, maxItems: 1000 }),
  },
  { ...closed, $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Configuration of octavo-gate' },
);

export type Frame = Static<typeof FrameSchema>;
export type OidcInput = Static<typeof OidcProviderSchema>;
export type SamlInput = Static<typeof SamlProviderSchema>;
export type RuleInput = Static<typeof RuleSchema>;
