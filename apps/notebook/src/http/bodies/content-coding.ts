import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../errors.ts';

/** The body is compressed, or encoded otherwise. It is not decoded: a few bytes may become gigabytes. */
export class EncodedBody extends Refusal {
  constructor(coding: string) {
    super('unsupported_media_type', { detail: `Send the body as it is, without Content-Encoding: ${coding}.` });
  }
}

/** RFC 9110 §8.4: what the bytes of a coding mean is not what they say. Read as a text, they would be stored as nobody wrote them. */
export function requireNoCoding({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const coding = headers['content-encoding'] ?? '';
  if (/[^\s,]/.test(coding.replace(/(?<![^\s,])identity(?![^\s,])/gi, ''))) throw new EncodedBody(coding);
}
