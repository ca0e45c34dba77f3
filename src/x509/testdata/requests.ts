/** Certificate requests as openssl writes them, in PEM. Their keys are not kept. */

function pemRequest(body: string): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE REQUEST-----\n`
}

/** O=dev, O=ops, CN=alice */
export const aliceRequest = pemRequest(
  'MIHmMIGOAgEAMCwxDDAKBgNVBAoMA2RldjEMMAoGA1UECgwDb3BzMQ4wDAYDVQQDDAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49' +
    'AwEHA0IABPsgJ8qVnXNH4JdvP2ynfd9Vzjemy4+40RQ4Rm/svpreYD38nJ996B4S4fIa4wcMx7S2/DwK9Vl7Xrnp7FGpxHagADAK' +
    'BggqhkjOPQQDAgNHADBEAiBLF3Vljr3lDTGpVLZfZRNZkbdlCz/RyHrDx54q7dqVSAIgF8rDGd+/DZlObN0YmAnSTucRGwLm2VVI' +
    'VrnJ86Ygh9o=',
)

/** O=system:nodes, CN=system:node:node-9 */
export const nodeRequest = pemRequest(
  'MIHwMIGWAgEAMDQxFTATBgNVBAoMDHN5c3RlbTpub2RlczEbMBkGA1UEAwwSc3lzdGVtOm5vZGU6bm9kZS05MFkwEwYHKoZIzj0C' +
    'AQYIKoZIzj0DAQcDQgAEzz9pwWPbKsqnoC4qVH8FnjGhspR0f7lhOv8Vx3R63HjxxOh0JUt0mCfBGIi7oBi3WykMxtes9hpppZ2l' +
    '3qJiJqAAMAoGCCqGSM49BAMCA0kAMEYCIQCMsVY21ooh3hw0SR0SpCcyyn2njUWCNXOas9+2f4M/7AIhANSbcJgm3mii3uUw2+1n' +
    'K4u7BS9qQyF9xB5E/6n2Sgx2',
)

/** The same, with DNS:node-9 and IP:192.0.2.9 */
export const servingRequest = pemRequest(
  'MIIBGDCBwAIBADA0MRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxGzAZBgNVBAMMEnN5c3RlbTpub2RlOm5vZGUtOTBZMBMGByqGSM49' +
    'AgEGCCqGSM49AwEHA0IABMOLPZr4ZQ12A/2Ghd8a83tgVXUbuFiHGTwbosFY1MzMdarNvnG5DLn6zpb6oyGjcniS//PfHpmYdb5S' +
    'EzA2yd2gKjAoBgkqhkiG9w0BCQ4xGzAZMBcGA1UdEQQQMA6CBm5vZGUtOYcEwAACCTAKBggqhkjOPQQDAgNHADBEAiAiqdJqAYqX' +
    'cSAHPBogaZKsDPVqaDGs3Zd4cVIdJJMO+QIgXxQ+l0zUpQFW3ZQOFyF1y0VYRph5J8SAplfoBawFJE0=',
)

/** O=system:nodes, CN=somebody */
export const wrongNodeRequest = pemRequest(
  'MIHlMIGMAgEAMCoxFTATBgNVBAoMDHN5c3RlbTpub2RlczERMA8GA1UEAwwIc29tZWJvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMB' +
    'BwNCAAS2mETDxuSPLGuQYxKxSeyGn0Jc6Y1JACSjhwy1A8ompWg/b0q0ZdGN3W1jW07L2V8n0ceEWr/XcccvdFz06YMfoAAwCgYI' +
    'KoZIzj0EAwIDSAAwRQIhAK8ZRl/oSsumJokejeFU5j+60ZLghetRVhZKjTpVmGEoAiBEnzppjkvUcnj7PnBPDpmS9QWBOHvDdmHb' +
    'kArZHCGxKw==',
)

/** C=DE, ST=BE, L=Berlin, O=dev, OU=a, CN=web, with names of all types */
export const namedRequest = pemRequest(
  'MIIBajCCARECAQAwUzELMAkGA1UEBhMCREUxCzAJBgNVBAgMAkJFMQ8wDQYDVQQHDAZCZXJsaW4xDDAKBgNVBAoMA2RldjEKMAgG' +
    'A1UECwwBYTEMMAoGA1UEAwwDd2ViMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFsQ1jBmSK8oH/Yil3vWMQ7lFdudAjGDkrLKQ' +
    'etaYr8pgxb87rollK2cG2iWtsLagxyFDowSOGljs3xhDJzVXkqBcMFoGCSqGSIb3DQEJDjFNMEswSQYDVR0RBEIwQIIPd2ViLmV4' +
    'YW1wbGUub3JnhxAgAQ24AAAAAAAAAAAAAAABgQ1hQGV4YW1wbGUub3JnhgxzcGlmZmU6Ly94L3kwCgYIKoZIzj0EAwIDRwAwRAIg' +
    'AnDYtmnYTOHRA/v+/3JY+Bm+r7DEiPYohP1Q4wrI/eoCIBS7asDQAIVHcMRTDgkOxIvaoOP727+GGDPYvoiLaoKr',
)

/** CN=rsa, with an RSA key */
export const rsaRequest = pemRequest(
  'MIICUzCCATsCAQAwDjEMMAoGA1UEAwwDcnNhMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtlYTdJoYQD24k4aUEtDZ' +
    'WG3P88gL2FPJ1d4ePBueuCFodL58ao0IaASufchz7RgzY40Z3WJXsTRBWZzso9uJaBOo4e3myxTOc0fd2mMTmOSS80yxoFVbKAdc' +
    'qldkPSuEJmabPqcHfnwWMZNNkOB8q/Kd6LII+9KntBJAFUh+VZmfQyQRBcQzZuSOmANFzQMzpoexLM/XGef3Gfdqtmz7H78OQiYW' +
    '5mwbSyJGb64XPcWO33TAd56bMWhhdBiAtAYSvQ147S6355teYKurH2PbeWBmHpk96ve6Nz2ZYspCrr0NFpB6Hj405rZOb3X9gG9N' +
    'TqhQuiaNvdPmkK/sWiCYZwIDAQABoAAwDQYJKoZIhvcNAQELBQADggEBAD1mZfeJmcx3WGXJn652nYit5suDb/ipllekFM40/AXa' +
    '4O464emtFYzE6ntktIgxFEKCt16i8XSmQghk/oIOo9zXvyTp41a/eETBi+cyh4TnP+ZDt+WRI8aI4hXofHfpmpuA1WlU8UyE2Vvt' +
    'x7EcKvoCHqjO5w3cFKp5/NM1R2GJuTx6++pYZ2lmXy/MUv7ywYQRR+YYm2Kys5+LpPHP/evGafi5G1t03pxBho5ly4IMH8UxA8eP' +
    'XbSzyT09Lw4apGgw0gJoCtBm5U0u2zZIenCMlvmXwaGpzx6OP+DC9fALopKjZQKHkbQc4IgXxYNmLFJDStAMnJnZxWQWus6JwMQ=',
)
