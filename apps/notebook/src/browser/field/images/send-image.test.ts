import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NoConnection } from '../../api/api-client.ts';
import { sendImage } from './send-image.ts';

/** A request to which nothing happens but what the test dispatches. */
class SilentRequest extends EventTarget {
  static last: SilentRequest;
  readonly upload = new EventTarget();
  status = 0;
  responseText = '';
  isAborted = false;
  open(): void {}
  setRequestHeader(): void {}
  getResponseHeader(): null {
    return null;
  }
  send(): void {
    SilentRequest.last = this;
  }
  abort(): void {
    this.isAborted = true;
    this.dispatchEvent(new Event('abort'));
  }
  tell(part: number): void {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { lengthComputable: true, loaded: part, total: 1 }));
  }
  answer(status: number, text: string): void {
    Object.assign(this, { status, responseText: text });
    this.dispatchEvent(new Event('load'));
    this.dispatchEvent(new Event('loadend'));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('XMLHttpRequest', SilentRequest);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const stop = new AbortController();

/** 100 kB adds ten seconds, at the slowest speed that counts, to the timeout of twenty. */
function send(onProgress: (part: number) => void = () => {}) {
  const bytes = new Blob([new Uint8Array(100_000)], { type: 'image/webp' });
  const sending = sendImage({ slug: 'trip', editToken: undefined, bytes, signal: stop.signal, onProgress });
  let outcome: unknown = 'waits';
  const settle = (value: unknown): void => {
    outcome = value;
  };
  sending.then(settle, settle);
  return { outcome: () => outcome };
}

describe('an image that is sent', () => {
  it('is given up on a line that is dead without saying so', async () => {
    const { outcome } = send();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(outcome()).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome()).toBeInstanceOf(NoConnection);
    expect(SilentRequest.last.isAborted).toBe(true);
  });

  it('has its time anew with all that goes out', async () => {
    const parts: number[] = [];
    const { outcome } = send(part => parts.push(part));
    for (const part of [0.2, 0.4, 0.6]) {
      await vi.advanceTimersByTimeAsync(25_000);
      SilentRequest.last.tell(part);
    }
    await vi.advanceTimersByTimeAsync(29_000);
    expect(outcome()).toBe('waits');
    SilentRequest.last.answer(201, '{"url":"https://images.example/1.webp"}');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(outcome()).toEqual({ url: 'https://images.example/1.webp' });
    expect(parts).toEqual([0.2, 0.4, 0.6]);
    expect(SilentRequest.last.isAborted).toBe(false);
  });
});
