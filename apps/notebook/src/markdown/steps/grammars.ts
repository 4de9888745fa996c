import clojure from 'highlight.js/lib/languages/clojure';
import dart from 'highlight.js/lib/languages/dart';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import http from 'highlight.js/lib/languages/http';
import latex from 'highlight.js/lib/languages/latex';
import nginx from 'highlight.js/lib/languages/nginx';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import { common } from 'lowlight';

/** The 37 languages that highlight.js calls common, and others that people paste into notes. */
export const grammars = {
  ...common,
  clojure,
  dart,
  dockerfile,
  elixir,
  haskell,
  http,
  latex,
  nginx,
  powershell,
  protobuf,
  scala,
};
