import type { IncomingMessage } from 'node:http';
import { drawTable, plainJson, plainLine, withoutControls } from '../../src/commands/terminal-text.ts';
import { clientKey, networkOf, networksOf } from '../../src/http/addresses/client-ip.ts';
import { formPage, meantAddress, meantSlug } from '../../src/http/addresses/meant-address.ts';
import { hasOneHost } from '../../src/http/addresses/one-host.ts';
import { acceptedRanges, wantsMarkdown } from '../../src/http/answers/accept.ts';
import { chooseCoding } from '../../src/http/answers/compressed.ts';
import { scanJson } from '../../src/http/bodies/json-scan.ts';
import { cutText } from '../../src/http/bodies/json-text.ts';
import { readForm, readJson, readJsonInSteps, readUtf8, requireCleanText } from '../../src/http/bodies/request-text.ts';
import { redactedPath } from '../../src/http/request-log.ts';
import { limits } from '../../src/limits.ts';
import { escapeXmlAttribute, escapeXml as escapeXmlText } from '../../src/markdown/book/xml-text.ts';
import { checkBounds } from '../../src/markdown/bounds.ts';
import { replaceEmoji, withEmoji } from '../../src/markdown/emoji/emoji.ts';
import { escapeHtml } from '../../src/markdown/escape.ts';
import { cutTitle, firstHeading } from '../../src/markdown/heading.ts';
import { htmlPieces } from '../../src/markdown/html-pieces.ts';
import { isHtmlTag } from '../../src/markdown/known-tags.ts';
import { normalize } from '../../src/markdown/normalize.ts';
import { decoded, hasFileLinks, resolvePageLinks } from '../../src/markdown/page-links.ts';
import { fenceText, guessPastedText } from '../../src/markdown/pasted-text.ts';
import { renderPlain } from '../../src/markdown/plain.ts';
import { plainFacts } from '../../src/markdown/plain-facts.ts';
import { slugOf } from '../../src/markdown/steps/headings.ts';
import { hashReaderCookie, isUnlockedBy } from '../../src/model/cookies.ts';
import { editTokenMatches, hashEditToken, isEditToken } from '../../src/model/edit-token.ts';
import { readTimestamp } from '../../src/model/expiry.ts';
import { fileNameOf, fileWords } from '../../src/model/file-name.ts';
import { firstLine, shortTitle } from '../../src/model/first-line.ts';
import { findHits, markHits } from '../../src/model/hits.ts';
import { identifyImage, isObjectKey, notebookIdOf } from '../../src/model/image.ts';
import { checkImage, findImageType } from '../../src/model/image-type.ts';
import { composed, cutMarkRuns } from '../../src/model/mark-runs.ts';
import { shownTitle } from '../../src/model/notebook.ts';
import { findPageAt, PageLinks, pageWords } from '../../src/model/page-address.ts';
import { hasNoTitle, opensWith, pageName } from '../../src/model/page-name.ts';
import { isImagePath, isNotePath, isPagePath } from '../../src/model/page-path.ts';
import { readReportReason } from '../../src/model/report.ts';
import { foldForSearch, holdsWord, readSearchWords } from '../../src/model/search-text.ts';
import { readShortText } from '../../src/model/short-text.ts';
import { checkSlug, hashSlug, isSlug } from '../../src/model/slug.ts';
import { textStart } from '../../src/model/text-start.ts';
import { TextTracker } from '../../src/model/text-tracker.ts';
import { afterTitle, notebookTitle, tidyTitle, withoutDirectionControls } from '../../src/model/title.ts';
import { plainText } from '../../src/operations/plain-text.ts';
import { joinMarkdown } from '../../src/operations/read-notebook.ts';
import { readFile, readPage, requireMarkdownFits } from '../../src/operations/read-notebook-input.ts';
import { belowTitle, makeSnippet } from '../../src/operations/snippet.ts';
import { etagMatches } from '../../src/routes/context.ts';
import { longGrams, shortGrams } from '../../src/store/search/search-grams.ts';
import { findLinks } from '../../src/views/comment-links.ts';
import { imagesOf, piecesOf, resolveBookLinks } from '../../src/views/epub-links.ts';
import { escapeXml, titleInXml, withoutNonXml } from '../../src/views/xml.ts';
import { linkImages } from '../../src/views/zoom-links.ts';

const word = { text: 'zebra', whole: false } as const;
const wholeWord = { text: 'ze', whole: true } as const;
const head = { id: 'p', notebookId: 'n', position: 0, givenTitle: '', heading: '', revision: 1, updatedAt: 0 };
const bytes = (text: string) => Buffer.from(text);
const pageLinks = new PageLinks([head], [{ pageId: 'p', path: 'Projects/Alpha.md' }], () => 'Alpha');
const bookAddresses = { base: 'https://notes.example/n/x', findPage: () => undefined, findImage: () => undefined };
const fileLinks = (text: string) =>
  (text.match(/[^"#?:]{1,900}/g) ?? []).map(name => `<a href="${escapeHtml(name)}.md">`).join('');

/**
 * The functions of the service's thread that are given a stranger's text, each as it is called. A test keeps the list complete for the
 * rooms where such functions live. A refusal is an answer like any other.
 */
export const mainThread: Readonly<Record<string, (text: string) => unknown>> = {
  checkBounds,
  normalize,
  cutTitle,
  firstLine,
  shortTitle,
  hasNoTitle: text => hasNoTitle({ title: text }),
  shownTitle: text => shownTitle({ title: '' }, 2, head, text),
  opensWith: text => opensWith(text, text),
  afterTitle: text => afterTitle(text, { title: text.slice(0, 200), titleInText: true }),
  pageName: text => pageName({ title: '', text }),
  textStart: text => textStart(text, 200),
  firstHeading,
  'firstHeading, on headings': text => firstHeading(`# ${text.slice(0, 60_000)}`),
  renderPlain: text => renderPlain(text, 'time'),
  escapeHtml,
  plainFacts,
  linkImages: text => linkImages(`<p><img src="a" alt="${escapeHtml(text)}"><p>${escapeHtml(text)}`),
  readReportReason,
  readShortText: text => readShortText(text, 'body', limits.maxCommentChars),
  guessPastedText,
  fenceText,
  isUnlockedBy: text => isUnlockedBy(text, 's', { id: 'n', passwordHash: 'h' }, 0),
  hashReaderCookie,
  isEditToken,
  hashEditToken,
  editTokenMatches: text => editTokenMatches(text, '0'.repeat(64)),
  readTimestamp,
  foldForSearch,
  // Bounded before it is called, as the limits of the service have it.
  readSearchWords: text => readSearchWords(text.slice(0, limits.maxSearchQueryChars)),
  holdsWord: text => [holdsWord(text, word), holdsWord(text, wholeWord)],
  // Runs on titles and on parts of 4,000 characters (operations/snippet.ts).
  findHits: text => findHits(text.slice(0, 4_000), [word, wholeWord]),
  markHits: text => markHits(text.slice(0, 4_000), [word]),
  isObjectKey,
  notebookIdOf,
  identifyImage: text => [identifyImage(text), identifyImage(`https://images.example/${text}`)],
  findImageType: text => findImageType(bytes(text)),
  checkImage: text => checkImage(bytes(text)),
  isSlug,
  checkSlug,
  hashSlug,
  cutMarkRuns,
  composed,
  fileNameOf: text => fileNameOf(tidyTitle(text), 'epub'),
  fileWords: text => fileWords(tidyTitle(text), 60),
  pageWords: text => pageWords(tidyTitle(text)),
  findPageAt: text => findPageAt([{ ...head, givenTitle: tidyTitle(text) }], text),
  isImagePath,
  isNotePath,
  isPagePath,
  htmlPieces: text => [...htmlPieces(text)],
  hasFileLinks,
  resolvePageLinks: text => resolvePageLinks(text, () => undefined),
  'resolvePageLinks, to files of these names': text => resolvePageLinks(fileLinks(text), link => pageLinks.find('p', link)?.id),
  'PageLinks, one long name': text => pageLinks.find('p', `${text}.md`),
  decoded,
  tidyTitle,
  withoutDirectionControls,
  notebookTitle: text => notebookTitle(text, undefined),
  plainText,
  joinMarkdown: text => joinMarkdown({ texts: new TextTracker() }, [{ ...head, markdown: text }]),
  readPage: text => readPage('p', { title: text, markdown: text }, ''),
  readFile: text => readFile({ path: 'a.md', patch: text }, ''),
  requireMarkdownFits: text => requireMarkdownFits(text, 'markdown'),
  makeSnippet: text => makeSnippet(text, [word, wholeWord]),
  belowTitle: text => belowTitle(text, text.slice(0, 200)),
  longGrams,
  shortGrams,
  findLinks,
  'findLinks, on addresses': text => findLinks(`https://a.example/${text}`),
  escapeXml,
  escapeXmlText,
  escapeXmlAttribute,
  titleInXml,
  withoutNonXml,
  withEmoji,
  replaceEmoji: text => replaceEmoji(text, name => name),
  isHtmlTag,
  slugOf,
  piecesOf: text => [...piecesOf(text)],
  imagesOf,
  'imagesOf, one address': text => imagesOf(`<img src="${escapeHtml(text)}" alt="" class="image"/>`),
  resolveBookLinks: text => resolveBookLinks(text, bookAddresses),
  'resolveBookLinks, one address': text => resolveBookLinks(`<a href="${escapeHtml(text)}">`, bookAddresses),
  wantsMarkdown,
  acceptedRanges,
  meantAddress: text => [meantAddress(text), meantAddress(`/n/${text}`)],
  meantSlug: text => meantSlug(`/n/${text}`),
  formPage: text => formPage(text, { accept: `text/html,${text}` }),
  hasOneHost: text => hasOneHost({ rawHeaders: ['host', text], httpVersion: '1.1', headers: { host: text } } as IncomingMessage),
  chooseCoding,
  clientKey,
  networkOf,
  networksOf,
  redactedPath,
  etagMatches: text => etagMatches(text, 'W/"x"'),
  readUtf8: text => readUtf8(bytes(text)),
  // As long as a page's form may be; the words of a longer one are one field (routes/api-quick.ts).
  readForm: text => readForm(text.slice(0, 65_536)),
  'readForm, of one field': text => readForm(`markdown=${text.replace(/[&;]/g, '%26')}`),
  requireCleanText: text => requireCleanText(text, 'The body'),
  readJson: text => readJson(bytes(text)),
  'readJson, of a text': text => readJson(bytes(JSON.stringify({ markdown: text }))),
  scanJson: text => [...scanJson(Buffer.from(text), 256)],
  'scanJson, of a text': text => [...scanJson(Buffer.from(JSON.stringify({ markdown: text })), 256)],
  cutText: text => {
    const body = Buffer.from(JSON.stringify(text));
    for (let at = 1; at < body.length - 64; ) at = cutText(body, at, at + 32);
  },
  readJsonInSteps: text => [...readJsonInSteps(bytes(JSON.stringify({ markdown: text })))],
  plainLine: text => plainLine(text, 80),
  plainJson,
  withoutControls,
  drawTable: text => drawTable([[text, 'x']]),
};

/** Exported beside them, and given no text of a stranger's that is not bounded, or called elsewhere. */
export const withoutText: Readonly<Record<string, string>> = {
  tooManyValues: 'an error',
  countMarkdownBytes: 'a sum of numbers and one byteLength',
  countFileBytes: 'a sum of two byteLengths, of a path and a patch of at most 65,536 characters',
  hasRoomForText: 'numbers',
  hasRoomForPage: 'numbers',
  isPageOrder: 'ids, at most 200',
  pageTitle: 'chooses',
  isUntitled: 'chooses',
  pageAnswer: 'copies',
  cutIntoSegments: 'in markHits',
  needsSnapshot: 'numbers',
  createId: 'random bytes',
  createSlug: 'random bytes',
  createEditToken: 'random bytes',
  deriveEditToken: 'an edit token that owned it and a key of at most 64 characters, hashed once',
  deriveFirstEditToken: 'a key of at most 64 characters, hashed once',
  objectKey: 'ids of ours',
  possibleKeys: 'ids of ours',
  contentTypeOf: 'a word of a list',
  isListed: 'settings',
  isListedNow: 'settings',
  isShared: 'settings',
  lifecycle: 'settings',
  decideAccess: 'an edit token, hashed once',
  decideImageAccess: 'two times',
  startOfDay: 'a time',
  unlockCookieName: 'a slug that was found',
  readerCookieName: 'a slug that was found',
  createUnlockCookie: 'settings',
  isReaderCookie: 'hashed once, as hashReaderCookie',
  expiryAfter: 'numbers',
  isExpired: 'numbers',
  isPastGrace: 'numbers',
  requireSlug: 'checkSlug',
  readExpiry: 'readTimestamp',
  hasHit: 'segments of a snippet',
  plainWithoutText: 'no text',
  plainPieces: 'renderPlain',
  timeOf: 'in plainFacts',
  shorten: 'in plainFacts',
  minutesFor: 'numbers',
  pastedMarkdown: 'guessPastedText and fenceText',
  readDatabaseUrl: 'a setting of the operator',
  emojiNames: 'our own list',
  treatedAs: 'chooses',
  isBelowApi: 'looks at the start of a path',
  requireCleanAddresses: 'a path and a query of a head of at most 16 KiB, read with requireCleanText and isUtf8',
  requireSameSite: 'one header of at most 16 KiB, parsed once as an address',
  ownUrl: 'an address of ours',
  glob: 'no text',
};
