import { type Static, type TSchema, Type } from 'typebox';
import { headerValues } from '../model/rule.ts';

/** The building blocks of the schemas. */

export const closed = { additionalProperties: false } as const;
export const text = (description: string, more: object = {}) =>
  Type.String({ minLength: 1, maxLength: 2048, description, ...more });
export const list = <T extends TSchema>(entry: T, description: string) =>
  Type.Array(entry, { minItems: 1, maxItems: 500, description });
export const optional = Type.Optional;

/** The patterns of texts. The published schema has these, and `patternWords` says the same to people. */
export const patterns = {
  duration: '^[1-9][0-9]{0,5}[smhd]$',
  listen: '^(.+):([0-9]{1,5})$',
  providerId: '^[a-z][a-z0-9-]{0,31}$',
  scope: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
  method: '^[A-Z]+$',
  header: '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$',
  applicationId: '^[A-Za-z0-9._-]{1,64}$',
  claim: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
} as const;

export const patternWords: Readonly<Record<string, string>> = {
  [patterns.duration]: 'must be a number with a unit, in quotes: for example "90s", "15m", "8h" or "2d"',
  [patterns.listen]: 'must be an address and a port, for example 127.0.0.1:4180 or [::]:4180',
  [patterns.providerId]: 'must be 1 to 32 lower-case letters, digits and hyphens, beginning with a letter',
  [patterns.scope]: 'must be one scope without spaces: write ["openid", "email"]',
  [patterns.method]: 'must be in capital letters, like POST',
  [patterns.header]: 'a header name may have only letters, digits and single hyphens',
  [patterns.applicationId]: 'must be 1 to 64 letters, digits, dots, underscores and hyphens',
  [patterns.claim]: 'a claim name may have only letters, digits and underscores, beginning with a letter',
};

export const secretWords = 'must be { "env": "NAME" } or { "file": "PATH" }: secrets are not written in this file';

export function oneOf<const T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], description });
}

export const Duration = (description: string) =>
  Type.String({ pattern: patterns.duration, description: `${description} For example 90s, 15m, 8h or 2d.` });
export const HeaderName = Type.String({ pattern: patterns.header, maxLength: 64 });
export const Headers = (description: string) =>
  Type.Record(HeaderName, oneOf(headerValues, 'The value of the header.'), { ...closed, description, maxProperties: 20 });

export const SecretSchema = Type.Object(
  {
    env: optional(text('Name of an environment variable.')),
    file: optional(text('Path of a file; a final line break is removed.')),
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description: 'Where to read the secret. Secrets are never written in this file.',
  },
);

const Domains = list(Type.String({ minLength: 3, maxLength: 253 }), 'Email domains.');

export const DemandSchema = Type.Object(
  {
    provider: text('The provider. Groups, addresses and claims count for this provider only.'),
    groups: optional(list(text('A group.'), 'One of these groups.')),
    emailDomains: optional(Domains),
    emails: optional(list(Type.String({ minLength: 3 }), 'One of these addresses.')),
    claims: optional(
      Type.Record(Type.String({ minLength: 1 }), list(Type.String(), 'One of these values.'), { minProperties: 1 }),
    ),
  },
  closed,
);

/** Who may: a keyword, or what a person of one provider must have. */
export const Allow = (description: string) =>
  Type.Union([
    oneOf(['anyone', 'signed-in', 'nobody'], description),
    DemandSchema,
    list(DemandSchema, 'One of these is enough.'),
  ]);

export type SecretInput = Static<typeof SecretSchema>;
