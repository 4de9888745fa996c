/** What a step makes of a text. A change that changes nothing would be a test that cannot fail. */
export function changed<T extends string | Uint8Array>(step: ((xml: string) => T) | undefined, xml: string): T | string {
  if (step === undefined) return xml;
  const after = step(xml);
  if (after === xml) throw new Error('the fault of this fixture changed nothing');
  return after;
}
