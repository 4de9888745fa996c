import type { Element } from 'hast';

/** The code of a fence that the reader's browser draws as a diagram (browser/diagrams). */
export function isDiagram({ tagName, properties }: Element): boolean {
  const { className } = properties;
  return tagName === 'code' && Array.isArray(className) && className.length === 1 && className[0] === 'language-mermaid';
}
