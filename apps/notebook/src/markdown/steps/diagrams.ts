import type { Element } from 'hast';

/** Whether an element is code that the reader's browser draws as a diagram (browser/diagrams). */
export function isDiagram({ tagName, properties }: Element): boolean {
  const { className } = properties;
  return tagName === 'code' && Array.isArray(className) && className.length === 1 && className[0] === 'language-mermaid';
}
