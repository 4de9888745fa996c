/** Hands a file to the browser's downloads. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Revoked later, because some browsers start to read the file only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
