<?php
$config = [
    'admin' => ['core:AdminPassword'],
    'userpass' => [
        'exampleauth:UserPass',
        'alice:secret' => ['uid' => ['alice'], 'mail' => ['alice@example.com'], 'displayName' => ['Alice Ä'], 'groups' => ['editors', 'staff']],
    ],
];
