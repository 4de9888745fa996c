import type { RecordStore } from '@octavo/sign-in-store';
import { errors } from 'oidc-provider';
import { limits } from '../limits.ts';

export interface Seal {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string | undefined;
}

interface Payload {
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
}

/** The records that a visitor can make oidc-provider store before signing in. */
const anonymous: ReadonlySet<string> = new Set(['Interaction', 'Session', 'ReplayDetection', 'PushedAuthorizationRequest']);
const withGrant: ReadonlySet<string> = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken']);
const secondsPerDay = 86_400;

/** The group of everything that is removed with a grant. */
export const grantGroup = (grantId: string): string => `bridge grant ${grantId}`;

/** oidc-provider's storage, kept in the sign-in store: sealed, expiring, and taken once across all processes. */
export function createStorage(records: RecordStore, seal: () => Seal, now: () => Date) {
  return (model: string) => {
    const kind = `bridge ${model}`;
    const open = (found: Awaited<ReturnType<RecordStore['find']>>): object | undefined => {
      const text = found && seal().open(found.value, kind);
      if (text === undefined) return undefined;
      const taken = found?.takenAt === undefined ? {} : { consumed: Math.floor(found.takenAt.getTime() / 1000) };
      return { ...(JSON.parse(text) as object), ...taken };
    };
    return {
      async upsert(id: string, payload: Payload, expiresIn: number | undefined): Promise<void> {
        const alias = model === 'Session' ? payload.uid : payload.userCode;
        await records.put({
          kind,
          id,
          value: seal().seal(JSON.stringify(payload), kind),
          expiresAt: new Date(now().getTime() + (expiresIn ?? secondsPerDay) * 1000),
          ...(alias === undefined ? {} : { alias }),
          ...(withGrant.has(model) && payload.grantId !== undefined ? { group: grantGroup(payload.grantId) } : {}),
          ...(anonymous.has(model) ? { most: limits.maxBridgeRecordsOfAKind } : {}),
        });
      },
      find: async (id: string) => open(await records.find(kind, id)),
      findByUid: async (uid: string) => open(await records.findByAlias(kind, uid)),
      findByUserCode: async (code: string) => open(await records.findByAlias(kind, code)),
      /** When one code is exchanged twice at once, one exchange is refused: oidc-provider itself only looks, then marks. */
      async consume(id: string): Promise<void> {
        if (!(await records.take(kind, id))) throw new errors.InvalidGrant('it was already used');
      },
      destroy: (id: string) => records.remove(kind, id),
      revokeByGrantId: async (grantId: string) => void (await records.removeGroup(grantGroup(grantId))),
    };
  };
}
