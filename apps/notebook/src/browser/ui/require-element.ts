export function requireElement<Found extends Element>(selector: string): Found {
  const found = document.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
}
