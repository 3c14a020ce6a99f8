/// Certificates and keys for tests, in PEM. The keys are public: nothing may trust them.
package enum TestCertificates {
    /// The certificate of the authority that has signed the others.
    package static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBZjCCAQugAwIBAgIBAzAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MCAXDTI0MDEwMTAwMDAwMFoYDzIxMjQwMTAxMDAwMDAw
        WjAhMR8wHQYDVQQDDBZGb2diYXNlIHRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAEN52Z9T6VmH/6Su3ly8Zswtr6ngdOAbuhP8cqfOUTSUq6
        Myf3d3RyhWqguIOFzbXYwdJf3pekddCaOuFTm/451qMyMDAwDwYDVR0TAQH/BAUw
        AwEB/zAdBgNVHQ4EFgQUmyzNM8cpr+41iECygs9V8k/cUJowCgYIKoZIzj0EAwID
        SQAwRgIhAIuAXYQOUT4qmuF4ZiAP0jjdjOEXeEtNQSRohWsG3uL3AiEA0W1BtwrH
        CQZnjbd1ltRVkc2/8gVPcw2bHPuUWsaGmZw=
        -----END CERTIFICATE-----
        """ + "\n"

    /// A certificate for `localhost` and 127.0.0.1, until 2124.
    package static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgIBBDAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MCAXDTI0MDEwMTAwMDAwMFoYDzIxMjQwMTAxMDAwMDAw
        WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AAQNLEynQKR6cTd6sJYUVkk24nNqw7VgCtLGSpGxCmc27ttntu3nQbDbyZj4fCyt
        p4HpkDJYUF+KFRYLbONOc4ZNo2kwZzAJBgNVHRMEAjAAMBoGA1UdEQQTMBGCCWxv
        Y2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUX+dZ4v0YPcEFt8zEeJXevb3W9bEwHwYD
        VR0jBBgwFoAUmyzNM8cpr+41iECygs9V8k/cUJowCgYIKoZIzj0EAwIDSAAwRQIh
        AOwyPPsaIy4K9sVe6ELekLqzGpVSOPsQTGGtVeRorwgDAiBJNVQAXilVNpFAguHu
        cdNybAxIWLh2RjOKfXH6iv46NA==
        -----END CERTIFICATE-----
        """ + "\n"

    /// The key of `certificate` and `expired`.
    package static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN+vsYkZLVdzAzOso
        hYf/+mN5cyJTxSDluLhjgtal8n2hRANCAAQNLEynQKR6cTd6sJYUVkk24nNqw7Vg
        CtLGSpGxCmc27ttntu3nQbDbyZj4fCytp4HpkDJYUF+KFRYLbONOc4ZN
        -----END PRIVATE KEY-----
        """ + "\n"

    /// The same with the passphrase `secret`.
    package static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjdbIXFiyU68wICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEGRxJ2KJ+9HeGfwIxpZgaHQEgZCf
        85sGmOa1gqq8sIllsl89jF+x3Ipu7UrH+aaH6l7ZjZi7S5E+yIYZc5arrRaD3X6E
        05VapdlH29nRdHhIWUPh3k+J/9QtnuVKwdYkZOCa4m44xY1iaucvL3kaWv6HfSq7
        KBKIEP8rOvp3Y+POsesn9+DmOkgQDTHOEbmgp+VbxEih8u+dOp1MJ3PZ3vghYSo=
        -----END ENCRYPTED PRIVATE KEY-----
        """ + "\n"

    /// A certificate for the same names with another key.
    package static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBlDCCATqgAwIBAgIBBTAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MCAXDTI0MDEwMTAwMDAwMFoYDzIxMjQwMTAxMDAwMDAw
        WjAZMRcwFQYDVQQDDA5zZWNvbmQuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49
        AwEHA0IABJyuSlcflNu/RYNzhX98LylP8n3ivoIyN5gu7R2rxkieJL1zzZnxyxIV
        gtbMnOA8SogR6gS7PKXiU359xhdJwzajaTBnMAkGA1UdEwQCMAAwGgYDVR0RBBMw
        EYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBQ98jnVcpJEr3MoBnXHXoLBUJEr
        MjAfBgNVHSMEGDAWgBSbLM0zxymv7jWIQLKCz1XyT9xQmjAKBggqhkjOPQQDAgNI
        ADBFAiAMJTARpllDqxoUJKVU0mQBljwfCzvII6glIGBPOHAFlwIhAOBiCDdI2UUa
        zuKOFCL/AhhLftWi67KUVI+WOIMXCoWA
        -----END CERTIFICATE-----
        """ + "\n"

    /// The key of `otherCertificate` and `future`.
    package static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgH4Ylr1KxVfYpKcLS
        XoISP4rbXy52YKoW69WNzemDSWWhRANCAAScrkpXH5Tbv0WDc4V/fC8pT/J94r6C
        MjeYLu0dq8ZIniS9c82Z8csSFYLWzJzgPEqIEeoEuzyl4lN+fcYXScM2
        -----END PRIVATE KEY-----
        """ + "\n"

    /// A certificate of the year 2020.
    package static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBjjCCATOgAwIBAgIBBjAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFow
        FDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        DSxMp0CkenE3erCWFFZJNuJzasO1YArSxkqRsQpnNu7bZ7bt50Gw28mY+HwsraeB
        6ZAyWFBfihUWC2zjTnOGTaNpMGcwCQYDVR0TBAIwADAaBgNVHREEEzARgglsb2Nh
        bGhvc3SHBH8AAAEwHQYDVR0OBBYEFF/nWeL9GD3BBbfMxHiV3r291vWxMB8GA1Ud
        IwQYMBaAFJsszTPHKa/uNYhAsoLPVfJP3FCaMAoGCCqGSM49BAMCA0kAMEYCIQCn
        MTHdtVk/jxOkY7GbqvxCjfUvhcyILzSffanXX0m1kwIhAKbLNtUaBRxWBdsiTYLv
        Gk0RidKrSqtyGoGJCGJNz9lP
        -----END CERTIFICATE-----
        """ + "\n"

    /// A certificate of the year 2120.
    package static let future = """
        -----BEGIN CERTIFICATE-----
        MIIBljCCATygAwIBAgIBBzAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MCIYDzIxMjAwMTAxMDAwMDAwWhgPMjEyMTAxMDEwMDAw
        MDBaMBkxFzAVBgNVBAMMDnNlY29uZC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAEnK5KVx+U279Fg3OFf3wvKU/yfeK+gjI3mC7tHavGSJ4kvXPNmfHL
        EhWC1syc4DxKiBHqBLs8peJTfn3GF0nDNqNpMGcwCQYDVR0TBAIwADAaBgNVHREE
        EzARgglsb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFD3yOdVykkSvcygGdcdegsFQ
        kSsyMB8GA1UdIwQYMBaAFJsszTPHKa/uNYhAsoLPVfJP3FCaMAoGCCqGSM49BAMC
        A0gAMEUCIF6sYCA90m/5YIdHAesY2ebpRqmc/Xe44UavsYIS0jYqAiEA55jvsZqo
        C7wq3WkQWlLhlAxkO/xIMfDd7wkzilVVDvo=
        -----END CERTIFICATE-----
        """ + "\n"

    /// A certificate with a key of 1,024 bits, which OpenSSL rejects.
    package static let weakCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIB1jCCAXygAwIBAgIBCDAKBggqhkjOPQQDAjAhMR8wHQYDVQQDDBZGb2diYXNl
        IHRlc3QgYXV0aG9yaXR5MCAXDTI0MDEwMTAwMDAwMFoYDzIxMjQwMTAxMDAwMDAw
        WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJ
        AoGBAKujAKt8HKDsEneatKvYmCmfRZFewpHCdclYA9rCBUlLD6RaWrd6+74k6HFf
        r221W5sM7t++PeMaCjd348uNjcOeq9JFuikej0qij7nLhJ3CUjpcl6g3RA61Vc2r
        GHrPwpvDf4LknmXz7pxomjxsezqQIhLuxsDBMsOjgBDPaLmZAgMBAAGjaTBnMAkG
        A1UdEwQCMAAwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBSh
        UzmI8+Bo+kg+rEY5SQQ9+SbmGDAfBgNVHSMEGDAWgBSbLM0zxymv7jWIQLKCz1Xy
        T9xQmjAKBggqhkjOPQQDAgNIADBFAiEAiwiN4iOloiHhdqZJM7UtQlv4YUCUwyZf
        r6eDtbm4Tb0CIDzZSVbgoVjNrsedwS4uHVZqyyuNKjr536MgBDOXhN/w
        -----END CERTIFICATE-----
        """ + "\n"

    /// Its key.
    package static let weakKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAKujAKt8HKDsEnea
        tKvYmCmfRZFewpHCdclYA9rCBUlLD6RaWrd6+74k6HFfr221W5sM7t++PeMaCjd3
        48uNjcOeq9JFuikej0qij7nLhJ3CUjpcl6g3RA61Vc2rGHrPwpvDf4LknmXz7pxo
        mjxsezqQIhLuxsDBMsOjgBDPaLmZAgMBAAECgYBJxyCDli8MMU3i4bpl4A3QXmle
        CpiiZS+SY+YMQ7hYAA7yO/CgzBmoa18LVPEovHtrE80emj0qAMiBfWSK3Aciajvq
        ElQ2ntkGUZb2sp3oSCbdWJsZeBcgbC04wHwm5YsBcypSY8UB7m/MTnvL4Ja85oIc
        OQ+Ab+nh5GaNUYQ2AQJBANNuPmSOc3LVGsULxVB1AvJ1MZLqbpseAct8Ayihee7Y
        La40G+M1EPtDDbVicRdg+81diDilfcroslrB8r5amMECQQDP0UyKpbw0Pab8ZEhu
        /Mkl2xN2D1A1X9BqikJWlTcmq9PHPHd/jKqR/EYP73JPJQurYHTDkESqrfnIG2bY
        vr7ZAkEAnT6fjp/XQu81Apl3fRgZQgNhBDfwXNMbWJ/5pW06xyTmDGpa10cvQv+i
        oWT+YPnTK/BFEIQcIx2fEBqwk1vDwQJAQ7kUNXaPH4Mb4NIZXLnaHxEGhYm1/L7N
        n3qQ5cBYqayDJkFJO/KuP0az2kuQt8P9yopzYquoBOsPJCvx1x5J+QJBALdI/8BP
        TCafo2dSaAYu5o7ks0lr2E8hO5ufUFW2ksj5S4oSJZceFQbQdmr3LniLgzXMMfrT
        EimFdv+X/0cWQQk=
        -----END PRIVATE KEY-----
        """ + "\n"
}
