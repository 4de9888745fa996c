#!/usr/bin/env bash
# start.sh FOLDER PORT: SimpleSAMLphp as a SAML identity provider on http://127.0.0.1:PORT/simplesaml/ under PHP's built-in server.
# It signs in alice with the password secret. FOLDER is empty or holds sp.json (the service providers it knows); the process id is
# written to FOLDER/pid. It needs Debian's simplesamlphp php-cli php-xml php-mbstring php-curl and openssl.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export IDP_DIR=${1:?a folder} IDP_PORT=${2:?a port}
mkdir -p "$IDP_DIR"/{cert,log,data,temp,web}
cp -r "$here/config" "$here/metadata" "$IDP_DIR/"
[ -f "$IDP_DIR/sp.json" ] || echo '{}' >"$IDP_DIR/sp.json"
ln -sfn /usr/share/simplesamlphp/www "$IDP_DIR/web/simplesaml"
[ -f "$IDP_DIR/cert/idp.key" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=idp -keyout "$IDP_DIR/cert/idp.key" -out "$IDP_DIR/cert/idp.crt" 2>/dev/null
export SIMPLESAMLPHP_CONFIG_DIR=$IDP_DIR/config
php -d display_errors=0 -d error_log="$IDP_DIR/log/php.log" -S "127.0.0.1:$IDP_PORT" -t "$IDP_DIR/web" >"$IDP_DIR/log/server.log" 2>&1 &
echo $! >"$IDP_DIR/pid"
