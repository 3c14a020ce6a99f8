import CCrypto

/// Deterministic authenticated encryption with AES-128-SIV (RFC 5297), for the tokens that clients store.
///
/// ```text
/// synthetic vector   ciphertext
/// 16 bytes           as long as the plaintext
/// ```
///
/// Equal plaintexts with equal contexts give equal sealed values. Apart from this equality, sealed values reveal only
/// the length of the plaintext. A caller that needs different sealed values adds random bytes to the plaintext. A
/// sealed value that was modified cannot be opened. Every thread can use a seal.
package struct Seal: Sendable {
    /// The length of a sealed value minus the length of its plaintext, in bytes.
    package static let overhead = 16

    private let prepared: PreparedKey

    /// Creates a seal with a key derived from `secret`. Each `label` gives an independent key.
    ///
    /// - Throws: ``CryptographyError/unavailable(algorithm:)`` if libcrypto lacks AES-128-SIV, for example because it
    ///   is restricted to FIPS algorithms.
    package init(secret: SecretKey, label: String) throws(CryptographyError) {
        try self.init(key: secret.derive(label: label, length: 32))
    }

    /// Creates a seal from the 32-byte key K1 || K2 of RFC 5297 §2.6.
    init(key: [UInt8]) throws(CryptographyError) {
        precondition(key.count == 32, "AES-128-SIV takes a key of 32 bytes")
        prepared = try PreparedKey(key)
    }

    /// Encrypts `plaintext`, which must not be empty. ``open(_:context:)`` succeeds only with the same `context`.
    package func seal(_ plaintext: [UInt8], context: [UInt8]) -> [UInt8] {
        seal(plaintext, associated: context.isEmpty ? [] : [context])
    }

    /// Returns the plaintext of `sealed`; `nil` if `sealed` was not created with the same key and context, or was
    /// modified.
    package func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        open(sealed, associated: context.isEmpty ? [] : [context])
    }

    /// Encrypts `plaintext` and binds it to any number of associated strings. No string may be empty: libcrypto before
    /// 3.0.10 ignores empty strings (CVE-2023-2975), and tokens must not depend on the version of libcrypto.
    func seal(_ plaintext: [UInt8], associated: [[UInt8]]) -> [UInt8] {
        // libcrypto 3.0 does not pass an empty plaintext to the cipher. The synthetic vector would remain unset.
        precondition(!plaintext.isEmpty, "Only a plaintext of at least one byte can be sealed")
        let context = prepared.copy(encrypting: true)
        defer { EVP_CIPHER_CTX_free(context) }
        Seal.authenticate(associated, in: context)
        return [UInt8](unsafeUninitializedCapacity: Seal.overhead + plaintext.count) { output, initialized in
            var count: Int32 = 0
            let body = output.baseAddress.map { $0 + Seal.overhead }
            let updated = EVP_CipherUpdate(context, body, &count, plaintext, Int32(plaintext.count))
            precondition(updated == 1 && Int(count) == plaintext.count, "AES-SIV cannot encrypt")
            let finished = EVP_CipherFinal_ex(context, body, &count)
            precondition(finished == 1, "AES-SIV cannot finish")
            let tagged = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Seal.overhead), output.baseAddress)
            precondition(tagged == 1, "AES-SIV cannot give its vector")
            initialized = Seal.overhead + plaintext.count
        }
    }

    func open(_ sealed: [UInt8], associated: [[UInt8]]) -> [UInt8]? {
        let length = sealed.count - Seal.overhead
        guard length > 0, length <= Int(Int32.max) else { return nil }
        let context = prepared.copy(encrypting: false)
        defer { EVP_CIPHER_CTX_free(context) }
        var vector = Array(sealed.prefix(Seal.overhead))
        let tagged = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Seal.overhead), &vector)
        precondition(tagged == 1, "AES-SIV cannot take its vector")
        Seal.authenticate(associated, in: context)
        var isAuthentic = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: length) { output, initialized in
            var count: Int32 = 0
            let updated = sealed.withUnsafeBufferPointer { sealed in
                EVP_CipherUpdate(
                    context, output.baseAddress, &count, sealed.baseAddress.map { $0 + Seal.overhead }, Int32(length))
            }
            guard updated == 1, Int(count) == length, EVP_CipherFinal_ex(context, nil, &count) == 1 else { return }
            isAuthentic = true
            initialized = length
        }
        guard isAuthentic else {
            ERR_clear_error()
            return nil
        }
        return plaintext
    }

    private static func authenticate(_ associated: [[UInt8]], in context: OpaquePointer) {
        for part in associated {
            var count: Int32 = 0
            let updated = EVP_CipherUpdate(context, nil, &count, part, Int32(part.count))
            precondition(updated == 1, "AES-SIV cannot take its context")
        }
    }

    /// The owner of the libcrypto contexts with the prepared key. After creation, the contexts are only copied, so
    /// threads can share them. Preparing a key fetches three algorithms by name; copying a context fetches none.
    private final class PreparedKey: @unchecked Sendable {
        private let encrypting: OpaquePointer
        private let decrypting: OpaquePointer

        init(_ key: [UInt8]) throws(CryptographyError) {
            guard let cipher = OpenSSLAlgorithm.aes128SIV else { throw .unavailable(algorithm: "AES-128-SIV") }
            encrypting = PreparedKey.makeContext(cipher, key, encrypting: true)
            decrypting = PreparedKey.makeContext(cipher, key, encrypting: false)
        }

        deinit {
            EVP_CIPHER_CTX_free(encrypting)
            EVP_CIPHER_CTX_free(decrypting)
        }

        func copy(encrypting isEncrypting: Bool) -> OpaquePointer {
            guard let copy = EVP_CIPHER_CTX_new() else { preconditionFailure("No memory for AES-SIV") }
            let copied = EVP_CIPHER_CTX_copy(copy, isEncrypting ? encrypting : decrypting)
            precondition(copied == 1, "AES-SIV cannot be copied")
            return copy
        }

        private static func makeContext(
            _ cipher: OpenSSLAlgorithm, _ key: [UInt8], encrypting: Bool
        ) -> OpaquePointer {
            guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("No memory for AES-SIV") }
            let begun = EVP_CipherInit_ex2(context, cipher.pointer, key, nil, encrypting ? 1 : 0, nil)
            precondition(begun == 1, "AES-SIV cannot take its key")
            return context
        }
    }
}
