import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { patternWords, secretWords } from './schema-parts.ts';

/** The fault of one value, in words that say what to write instead. */
export interface Mismatch {
  /** A JSON pointer. */
  readonly at: string;
  readonly why: string;
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
}

/** One sentence for each mistake. A schema has several: one for every branch of a union, say, of which all but one mislead. */
export function findMismatches(schema: TSchema, value: unknown): Mismatch[] {
  const errors = Value.Errors(schema, value) as unknown as SchemaError[];
  const node = (path: string) => at(schema, path) as Node;
  const unions = errors.filter(error => error.keyword === 'anyOf');
  const found = errors.flatMap((error): Mismatch[] => {
    const { keyword, schemaPath, instancePath } = error;
    // Already reported by the object that holds it, with its name.
    if (keyword === 'boolean') return [];
    const its = at(value, instancePath);
    if (keyword === 'anyOf')
      return branchOf(node(schemaPath), its) === undefined ? [{ at: instancePath, why: unionWords(node(schemaPath)) }] : [];
    const union = unions.find(
      one => schemaPath.startsWith(`${one.schemaPath}/anyOf/`) && `${instancePath}/`.startsWith(`${one.instancePath}/`),
    );
    if (union !== undefined) {
      const branch = branchOf(node(union.schemaPath), at(value, union.instancePath));
      if (branch === undefined || !`${schemaPath}/`.startsWith(`${union.schemaPath}/anyOf/${branch}/`)) return [];
    }
    return explain(error, node(schemaPath), its);
  });
  const seen = new Set<string>();
  return found.filter(({ at: where, why }) => !seen.has(`${where} ${why}`) && seen.add(`${where} ${why}`));
}

function explain({ keyword, instancePath, params, message }: SchemaError, node: Node, value: unknown): Mismatch[] {
  const here = (why: string) => [{ at: instancePath, why }];
  const inside = (names: unknown, why: (name: string) => string) =>
    (names as string[]).map(name => ({ at: `${instancePath}/${pointerPart(name)}`, why: why(name) }));
  if (keyword === 'additionalProperties') return inside(params.additionalProperties, name => unknownWords(name, node));
  if (keyword === 'required') return inside(params.requiredProperties, () => 'is missing');
  if (isSecret(node)) return here(secretWords);
  if (node.enum !== undefined) return here(`must be one of ${node.enum.join(', ')}`);
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return here(patternWords[node.pattern ?? ''] ?? `must be ${typeWords[String(params.type)]}, not ${kindOf(value)}`);
    case 'pattern':
      return here(patternWords[String(params.pattern)] ?? message);
    case 'minLength':
      return here(limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`);
    case 'maxLength':
      return here(`must have at most ${limit} characters`);
    case 'minItems':
      return here('must have at least one entry');
    case 'maxItems':
    case 'maxProperties':
      return here(`must have at most ${limit} entries`);
    case 'minimum':
      return here(`must be at least ${limit}`);
    case 'maximum':
      return here(`must be at most ${limit}`);
    default:
      return here(message);
  }
}

const typeWords: Readonly<Record<string, string>> = {
  object: 'an object in { }',
  array: 'a list in [ ]',
  string: 'text in quotes',
  boolean: 'true or false, without quotes',
  integer: 'a whole number',
};

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

function isSecret({ properties, maxProperties }: Node): boolean {
  return maxProperties === 1 && properties?.env !== undefined;
}

/** The branch that a value was meant for: the list for a list, the object for an object. For all other values, the union is explained. */
function branchOf({ anyOf = [] }: Node, value: unknown): number | undefined {
  const type = Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : undefined;
  const branch = anyOf.findIndex(one => one.type === type && !isSecret(one));
  return type === undefined || branch === -1 ? undefined : branch;
}

function unionWords({ anyOf = [] }: Node): string {
  if (anyOf.some(isSecret))
    return 'must be "sqlite:PATH", or { "env": "NAME" } or { "file": "PATH" } for an address with a password';
  const words = anyOf.flatMap(one => one.enum ?? []).map(word => `"${word}"`);
  return `must be ${words.join(', ')}, or an object such as { "provider": "corp", "groups": ["staff"] }`;
}

function unknownWords(name: string, { properties = {}, patternProperties }: Node): string {
  if (patternProperties !== undefined) return patternWords[Object.keys(patternProperties)[0] ?? ''] ?? 'is not a name for this';
  const meant = Object.keys(properties).find(one => one !== '$schema' && isNear(one.toLowerCase(), name.toLowerCase()));
  return `there is no such setting${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
}

/** Whether two names differ by at most one letter: added, left out or changed. */
function isNear(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  return [rest, rest.slice(1)].some(mine => [otherRest, otherRest.slice(1)].includes(mine));
}

/** The value that a JSON pointer, or the path of a schema (`#/…`), leads to. */
function at(root: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce(
    (found: unknown, name) => (found as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
