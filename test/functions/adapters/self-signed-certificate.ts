// Made only for these tests: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
// -subj /CN=localhost. It protects nothing. The tests need a certificate that no client trusts.

export const SELF_SIGNED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5rw1sHgub0VV7Fuh
9acwYIimVL56e+mIFxrrUvbLPhGhRANCAARsBdFSeIMV9R22k1wHdGNHgvc+Xc0c
k9fPzVMJ4RCKzj0g7c2uXdaprDDz2iwkWXpnHHeh8CvdzW05yegXVciU
-----END PRIVATE KEY-----`;

export const SELF_SIGNED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUMivOPBwrq4nGfk90Br9yyI4e0McwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAyMTUzMloYDzIxMjYxMDI4
MDIxNTMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARsBdFSeIMV9R22k1wHdGNHgvc+Xc0ck9fPzVMJ4RCKzj0g7c2uXdap
rDDz2iwkWXpnHHeh8CvdzW05yegXVciUo2kwZzAdBgNVHQ4EFgQUw7GRhApv/6SY
TpUukX7ZG0U95zEwHwYDVR0jBBgwFoAUw7GRhApv/6SYTpUukX7ZG0U95zEwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgMEre8o6HpExtOkMUo/cSpVSQcMkeEBL4O86feqd9x8ACIQC2zZlez9pe
dq6Q9eXwij91fb/SruFJ2JNFYYNo4SD+Ig==
-----END CERTIFICATE-----`;
