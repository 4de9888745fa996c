<?php
// FOLDER/sp.json lists the service providers it knows, in SimpleSAMLphp's own format.
$metadata = json_decode(file_get_contents(getenv('IDP_DIR') . '/sp.json'), true, 32, JSON_THROW_ON_ERROR);
