import { expect, test } from 'vitest';
import { isDownload, isForeignWebSocket, isNavigation, isOtherHost, isSameOrigin } from './navigation.ts';

const here = 'https://notes.example.org';
const page = { accept: 'text/html' };

test.each([
  ['GET', page, true],
  ['HEAD', page, true],
  ['POST', page, true],
  ['DELETE', page, false],
  ['GET', {}, false],
  ['GET', { accept: '*/*' }, false],
  ['GET', { accept: 'application/json, Text/HTML;q=0.9' }, true],
  ['GET', { accept: 'application/xhtml+xml' }, true],
  ['GET', { accept: 'text/htmlx, x-text/html' }, false],
  ['GET', { ...page, 'x-requested-with': 'XMLHttpRequest' }, false],
  ['GET', { ...page, upgrade: 'websocket' }, false],
  ['GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, true],
  ['GET', { ...page, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, false],
  // Only browsers send both.
  ['GET', { 'sec-fetch-mode': 'navigate' }, false],
  ['GET', { ...page, 'sec-fetch-mode': 'cors' }, true],
])('%s with %j loads a page: %s', (method, headers, answer) => expect(isNavigation(method, headers)).toBe(answer));

test.each([
  ['navigate', 'empty', true],
  ['navigate', 'document', false],
  ['cors', 'empty', false],
])('a request of the mode %s for %s is a download: %s', (mode, destination, answer) => {
  expect(isDownload({ 'sec-fetch-mode': mode, 'sec-fetch-dest': destination })).toBe(answer);
});

test.each([
  [{ upgrade: 'websocket', origin: 'https://evil.example' }, true],
  [{ 'sec-websocket-version': '13', origin: 'https://evil.example' }, true],
  [{ upgrade: 'websocket', origin: 'null' }, true],
  [{ upgrade: 'websocket', origin: here }, false],
  [{ upgrade: 'websocket' }, false],
  [{ origin: 'https://evil.example' }, false],
])('%j is a WebSocket of another site: %s', (headers, answer) => expect(isForeignWebSocket(headers, here)).toBe(answer));

test.each([
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'same-site' }, false],
  // What a page can write does not count beside what it cannot.
  [{ 'sec-fetch-site': 'cross-site', origin: here }, false],
  [{ origin: here }, true],
  [{ origin: 'https://evil.example' }, false],
  [{ origin: 'null' }, false],
  [{}, undefined],
])('%j comes from here: %s', (headers, answer) => expect(isSameOrigin(headers, here)).toBe(answer));

test.each([
  [undefined, false],
  ['null', false],
  ['', false],
  [here, false],
  ['http://notes.example.org:8080', false],
  ['https://other.example.org', true],
  ['https://example.org', true],
])('a page of the origin %j is under another host name: %s', (origin, answer) => {
  expect(isOtherHost(origin === undefined ? {} : { origin }, here)).toBe(answer);
});
