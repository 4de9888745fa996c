<?php
// Debian's full default configuration, with what a test provider on loopback needs put over it.
$config = [];
require '/etc/simplesamlphp/config.php';
$folder = getenv('IDP_DIR');
$config = array_merge($config, [
    'baseurlpath' => 'http://127.0.0.1:' . getenv('IDP_PORT') . '/simplesaml/',
    'certdir' => "$folder/cert/",
    'loggingdir' => "$folder/log/",
    'datadir' => "$folder/data/",
    'tempdir' => "$folder/temp",
    'metadatadir' => "$folder/metadata/",
    'metadata.sources' => [['type' => 'flatfile', 'directory' => "$folder/metadata/"]],
    'secretsalt' => bin2hex(hash('sha256', $folder, true)),
    'auth.adminpassword' => bin2hex(random_bytes(16)),
    'technicalcontact_email' => 'nobody@example.org',
    'timezone' => 'UTC',
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'logging.handler' => 'errorlog',
    // There is no TLS on loopback.
    'session.cookie.secure' => false,
    'session.cookie.samesite' => 'Lax',
    'session.phpsession.savepath' => "$folder/temp",
    // The tests' service providers use other ports of this machine.
    'trusted.url.domains' => null,
    // Artifacts need a store that is not the visitor's session: SQLite where PHP has it.
    'store.type' => extension_loaded('pdo_sqlite') ? 'sql' : 'phpsession',
    'store.sql.dsn' => "sqlite:$folder/data/store.sqlite",
    'language.default' => 'en',
]);
