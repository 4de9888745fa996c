const longestAlt = 100;

/** The file name without its extension, escaped as plain Markdown text. */
export function altText(fileName: string): string {
  const stem = fileName.replace(/\.[a-z0-9]{1,5}$/i, '');
  // Control and direction characters could make the text read differently.
  const plain = stem.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const short = [...plain].slice(0, longestAlt).join('').trim() || 'image';
  return short.replaceAll(/[\\`*[\]<>&!~|$]/g, '\\$&').replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

export function imageLink(fileName: string, url: string): string {
  return `![${altText(fileName)}](${url})`;
}
