// Beside what a worker has, the session may keep words on the device and hear of other tabs. It sees no element.

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
