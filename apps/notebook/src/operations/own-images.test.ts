import { expect, it } from 'vitest';
import { type Image, objectKey } from '../model/image.ts';
import { OwnImages } from './own-images.ts';

const key = objectKey('a'.repeat(32), '0'.repeat(32), 'png');
const image = { key } as Image;

it('finds the images of a text that was written before the image store moved', () => {
  const images = new OwnImages({ publicUrl: of => `https://new.example/${of}` }, [image]);
  expect(images.find(`https://new.example/${key}`)).toBe(image);
  expect(images.find(`http://notes.example/images/${key}`)).toBe(image);
  expect(images.find(`https://new.example/${key.replace('0', '1')}`)).toBeUndefined();
});

it('finds none while there is no store', () => {
  expect(new OwnImages(undefined, [image]).find(`https://new.example/${key}`)).toBeUndefined();
});
