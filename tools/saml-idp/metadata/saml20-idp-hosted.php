<?php
$mail = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
$metadata['http://127.0.0.1:' . getenv('IDP_PORT') . '/idp'] = [
    'host' => '__DEFAULT__',
    'privatekey' => 'idp.key',
    'certificate' => 'idp.crt',
    'auth' => 'userpass',
    'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'NameIDFormat' => $mail,
    'authproc' => [3 => ['class' => 'saml:AttributeNameID', 'attribute' => 'mail', 'Format' => $mail]],
    'SingleSignOnServiceBinding' => ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'],
    'SingleLogoutServiceBinding' => ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'],
    'saml20.ecp' => true,
    'saml20.sendartifact' => extension_loaded('pdo_sqlite'),
    'sign.logout' => true,
    'validate.logout' => true,
];
