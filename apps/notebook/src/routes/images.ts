import type { FastifyInstance } from 'fastify';
import * as calls from '../api/calls.ts';
import { AddedImageAnswer, ImageParams, ImagesAnswer } from '../api/image-schemas.ts';
import { answers, SlugParams, sharedProblems, TokenHeader } from '../api/schemas.ts';
import type { ApiAddedImage } from '../api/types.ts';
import { takeRawBodies } from '../http/bodies/raw-body.ts';
import { limits } from '../limits.ts';
import { addImage, type StoredImage } from '../operations/add-image.ts';
import { deleteImage } from '../operations/delete-image.ts';
import { listImages } from '../operations/list-images.ts';
import { clientOf, type RouteContext, readCredentials, type SlugPath } from './context.ts';
import { on } from './on.ts';

function imageAnswer({ image: { id, bytes, width, height }, url }: StoredImage): ApiAddedImage {
  return { id, url, markdown: `![image](${url})`, bytes, width, height };
}

export function imageRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const shared = { tags: ['images'], params: SlugParams, headers: TokenHeader };

  app.register(async scope => {
    takeRawBodies(scope, limits.maxImageBytes);
    on<SlugPath & { Body: Buffer | undefined }>(
      scope,
      calls.addImage,
      [':slug'],
      { schema: uploadSchema(shared) },
      async (request, reply) => {
        const presented = readCredentials(request);
        const file = request.body ?? Buffer.alloc(0);
        const stored = await addImage(parts, request.params.slug, file, presented, clientOf(request));
        return reply.code(201).send(imageAnswer(stored));
      },
    );
  });

  on<SlugPath>(
    app,
    calls.listImages,
    [':slug'],
    {
      schema: {
        ...shared,
        summary: 'Images, newest first',
        response: answers(200, ImagesAnswer, ...sharedProblems.owning, 'images_off'),
      },
    },
    async request => {
      const images = await listImages(parts, request.params.slug, readCredentials(request));
      const items = images.map(stored => ({ ...imageAnswer(stored), createdAt: new Date(stored.image.createdAt).toISOString() }));
      return { items };
    },
  );

  on<{ Params: { slug: string; imageId: string } }>(
    app,
    calls.deleteImage,
    [':slug', ':imageId'],
    {
      schema: {
        ...shared,
        params: ImageParams,
        summary: 'Delete an image',
        response: answers(204, undefined, ...sharedProblems.owning, 'read_only', 'images_off'),
      },
    },
    async (request, reply) => {
      await deleteImage(parts, request.params.slug, request.params.imageId, readCredentials(request));
      return reply.code(204).send();
    },
  );
}

function uploadSchema(shared: object) {
  return {
    ...shared,
    summary: 'Upload an image',
    description:
      'The body is the file itself: PNG, JPEG, GIF, WebP or AVIF, by its leading bytes; Content-Type is ignored. What it tells of places, cameras and people is left out.',
    body: { content: { 'application/octet-stream': { schema: {} } } },
    response: answers(
      201,
      AddedImageAnswer,
      ...sharedProblems.writing,
      'image_limit',
      'length_required',
      'too_large',
      'image_rejected',
      'image_store_failed',
      'images_off',
    ),
  };
}
