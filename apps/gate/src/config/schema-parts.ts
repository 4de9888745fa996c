import { type Static, type TSchema, Type } from 'typebox';
import { headerValues } from '../model/rule.ts';

/** The building blocks of the schemas. */

export const closed = { additionalProperties: false } as const;
export const text = (description: string, more: object = {}) =>
  Type.String({ minLength: 1, maxLength: 2048, description, ...more });
export const list = <T extends TSchema>(entry: T, description: string) =>
  Type.Array(entry, { minItems: 1, maxItems: 500, description });
export const optional = Type.Optional;

export function oneOf<const T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], description });
}

export const Duration = (description: string) =>
  Type.String({ pattern: '^[1-9][0-9]{0,5}[smhd]$', description: `${description} For example 90s, 15m, 8h or 2d.` });
export const HeaderName = Type.String({ pattern: '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$', maxLength: 64 });
export const Headers = (description: string) =>
  Type.Record(HeaderName, oneOf(headerValues, 'The value of the header.'), { description, maxProperties: 20 });

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
