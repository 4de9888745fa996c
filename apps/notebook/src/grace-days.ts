/** How long an expired notebook is kept for its owner. Separate from `limits`, so that the home page's script does not load all of them. */
export const graceDays = 3;
