type Payload = Record<string, unknown> & { grantId?: string; uid?: string };

/** The storage of a test provider, kept apart from it so that it survives a restart with new keys. */
export function createOpStorage() {
  const kept = new Map<string, Payload>();
  const find = (name: string, matches: (payload: Payload) => boolean) =>
    [...kept].find(([key, payload]) => key.startsWith(`${name} `) && matches(payload))?.[1];

  return class OpStorage {
    readonly name: string;

    constructor(name: string) {
      this.name = name;
    }

    async upsert(id: string, payload: Payload): Promise<void> {
      kept.set(`${this.name} ${id}`, payload);
    }

    async find(id: string): Promise<Payload | undefined> {
      return kept.get(`${this.name} ${id}`);
    }

    async findByUid(uid: string): Promise<Payload | undefined> {
      return find(this.name, payload => payload.uid === uid);
    }

    async findByUserCode(userCode: string): Promise<Payload | undefined> {
      return find(this.name, payload => payload.userCode === userCode);
    }

    async consume(id: string): Promise<void> {
      const payload = kept.get(`${this.name} ${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    }

    async destroy(id: string): Promise<void> {
      kept.delete(`${this.name} ${id}`);
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
    }
  };
}
