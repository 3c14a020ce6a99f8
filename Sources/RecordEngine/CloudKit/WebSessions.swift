internal import Cryptography
internal import Encodings
package import RecordModel
internal import RecordStorage

/// A web auth token of CloudKit Web Services: it names a session, and only this server can make it.
///
/// ```text
/// base64url of the sealed plaintext
///
/// plaintext:  1   hash of the session   random
///             1   32                    8       bytes
/// ```
///
/// Each token of a session is valid until the session ends. The server stores no tokens, so a new token costs no write.
/// The random bytes make the tokens of one session differ.
package struct WebAuthToken: Hashable, Sendable {
    /// The hash under which the session is stored. Nobody has a text with this hash: web sessions have no bearer token.
    let session: Digest

    private static let version: UInt8 = 1
    private static let randomBytes = 8

    init(session: Digest) {
        self.session = session
    }

    /// Opens the text of a token; `nil` if the text is not a token of this database.
    ///
    /// `RecordReader.webAuthTokens` remembers the result.
    package init?(_ text: String, of database: RecordDatabase) {
        guard text.utf8.count <= 256, let sealed = Base64URL.decode(text),
            let plaintext = database.keys.webAuthTokens.open(sealed, context: []),
            plaintext.count == 1 + Digest.byteCount + Self.randomBytes, plaintext[0] == Self.version,
            let session = Digest(Array(plaintext[1...Digest.byteCount]))
        else { return nil }
        self.session = session
    }

    /// Returns the text of a new token for the same session.
    package func makeText(of database: RecordDatabase) -> String {
        let plaintext = [Self.version] + session.bytes + RandomBytes.make(Self.randomBytes)
        return Base64URL.encode(database.keys.webAuthTokens.seal(plaintext, context: []))
    }
}

/// Sign-ins in web pages, for clients of CloudKit Web Services.
package struct WebSessions: Sendable {
    let database: RecordDatabase

    /// The lifetime of an unused session, in milliseconds.
    package static var milliseconds: Int64 { 30 * 60_000 }
    /// The lifetime of an unused session if the person stays signed in, in milliseconds: two weeks.
    package static var longMilliseconds: Int64 { 14 * 86_400_000 }

    /// Begins a session of an account.
    ///
    /// - Parameters:
    ///   - staysSignedIn: Whether the session lasts two weeks without use instead of 30 minutes. Each use extends the
    ///     session. The server's setting for sessions limits both times.
    /// - Returns: The first web auth token of the session.
    /// - Throws: The errors of `Accounts.signIn`.
    package func signIn(
        _ credentials: Credentials, account: AccountLookup, label: SessionLabel?, staysSignedIn: Bool
    ) async throws(RecordError) -> String {
        let session = try await database.accounts.signIn(
            credentials, account: account, label: label,
            lifetime: staysSignedIn ? Self.longMilliseconds : Self.milliseconds)
        return WebAuthToken(session: SHA256.hash(utf8: session.token)).makeText(of: database)
    }
}
