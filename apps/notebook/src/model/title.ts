/** One line: runs of white space and control characters become one space. */
export function tidyTitle(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}

export const untitledNotebook = 'Untitled notebook';
