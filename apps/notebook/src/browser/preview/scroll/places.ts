/** A height in the preview and the matching place in the text. Lines are 0-based; .5 is the middle of a line. */
export interface Place {
  readonly line: number;
  readonly y: number;
}

/** An element of the preview whose first source line is known. */
export interface Marker {
  readonly line: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Joins markers into one rising sequence of places. The range from a marker's top to its bottom is its own text; the range from there to
 * the next marker is the blank lines between.
 */
export function placesOf(markers: readonly Marker[], isBlank: (line: number) => boolean): Place[] {
  const places: Place[] = [];
  const add = (line: number, y: number): void => {
    const last = places.at(-1);
    if (!last || (line > last.line && y >= last.y)) places.push({ line, y });
  };
  for (const [at, { line, top }] of markers.entries()) {
    if (at > 0) {
      const before = markers[at - 1]!;
      let end = line;
      while (end - 1 > before.line && isBlank(end - 1)) end -= 1;
      add(end, Math.min(before.bottom, top));
    }
    add(line, top);
  }
  return places;
}

/** Interpolates linearly between places, and clamps before the first and after the last. */
export function yAt(places: readonly Place[], line: number): number {
  return between(places, line, 'line', 'y');
}

export function lineAt(places: readonly Place[], y: number): number {
  return between(places, y, 'y', 'line');
}

function between(places: readonly Place[], value: number, from: 'line' | 'y', to: 'line' | 'y'): number {
  const after = places.findIndex(place => place[from] > value);
  if (after === -1) return places.at(-1)?.[to] ?? 0;
  const next = places[after]!;
  const before = places[after - 1];
  if (!before) return next[to];
  return before[to] + ((value - before[from]) / (next[from] - before[from])) * (next[to] - before[to]);
}
