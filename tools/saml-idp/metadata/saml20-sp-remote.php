<?php
// The service providers it knows stand in FOLDER/sp.json, in SimpleSAMLphp's own words.
$metadata = json_decode(file_get_contents(getenv('IDP_DIR') . '/sp.json'), true, 32, JSON_THROW_ON_ERROR);
