// Beyond a worker's globals, the session may use local storage and listen to other tabs. It sees no elements.

declare const localStorage: {
  readonly length: number;
  key(place: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

declare function addEventListener(
  type: 'storage',
  listener: (event: { readonly key: string | null; readonly newValue: string | null }) => unknown,
): void;
declare function addEventListener(
  type: 'pageshow' | 'pagehide',
  listener: (event: { readonly persisted: boolean }) => unknown,
): void;
