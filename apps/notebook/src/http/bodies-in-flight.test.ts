import { describe, expect, it } from 'vitest';
import type { Refusal } from '../errors.ts';
import { BodiesInFlight, BodyInFlight } from './bodies-in-flight.ts';

function bodyOf(client: string): BodyInFlight & { refused: Refusal[] } {
  const refused: Refusal[] = [];
  return Object.assign(new BodyInFlight(client, refusal => refused.push(refusal)), { refused });
}

describe('the bytes in flight', () => {
  it('past the bound cost the greediest client its largest body, not the one that comes', () => {
    const flight = new BodiesInFlight({ maxBytes: 100 });
    const [large, small, other] = [bodyOf('a'), bodyOf('a'), bodyOf('b')];
    flight.add(small, 20);
    flight.add(large, 60);
    flight.add(other, 30);
    expect(large.refused.map(({ code }) => code)).toEqual(['unavailable']);
    expect(large.refused[0]!.extras.retryAfterSeconds).toBeGreaterThan(0);
    expect([...small.refused, ...other.refused]).toEqual([]);
    expect(flight.bytes).toBe(50);
  });

  it('past the bound of one client are refused to that client', () => {
    const flight = new BodiesInFlight({ maxBytes: 100, maxBytesPerClient: 40 });
    const [first, second, other] = [bodyOf('a'), bodyOf('a'), bodyOf('b')];
    flight.add(first, 40);
    flight.add(other, 40);
    flight.add(second, 1);
    expect(second.refused.map(({ code }) => code)).toEqual(['rate_limited']);
    expect([...first.refused, ...other.refused]).toEqual([]);
  });

  it('are given back once, when the answer is sent', () => {
    const flight = new BodiesInFlight({ maxBytes: 100, maxBytesPerClient: 40 });
    const body = bodyOf('a');
    flight.add(body, 40);
    flight.close(body);
    flight.close(body);
    expect(flight.bytes).toBe(0);
    const next = bodyOf('a');
    flight.add(next, 40);
    expect(next.refused).toEqual([]);
  });
});
