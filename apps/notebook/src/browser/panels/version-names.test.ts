import { expect, it } from 'vitest';
import { versionNames } from './version-names.ts';

it('tells versions of the same second apart', () => {
  const at = (time: string) => ({ createdAt: `2026-11-08T${time}Z` });
  const names = versionNames([at('14:03:08.100'), at('14:03:07.900'), at('14:03:07.200'), at('14:03:06.999')]);
  expect(names.map(name => name.replace(/.*:/, ''))).toEqual(['08', '07 (2)', '07 (1)', '06']);
});
