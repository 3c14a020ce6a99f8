/// Creates and checks stored password hashes. A stored hash is text with the hash function, its costs, the salt and the
/// digest (`StoredPassword`). Hashes of other servers are checked too, but not created (`BcryptHash`).
///
/// Each call takes tens to hundreds of milliseconds and tens of megabytes, so call these functions on a thread that can
/// block. Passwords are bytes and are never truncated. Callers must limit their length. With scrypt, NUL bytes at the
/// end of a password have no effect, because HMAC pads its key with NUL bytes (RFC 2104 §2). Callers should reject
/// passwords that contain NUL bytes.
package enum PasswordHash {
    /// The result of checking a password.
    package enum Verdict: Hashable, Sendable {
        /// The password is wrong.
        case no
        /// The password is correct. `needsRehash` says whether the stored hash uses another scheme than the current
        /// one.
        case yes(needsRehash: Bool)
    }

    static let saltCount = 16
    static let digestCount = 32

    /// Hashes `password` with a new random salt, and returns the text to store.
    ///
    /// - Throws: `CryptographyError.passwordHashingFailed` if too little memory is available; `.unavailable` if
    ///   libcrypto lacks the hash function.
    package static func hash(
        _ password: [UInt8], scheme: PasswordScheme = .preferred
    ) throws(CryptographyError) -> String {
        let salt = RandomBytes.make(saltCount)
        let digest = try scheme.derive(password: password, salt: salt, length: digestCount)
        return StoredPassword(scheme: scheme, salt: salt, digest: digest).text
    }

    /// Checks `password` against a stored hash, with the hash function and the costs in its text.
    ///
    /// - Parameter current: The scheme for new hashes, which decides `needsRehash`.
    /// - Throws: `CryptographyError.malformedPasswordHash` if the text is malformed or its costs exceed the limits;
    ///   `.unavailable` if libcrypto or libcrypt lacks the hash function, for example after the data was moved to a
    ///   machine with an older libcrypto; `.passwordHashingFailed` if too little memory is available.
    package static func verify(
        _ password: [UInt8], against text: String, current: PasswordScheme = .preferred
    ) throws(CryptographyError) -> Verdict {
        if let foreign = BcryptHash(text) { return try foreign.matches(password) ? .yes(needsRehash: true) : .no }
        guard let stored = StoredPassword(text) else { throw .malformedPasswordHash }
        let digest = try stored.scheme.derive(password: password, salt: stored.salt, length: stored.digest.count)
        guard ConstantTime.equal(digest, stored.digest) else { return .no }
        let isCurrent =
            stored.scheme == current && stored.salt.count >= saltCount && stored.digest.count >= digestCount
        return .yes(needsRehash: !isCurrent)
    }

    /// Whether a text is a hash that `verify` can check. Call it before a hash from outside is stored.
    package static func isSupported(_ text: String) -> Bool { StoredPassword(text) != nil || BcryptHash(text) != nil }

    /// Returns the scheme of a stored hash; `nil` if the text is malformed, or of a function that makes no new hashes.
    package static func scheme(of text: String) -> PasswordScheme? { StoredPassword(text)?.scheme }

    /// Returns a stored hash with a scheme's costs that no password matches. Verify the password of an unknown user
    /// against this hash, so that the response time does not reveal which names exist.
    package static func dummy(_ scheme: PasswordScheme = .preferred) -> String {
        StoredPassword(scheme: scheme, salt: RandomBytes.make(saltCount), digest: RandomBytes.make(digestCount)).text
    }
}
