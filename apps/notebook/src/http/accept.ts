/** The weight (RFC 9110 §12.4.2) that `Accept` gives to a type which it names; 0 where it does not. */
function weightOf(accept: string, type: string): number {
  const ranges = accept.split(',').map(range => range.split(';').map(part => part.trim().toLowerCase()));
  const named = ranges.find(([name]) => name === type);
  if (!named) return 0;
  const weight = named.find(part => part.startsWith('q='))?.slice('q='.length);
  return weight === undefined ? 1 : Number(weight) || 0;
}

/** Does this client ask for the text itself? Only one that names `text/markdown`, and does not want JSON more. */
export function wantsMarkdown(accept = ''): boolean {
  const weight = weightOf(accept, 'text/markdown');
  return weight > 0 && weight >= weightOf(accept, 'application/json');
}
