/** The ranges of `Accept` (RFC 9110 §12.5.1) with their weights: 0 is what the client refuses. */
export function acceptedRanges(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const [name = '', ...parts] of accept.split(',').map(range => range.split(';').map(part => part.trim().toLowerCase()))) {
    const weight = parts.find(part => part.startsWith('q='))?.slice('q='.length);
    if (!ranges.has(name)) ranges.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return ranges;
}

/** The weight of the most specific range that includes this type; 0 when none does. */
function weightOf(ranges: ReadonlyMap<string, number>, type: string): number {
  return ranges.get(type) ?? ranges.get(type.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? 0;
}

/** Whether this client asks for the text itself: it prefers `text/markdown` to JSON, or names it beside JSON. */
export function wantsMarkdown(accept = ''): boolean {
  const ranges = acceptedRanges(accept);
  const [weight, ofJson] = [weightOf(ranges, 'text/markdown'), weightOf(ranges, 'application/json')];
  return weight > 0 && (weight > ofJson || (weight === ofJson && ranges.has('text/markdown')));
}
