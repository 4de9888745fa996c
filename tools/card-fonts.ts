import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import decompress from 'woff2-encoder/decompress';

const { resolve } = createRequire(new URL('../apps/notebook/package.json', import.meta.url));

/** Our fonts, and the system's for scripts that ours do not cover. */
const fontConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">.</dir>
</fontconfig>
`;

/** Builds the page fonts as TrueType, for the images of shared links: their renderer cannot read WOFF2. */
export async function buildCardFonts(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of ['inter', 'source-serif-4']) {
    const files = join(dirname(resolve(`@fontsource-variable/${name}/package.json`)), 'files');
    for (const file of await readdir(files))
      if (file.endsWith('-wght-normal.woff2'))
        await writeFile(join(folder, file.replace(/woff2$/, 'ttf')), await decompress(await readFile(join(files, file))));
  }
  await writeFile(join(folder, 'fonts.conf'), fontConfig);
}
