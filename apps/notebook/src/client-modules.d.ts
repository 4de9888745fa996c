declare module '*?worker&url' {
  const url: string;
  export default url;
}

declare module '*?raw' {
  const text: string;
  export default text;
}

declare module '*.css?inline' {
  const style: string;
  export default style;
}
