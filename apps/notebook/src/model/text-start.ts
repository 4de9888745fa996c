/** The start of a text, of at most so many UTF-16 units. A character that takes two is left out rather than cut in half. */
export function textStart(text: string, mostUnits: number): string {
  const last = text.charCodeAt(mostUnits - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? mostUnits - 1 : mostUnits);
}
