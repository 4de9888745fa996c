/** Whether a rendered page holds a fence that the reader's browser draws as a diagram. */
export function hasDiagrams(html: string): boolean {
  return html.includes('<code class="language-mermaid">');
}
