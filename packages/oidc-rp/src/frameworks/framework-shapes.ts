import { type Check, requireShape, that } from '../values/shape.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** A request as a framework hands it over, recognized by the members that are read. */
export function frameworkRequest(framework: string, holds: (request: Members) => boolean): Check {
  return that(`a request of ${framework}`, value => isObject(value) && holds(value));
}

/** Whether the value is Node's own request, which every framework built on Node holds. */
export function isNodeRequest(value: unknown): boolean {
  return isObject(value) && isObject(value.headers);
}

// Not by `instanceof`: servers such as Hono's replace the global class. A promise left by a forgotten `await` does not match.
const answer = that(
  'a Response',
  value => isObject(value) && typeof value.status === 'number' && isObject(value.headers) && typeof value.text === 'function',
);

/** Refuses an answer that cannot be sent, and a target that cannot send it. */
export function requireSendable(target: unknown, method: string, response: unknown): void {
  requireShape(
    target,
    'response',
    that(`an object with ${method}()`, value => isObject(value) && typeof value[method] === 'function'),
  );
  requireShape(response, 'answer', answer);
}
