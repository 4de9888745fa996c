import type { ApiSnapshotHead } from '../../api/types.ts';
import { exactWords } from '../device/date-words.ts';

/**
 * The moment of each version, in order. Two of the same second are told apart by a number that stays when newer ones come.
 * @param list newest first
 */
export function versionNames(list: readonly Pick<ApiSnapshotHead, 'createdAt'>[]): string[] {
  const words = list.map(({ createdAt }) => exactWords(createdAt));
  return words.map((name, place) => {
    const older = words.slice(place + 1).filter(other => other === name).length;
    return older > 0 || words.indexOf(name) < place ? `${name} (${older + 1})` : name;
  });
}
