import { type Check, requireShape, that } from './shape.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** A request as a framework hands it over, told by what is read of it. */
export function frameworkRequest(framework: string, holds: (request: Members) => boolean): Check {
  return that(`a request of ${framework}`, value => isObject(value) && holds(value));
}

/** Whether it is one of Node's own, which every framework on it has inside. */
export function isNodeRequest(value: unknown): boolean {
  return isObject(value) && isObject(value.headers);
}

// Not by `instanceof`: servers such as Hono's replace the global class. A promise, which a forgotten `await` leaves, is none.
const answer = that(
  'a Response',
  value => isObject(value) && typeof value.status === 'number' && isObject(value.headers) && typeof value.text === 'function',
);

/** Refuses what an adapter can neither send nor send it by. */
export function requireSendable(target: unknown, method: string, response: unknown): void {
  requireShape(
    target,
    'response',
    that(`an object with ${method}()`, value => isObject(value) && typeof value[method] === 'function'),
  );
  requireShape(response, 'answer', answer);
}
