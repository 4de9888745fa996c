import type { FastifyReply } from 'fastify';
import { dataPolicy } from '../http/answers/security-headers.ts';
import { sendLargeText } from './large-reads.ts';

const blockChars = 16_384;

async function* inBlocks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const text of texts) {
    block += text;
    if (block.length < blockChars) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

/** Sends a long text while it is made. By default it is revalidated each time, so that a text that stops being public is gone at once. */
export function sendTextStream(
  reply: FastifyReply,
  client: string,
  contentType: string,
  texts: AsyncIterable<string>,
  cacheControl = 'no-cache',
): Promise<FastifyReply> {
  reply.headers({
    'content-type': `${contentType}; charset=utf-8`,
    'cache-control': cacheControl,
    'content-security-policy': dataPolicy,
  });
  return sendLargeText(reply, client, inBlocks(texts));
}
