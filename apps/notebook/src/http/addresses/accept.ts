/** The weight (RFC 9110 §12.4.2) that `Accept` gives to a type by name; 0 when it does not name the type. */
function weightOf(accept: string, type: string): number {
  const ranges = accept.split(',').map(range => range.split(';').map(part => part.trim().toLowerCase()));
  const named = ranges.find(([name]) => name === type);
  if (!named) return 0;
  const weight = named.find(part => part.startsWith('q='))?.slice('q='.length);
  return weight === undefined ? 1 : Number(weight) || 0;
}

/** Whether this client asks for the text itself: it names `text/markdown` and does not prefer JSON. */
export function wantsMarkdown(accept = ''): boolean {
  const weight = weightOf(accept, 'text/markdown');
  return weight > 0 && weight >= weightOf(accept, 'application/json');
}
