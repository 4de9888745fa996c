/**
 * A path as file systems that ignore case may read it. Linux, ZFS and macOS compare letters by full case folding (`ſ` is s, `ß` is ss) and
 * drop what is not shown. Windows drops dots and spaces at the end of a name, and `name::$DATA` is the file itself.
 */
export function asFile(path: string): string {
  const folded = path.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
  const names = folded.replace(/\p{Default_Ignorable_Code_Point}/gu, '').split('/');
  return `/${names
    .map(nameOf)
    .filter(name => name !== '')
    .join('/')}`;
}

function nameOf(segment: string): string {
  const colon = segment.indexOf(':');
  const name = colon !== -1 && segment.includes('$', colon) ? segment.slice(0, colon) : segment;
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return name.slice(0, end);
}
