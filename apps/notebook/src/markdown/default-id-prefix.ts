/** GitHub's: an id of the text's own can take no name that a script of the page asks for. */
export const defaultIdPrefix = 'user-content-';
