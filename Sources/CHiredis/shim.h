#include <hiredis/hiredis.h>
#include <hiredis/async.h>

// Versions of hiredis before 1.0 have no TLS.
#if __has_include(<hiredis/hiredis_ssl.h>) && __has_include(<openssl/ssl.h>)
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#endif
