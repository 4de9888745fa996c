import { Type } from 'typebox';
import { limits } from '../limits.ts';

const closed = { additionalProperties: false } as const;

const fields = {
  id: Type.String(),
  url: Type.String({ description: 'public, and unguessable' }),
  markdown: Type.String({ description: 'the Markdown that shows the image' }),
  bytes: Type.Integer({ minimum: 1, maximum: limits.maxImageBytes }),
  width: Type.Integer({ minimum: 1, maximum: limits.maxStoredImageEdgePixels }),
  height: Type.Integer({ minimum: 1, maximum: limits.maxStoredImageEdgePixels }),
};

export const AddedImageAnswer = Type.Object(fields, closed);
export const ImageAnswer = Type.Object({ ...fields, createdAt: Type.String({ format: 'date-time' }) }, closed);
export const ImagesAnswer = Type.Object({ items: Type.Array(ImageAnswer) }, closed);
export const ImageParams = Type.Object({ slug: Type.String(), imageId: Type.String() });
