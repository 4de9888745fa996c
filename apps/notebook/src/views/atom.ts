import { escapeXml } from './xml.ts';

export interface AtomFeed {
  /** Address of the feed itself, and its id. */
  readonly self: string;
  /** Address of the page that the feed follows. */
  readonly alternate: string;
  readonly title: string;
  /** Unix milliseconds. */
  readonly updatedAt: number;
  readonly author: string;
}

export interface AtomEntry {
  /** Never changes (RFC 4287 §4.2.6). */
  readonly id: string;
  /** Address of the entry's subject. */
  readonly url: string;
  readonly title: string;
  /** Unix milliseconds. */
  readonly updatedAt: number;
  /** Plain text. */
  readonly summary: string;
}

const stamp = (time: number) => new Date(time).toISOString();

/** An Atom feed (RFC 4287), one entry at a time. */
export async function* atomFeed(feed: AtomFeed, entries: AsyncIterable<AtomEntry>): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(feed.self)}</id>
<title>${escapeXml(feed.title)}</title>
<updated>${stamp(feed.updatedAt)}</updated>
<author><name>${escapeXml(feed.author)}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeXml(feed.self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(feed.alternate)}"/>
`;
  for await (const { id, url, title, updatedAt, summary } of entries)
    yield `<entry>
<id>${escapeXml(id)}</id>
<title>${escapeXml(title)}</title>
<updated>${stamp(updatedAt)}</updated>
<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>
<summary>${escapeXml(summary)}</summary>
</entry>
`;
  yield '</feed>\n';
}
