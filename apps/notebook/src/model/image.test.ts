import { expect, it } from 'vitest';
import { contentTypeOf, identifyImage, imageCacheControl, isObjectKey, notebookIdOf, objectKey, possibleKeys } from './image.ts';

const [notebook, image] = ['a'.repeat(32), '0'.repeat(32)];

it('an image lies under its notebook, with the ending of its type', () => {
  expect(objectKey(notebook, image, 'jpeg')).toBe(`${notebook}/${image}.jpg`);
  const endings = possibleKeys(notebook, image).map(key => key.replace(`${notebook}/${image}.`, ''));
  expect(endings).toEqual(['png', 'jpg', 'gif', 'webp', 'avif']);
  expect([notebookIdOf(`${notebook}/${image}.png`), notebookIdOf('other'), notebookIdOf('')]).toEqual([notebook, 'other', '']);
  expect(contentTypeOf('jpeg')).toBe('image/jpeg');
  expect(imageCacheControl).toBe('public, max-age=31536000, immutable');
});

it('knows its own keys', () => {
  for (const key of possibleKeys(notebook, image)) expect([key, isObjectKey(key)]).toEqual([key, true]);
  const own = `${notebook}/${image}.png`;
  for (const key of [
    `x${own}`,
    `${own}x`,
    `${own}\n`,
    own.slice(1),
    own.replace('.', 'x'),
    own.replace('.png', '.jpeg'),
    own.toUpperCase(),
  ]) {
    expect([key, isObjectKey(key)]).toEqual([key, false]);
  }
});

it('knows an image by its key wherever the store was when the text was written, and anything else by its whole address', () => {
  const key = objectKey(notebook, image, 'png');
  for (const address of ['https://images.example/', 'HTTPS://Old.Example:443/bucket/', 'http://localhost:3000/images/'])
    expect(identifyImage(address + key)).toBe(key);
  expect(identifyImage(`HTTPS://Other.example:443/${image}.png`)).toBe(`https://other.example/${image}.png`);
  expect(identifyImage(`https://other.example/?${key}`)).toBe(`https://other.example/?${key}`);
  expect(identifyImage('birds.png')).toBe('birds.png');
});
