import type { ElementContent } from 'hast';
import temml from 'temml';
import { textStart } from '../../model/text-start.ts';
import { text } from '../tree.ts';
import { safeElement } from './safe-mathml.ts';

export type Drawing = { readonly children: ElementContent[]; readonly elements: number } | { readonly problem: string };

export interface MathEngine {
  /** Never throws because of the formula. */
  draw(tex: string, display: boolean, maxElements: number): Drawing;
}

/** Temml's tree: elements, text, and some HTML that we do not use. */
interface TexNode {
  readonly type?: string;
  readonly text?: string;
  readonly children?: readonly TexNode[];
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
}

/** Temml's types describe a different module format. */
const { __renderToMathMLTree: readTex } = temml as unknown as {
  __renderToMathMLTree(tex: string, settings: object): TexNode;
};

const settings = {
  throwOnError: true,
  strict: false,
  trust: false,
  maxExpand: 200,
  /** In em and pt. */
  maxSize: [40, 400] as [number, number],
};
/** Browsers stop at 512 open elements, and the page has elements around a formula. */
const maxDepth = 120;

class TooMuch extends Error {}

/** Builds our own tree: allowed elements and attributes, checked values, and only the shape taken from Temml. */
class Builder {
  elements = 0;
  readonly #maxElements: number;

  constructor(maxElements: number) {
    this.#maxElements = maxElements;
  }

  build(nodes: readonly TexNode[], depth: number): ElementContent[] {
    if (depth > maxDepth) throw new TooMuch();
    return nodes.flatMap(node => this.#buildOne(node, depth));
  }

  #buildOne(node: TexNode, depth: number): ElementContent[] {
    if (typeof node.text === 'string') return [text(node.text)];
    const children = this.build(node.children ?? [], depth + 1);
    const made = safeElement(node, children);
    if (!made) return children;
    this.elements += 1;
    if (this.elements > this.#maxElements) throw new TooMuch();
    return [made];
  }
}

function problemOf(error: unknown): string {
  if (error instanceof TooMuch || error instanceof RangeError) return 'This formula is too large';
  const [line = ''] = (error instanceof Error ? error.message : '')
    .replace(/^ParseError: ?/, '')
    .split(/\n| at (?:position|end of input)/);
  return `This formula cannot be read: ${textStart(line.trim(), 120) || 'unknown'}`;
}

function draw(tex: string, display: boolean, maxElements: number): Drawing {
  try {
    const tree = readTex(tex, { ...settings, displayMode: display });
    const builder = new Builder(maxElements);
    return { children: builder.build(tree.children ?? [], 0), elements: builder.elements };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

export const texToMathMl: MathEngine = { draw };
