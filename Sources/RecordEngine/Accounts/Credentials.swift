package import RecordModel
internal import UnicodeText

/// A well-formed name and password.
///
/// Names are compared by their keys (`AccountTable`), passwords as RFC 8265 §4 requires (`String.preparedPassword`).
/// New names and passwords must meet more rules than existing names and passwords, which stay valid.
package struct Credentials: Sendable {
    let name: String
    let password: String

    /// Checks the credentials of a sign-in or sign-up.
    ///
    /// - Throws: BAD_REQUEST unless the name has 1 to 128 UTF-8 bytes without control characters or spaces at its ends,
    ///   and the password 8 to 256 bytes. Nothing is truncated.
    package init(name: String, password: String) throws(RecordError) {
        self.name = try Self.checked(name: name)
        // The typed text may be longer than the normalized password. Its length counts for passwords that were set
        // before normalization.
        guard password.utf8.count <= Self.typedBytes,
            Self.isLongEnough(password) || Self.isLongEnough(password.preparedPassword)
        else { throw Self.passwordLength }
        self.password = password
    }

    /// Checks the credentials of a new account.
    ///
    /// - Throws: BAD_REQUEST for a malformed name or password, or for a name that is valid only in existing accounts.
    package init(newName: String, newPassword: String) throws(RecordError) {
        name = try Self.checked(newName: newName)
        password = try Self.checked(newPassword: newPassword)
    }

    /// Checks the name of an existing account.
    ///
    /// - Throws: BAD_REQUEST.
    static func checked(name: String) throws(RecordError) -> String {
        guard RecordName(name) != nil, name.utf8.count <= 128, name.first?.isWhitespace == false,
            name.last?.isWhitespace == false
        else { throw invalidName("A user's name has 1 to 128 bytes, no control characters, and no space at its ends") }
        return name
    }

    /// Checks a name for a new account or a change. Names with a leading underscore are reserved for the server, for
    /// example for anonymous accounts, and so are those that name other callers (`AccessExplainer.subject`). Existing
    /// accounts keep such names.
    ///
    /// - Throws: BAD_REQUEST.
    static func checked(newName name: String) throws(RecordError) -> String {
        _ = try checked(name: name)
        if let scalar = name.unicodeScalars.first(where: \.isUnfitForNames) {
            let code = "U+" + String(scalar.value, radix: 16, uppercase: true)
            throw invalidName(
                "A user's name has no \(code): it is unassigned, private, a line break, or turns the direction of the text. Leave it out"
            )
        }
        let key = name.nfkcCasefold
        guard let first = key.first, let last = key.last else {
            throw invalidName("A user's name has a character that people can see. Choose another name")
        }
        guard !first.isWhitespace, !last.isWhitespace else {
            throw invalidName("A user's name has no space at its ends, nor next to invisible characters there")
        }
        guard key.utf8.first != UInt8(ascii: "_") else {
            throw invalidName("Names that begin with an underscore are the server's. Choose another name")
        }
        guard !AccessQuestion.reserves(key) else {
            throw invalidName(
                "anonymous, administrator, and what begins with administrator:, key: or user: name other callers. Choose another name"
            )
        }
        return name
    }

    /// Checks the length of a new password before and after normalization.
    ///
    /// - Throws: BAD_REQUEST.
    static func checked(newPassword password: String) throws(RecordError) -> String {
        guard password.utf8.count <= typedBytes, isLongEnough(password.preparedPassword) else { throw passwordLength }
        return password
    }

    private static func isLongEnough(_ password: String) -> Bool { (8...256).contains(password.utf8.count) }

    /// The maximum length of a password before normalization, in UTF-8 bytes. Normalization shortens a text to no less
    /// than a third.
    private static var typedBytes: Int { 3 * 256 }

    private static func invalidName(_ sentence: String) -> RecordError {
        .badRequest(sentence, details: [("field", .text("name"))])
    }

    private static var passwordLength: RecordError {
        .badRequest("A password has 8 to 256 bytes", details: [("field", .text("password"))])
    }
}

extension Unicode.Scalar {
    /// Whether new names must not contain this character, because people cannot recognize the character, or because the
    /// character makes a name look like another name.
    fileprivate var isUnfitForNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        // Bidirectional embeddings, overrides and isolates (UAX #9).
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        default: false
        }
    }
}

extension String {
    /// The normalized password for hashing and comparing (OpaqueString, RFC 8265 §4.2.2). All spaces become U+0020 and
    /// the text is converted to NFC, so that a password typed on different systems has the same bytes.
    var preparedPassword: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return String(result).nfc
    }
}
