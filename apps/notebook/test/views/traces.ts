/** As terminals show them, with all that Markdown and HTML would read in them. */
export const traces = {
  Java: `Exception in thread "main" java.lang.IllegalStateException: no <title> in *page*
\tat org.example.press.Book$Builder.<init>(Book.java:42)
\tat org.example.press.Press.lambda$print$0(Press.java:117)
\tat java.base/java.util.ArrayList<Sheet>.forEach(ArrayList.java:1596)
\tat org.example.press.Press.main(Press.java:23)
Caused by: java.io.IOException: Map<String, List<Foo>> is empty & closed
\tat org.example.press.Reader.<clinit>(Reader.java:8)
\t... 4 more`,
  Python: `Traceback (most recent call last):
  File "/srv/press/app.py", line 31, in <module>
    main()
    ~~~~^^
  File "/srv/press/app.py", line 27, in <lambda>
    return [page.__title__ for page in pages if page["_id"] > 3]
            ^^^^^^^^^^^^^^

During handling of the above exception, another exception occurred:

AttributeError: 'NoneType' object has no attribute '__title__'`,
  Rust: `thread 'main' (4711) panicked at src/main.rs:12:34:
called \`Result::unwrap()\` on an \`Err\` value: ParseIntError { kind: InvalidDigit }
stack backtrace:
   0: std::panicking::begin_panic_handler
             at /rustc/0123456789abcdef/library/std/src/panicking.rs:697:5
   1: core::result::Result<T,E>::unwrap
             at /rustc/0123456789abcdef/library/core/src/result.rs:1187:23
   2: <alloc::vec::Vec<T> as press::Bind>::bind::{{closure}}
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
  'a kernel log': `[    0.000000] Linux version 6.12.48+deb13-amd64 (gcc-14 (Debian 14.2.0-19) 14.2.0) #1 SMP PREEMPT_DYNAMIC
[    0.004000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000008
[   12.345690] #PF: supervisor read access in kernel mode
[   12.345701] Call Trace:
[   12.345705]  <TASK>
[   12.345711]  ? __die_body.cold+0x19/0x27
[   12.345720]  do_syscall_64+0x82/0x190
[   12.345733]  </TASK>
[   12.345740] *** end of trace ***    CR2: 0000000000000008`,
};
