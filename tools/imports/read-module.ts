import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';

/** One place where a module refers to another. */
export interface Reach {
  readonly specifier: string;
  /** Erased at run time: `import type`, `export type … from`, `import('x').T` in a type. */
  readonly typeOnly: boolean;
}

export interface ModuleFacts {
  readonly reaches: readonly Reach[];
  readonly readsEnvironment: boolean;
}

/** What a source file imports, and whether it reads the environment. Throws an error with the file's name when it cannot be parsed. */
export function readModule(file: string): ModuleFacts {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  const broken = errors.find(error => error.severity === 'Error');
  if (broken) throw new Error(`${file} cannot be parsed: ${broken.message}`);
  const reaches: Reach[] = [];
  let readsEnvironment = false;
  const note = (specifier: unknown, typeOnly: boolean) => {
    if (typeof specifier === 'string') reaches.push({ specifier, typeOnly });
  };
  new Visitor({
    ImportDeclaration(node) {
      note(node.source.value, node.importKind === 'type');
      if (/^(node:)?process$/.test(node.source.value)) readsEnvironment ||= node.specifiers.some(isNamedEnv);
    },
    ExportNamedDeclaration: node => note(node.source?.value, node.exportKind === 'type'),
    ExportAllDeclaration: node => note(node.source.value, node.exportKind === 'type'),
    ImportExpression: node => note(literal(node.source), false),
    TSImportType: node => note(node.source.value, true),
    // A worker, or another file of ours loaded by URL, runs as surely as an import.
    NewExpression(node) {
      const address = isIdentifier(node.callee, 'URL') ? literal(node.arguments[0]) : undefined;
      if (address !== undefined && /^\.{1,2}\/.*\.tsx?$/.test(address)) note(address, false);
    },
    MemberExpression(node) {
      if (isIdentifier(node.property, 'env') && isProcess(node.object)) readsEnvironment = true;
    },
    VariableDeclarator(node) {
      if (node.init && isProcess(node.init) && node.id.type === 'ObjectPattern') {
        readsEnvironment ||= node.id.properties.some(part => part.type === 'Property' && isIdentifier(part.key, 'env'));
      }
    },
  }).visit(program);
  return { reaches, readsEnvironment };
}

type Node = { readonly type: string };

function isIdentifier(node: Node | null | undefined, name: string): boolean {
  return node?.type === 'Identifier' && 'name' in node && node.name === name;
}

/** `process`, `globalThis.process`. */
function isProcess(node: Node): boolean {
  if (isIdentifier(node, 'process')) return true;
  return node.type === 'MemberExpression' && 'property' in node && isIdentifier(node.property as Node, 'process');
}

function isNamedEnv(node: Node): boolean {
  return node.type === 'ImportSpecifier' && 'imported' in node && isIdentifier(node.imported as Node, 'env');
}

function literal(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && 'value' in node && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && 'quasis' in node) {
    const quasis = node.quasis as { value: { cooked: string | null } }[];
    return quasis.length === 1 ? (quasis[0]!.value.cooked ?? undefined) : undefined;
  }
  return undefined;
}
