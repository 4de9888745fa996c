<?php
// validate.php SCHEMA FILE…: says for each file whether Debian's libxml finds it valid: one line each, 1 or 0.
libxml_use_internal_errors(true);
foreach (array_slice($argv, 2) as $file) {
    $document = new DOMDocument();
    $parsed = $document->load($file, LIBXML_NONET);
    echo $parsed && $document->schemaValidate($argv[1]) ? "1\n" : "0\n";
    libxml_clear_errors();
}
