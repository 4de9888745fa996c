/** So long an expired notebook is kept for its owner. Apart from `limits`, so that the script of the home page does not bring all of them. */
export const graceDays = 3;
