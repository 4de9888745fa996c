const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads `90s`, `15m`, `8h`, `2d`. @returns seconds, or undefined when it is none of these */
export function readDuration(text: unknown): number | undefined {
  const found = typeof text === 'string' ? /^([1-9]\d{0,5})([smhd])$/.exec(text) : null;
  return found ? Number(found[1]) * units[found[2] as string]! : undefined;
}
