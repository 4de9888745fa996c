import { limits } from '../../limits.ts';
import { refuseUnless } from './bytes.ts';

/** Checked before anything is decoded: a small file may declare a picture that fills the memory of any program that opens it. */
export function requireSize(width: number, height: number): void {
  refuseUnless(width > 0 && height > 0, 'has no pixels');
  refuseUnless(Math.max(width, height) <= limits.maxStoredImageEdgePixels, 'has too long an edge');
  refuseUnless(width * height <= limits.maxStoredImagePixels, 'has too many pixels');
}

/** Limits an animation: each frame is drawn on the whole canvas. */
export function requireFrames(frames: number, width: number, height: number): void {
  refuseUnless(frames <= limits.maxImageFrames, 'has too many frames');
  refuseUnless(frames * width * height <= limits.maxAnimationPixels, 'has too many pixels in its frames');
}
