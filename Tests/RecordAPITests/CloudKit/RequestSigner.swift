import CCrypto
import Cryptography
import Encodings
import HTTP
import Testing

/// The private key of a server-to-server key. The server has no such keys; clients sign with them.
final class RequestSigner {
    private let key: OpaquePointer

    init() throws {
        let context = try #require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        try #require(
            EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1
                && EVP_PKEY_generate(context, &made) == 1)
        key = try #require(made)
    }

    deinit { EVP_PKEY_free(key) }

    /// The public key as PEM text.
    func publicKey() throws -> P256PublicKey {
        var bytes = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(key, nil)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var place = buffer.baseAddress
            _ = i2d_PUBKEY(key, &place)
        }
        return try P256PublicKey(subjectPublicKeyInfo: bytes)
    }

    /// The signature of a message in DER.
    func sign(_ message: String) throws -> [UInt8] {
        let context = try #require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        try #require(EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1)
        let bytes = Array(message.utf8)
        var count = 80
        var signature = [UInt8](repeating: 0, count: count)
        try #require(EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1)
        return Array(signature.prefix(count))
    }
}
