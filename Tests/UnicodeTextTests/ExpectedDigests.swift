// Written by Tests/UnicodeTextTests/make_tables.py from Unicode 17.0.0. Do not edit.

/// SHA-256 of what Python makes of the same texts, joined by new lines.
enum ExpectedDigests {
    static let nfcOfContexts = "b1d67f6dd6c4c143e9d21f27435fa872b64790f24c6aba729a8c7df8d038ae3d"
    static let casefoldOfScalars = "72e55d2c7e2d02ad3ec6ff8447356ac921e1d27767ea73f4ab130b3f1c53523a"
    static let nfcOfRandomTexts = "ee1a4bd67c9a77078bd4aa38c16d13c69a2dc52ac712c72adbef716371e0b72b"
    static let casefoldOfRandomTexts = "e7f4bb2705530caeb9b633b5026f67f83b885b15dad78c09617e477564cad64c"
    static let basesOfScalars = "7c85d545ca115f0f5fb6a94c878e6846018652d90d1db4e47a2332755b3e512e"
    static let basesOfRandomTexts = "2e6897859d7ffe8b55ba7464d74aaf35f8d754c0c1ee2d5c55efc7915a3f1ddf"
}
