/** GitHub's prefix. It keeps ids from the text apart from names that the page's scripts look up. */
export const defaultIdPrefix = 'user-content-';
