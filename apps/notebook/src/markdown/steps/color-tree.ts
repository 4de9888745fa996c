import type { ElementContent } from 'hast';
import type { Emitter } from 'highlight.js';

/** The classes of each scope that a grammar has. Their elements share the list. */
const classesOf = new Map<string, string[]>();

/** `title.function` has the classes `hljs-title` and `function_`, as highlight.js writes them. */
function classesFor(scope: string): string[] {
  let classes = classesOf.get(scope);
  if (!classes) {
    classes = scope.split('.').map((name, level) => (level === 0 ? `hljs-${name}` : name + '_'.repeat(level)));
    classesOf.set(scope, classes);
  }
  return classes;
}

/** Makes elements directly of what highlight.js finds in a code block. */
export class ColorTree implements Emitter {
  readonly children: ElementContent[] = [];
  /** How deep its elements nest. */
  depth = 0;
  readonly #open: ElementContent[][] = [];
  #current = this.children;

  addText(value: string): void {
    if (value === '') return;
    const last = this.#current.at(-1);
    if (last?.type === 'text') last.value += value;
    else this.#current.push({ type: 'text', value });
  }

  openNode(scope: string): void {
    const children: ElementContent[] = [];
    this.#current.push({ type: 'element', tagName: 'span', properties: { className: classesFor(scope) }, children });
    this.#open.push(this.#current);
    this.#current = children;
    if (this.#open.length > this.depth) this.depth = this.#open.length;
  }

  closeNode(): void {
    this.#current = this.#open.pop() ?? this.children;
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  /** An embedded language is wrapped. highlight.js gives it its bare name as a class (`css`, `xml`), which means nothing on our pages. */
  __addSublanguage({ children, depth }: ColorTree, language: string): void {
    this.depth = Math.max(this.depth, this.#open.length + depth + (language ? 1 : 0));
    if (language) this.#current.push({ type: 'element', tagName: 'span', properties: {}, children });
    else this.#current.push(...children);
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}
