/// Hashes of passwords as they are stored: text that carries the function, its costs, the salt and the digest.
///
/// Each call takes tens to hundreds of milliseconds and tens of megabytes, and belongs on a thread that may block.
/// Passwords are bytes of any length (the callers bound it) and are never truncated. Under scrypt, NUL bytes at the end
/// of a password do not count, since HMAC pads its key with them (RFC 2104 §2): a caller had better refuse them.
package enum PasswordHash {
    /// What a password turned out to be.
    package enum Verdict: Hashable, Sendable {
        /// Not the one that was hashed.
        case no
        /// The one that was hashed; `needsRehash` if the stored text is not of today's scheme.
        case yes(needsRehash: Bool)
    }

    static let saltCount = 16
    static let digestCount = 32

    /// Returns the text to store for `password`, with a new random salt.
    ///
    /// - Throws: `CryptographyError.passwordHashingFailed` if memory is short.
    package static func hash(
        _ password: [UInt8], scheme: PasswordScheme = .preferred
    ) throws(CryptographyError) -> String {
        let salt = RandomBytes.make(saltCount)
        let digest = try scheme.derive(password: password, salt: salt, length: digestCount)
        return StoredPassword(scheme: scheme, salt: salt, digest: digest).text
    }

    /// Judges `password` against a stored text, with the function and the costs that the text names.
    ///
    /// - Parameter current: What passwords are hashed with today.
    /// - Throws: `.malformedPasswordHash` if the text cannot be read or asks for too much; `.unavailable` if libcrypto
    ///   lacks its function (a folder moved to a machine with an older one); `.passwordHashingFailed`.
    package static func verify(
        _ password: [UInt8], against text: String, current: PasswordScheme = .preferred
    ) throws(CryptographyError) -> Verdict {
        guard let stored = StoredPassword(text) else { throw .malformedPasswordHash }
        let digest = try stored.scheme.derive(password: password, salt: stored.salt, length: stored.digest.count)
        guard ConstantTime.equal(digest, stored.digest) else { return .no }
        let isCurrent =
            stored.scheme == current && stored.salt.count >= saltCount && stored.digest.count >= digestCount
        return .yes(needsRehash: !isCurrent)
    }

    /// What a stored text says that it costs; `nil` if it cannot be read.
    package static func scheme(of text: String) -> PasswordScheme? { StoredPassword(text)?.scheme }

    /// A text that no password matches, at a scheme's costs: verify against it when the user is unknown, so that the
    /// time of the answer does not tell which names exist.
    package static func dummy(_ scheme: PasswordScheme = .preferred) -> String {
        StoredPassword(scheme: scheme, salt: RandomBytes.make(saltCount), digest: RandomBytes.make(digestCount)).text
    }
}
