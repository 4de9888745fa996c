import { limits } from '../../limits.ts';
import { refuseUnless } from './bytes.ts';

/** Looked at before anybody decodes anything: a small file may claim a picture that fills the memory of whoever opens it. */
export function requireSize(width: number, height: number): void {
  refuseUnless(width > 0 && height > 0, 'has no pixels');
  refuseUnless(Math.max(width, height) <= limits.maxStoredImageEdgePixels, 'has too long an edge');
  refuseUnless(width * height <= limits.maxStoredImagePixels, 'has too many pixels');
}

/** Bounds an animation: each frame is drawn on the whole canvas. */
export function requireFrames(frames: number, width: number, height: number): void {
  refuseUnless(frames <= limits.maxImageFrames, 'has too many frames');
  refuseUnless(frames * width * height <= limits.maxAnimationPixels, 'has too many pixels in its frames');
}
