/** Rounding must not leave a pixel of the last letter outside. */
const play = 0.99;

/** Makes each formula that is wider than its column smaller, until all of it is on the sheet. No browser breaks a formula into lines. */
export function fitFormulas(formulas: readonly HTMLElement[]): void {
  for (const formula of formulas) formula.style.removeProperty('--fit');
  // All are measured before one is changed, or each would cost a layout of its own.
  const shares = formulas.map(({ clientWidth, scrollWidth }) => clientWidth / scrollWidth);
  for (const [index, share] of shares.entries()) if (share < 1) formulas[index]!.style.setProperty('--fit', String(share * play));
}
